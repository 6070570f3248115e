import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { BehaviorLookup } from '../schema/behavior.ts'
import { errors } from '../schema/error.ts'
import type { HashedToken, Token, TokenList } from '../schema/seed.ts'
import { createDraws } from './ids.ts'

/** The bearer tokens of the mocked API. If none are configured, any non-empty token is valid. Spec §5. */
export type Tokens = ReturnType<typeof createTokens>

/** Hashes tokens once, so that mocks can share them. */
export const hashTokens = (tokens: readonly Token[] = []): readonly HashedToken[] => tokens.map(hashToken)

export const createTokens = (start: readonly HashedToken[] = []) => {
  let initial = start
  let forAll = initial
  const own = new Map<string | undefined, readonly HashedToken[]>()
  const getDigest = createDigestCache()
  return {
    /** Returns a short hash of each token. */
    list: (project?: string): TokenList => ({ object: 'list', items: (own.get(project) ?? forAll).map(redactToken) }),
    /** Replaces the tokens of one project, or those of every project. */
    replace: (next: readonly Token[], project?: string): void => {
      const tokens = next.map(hashToken)
      if (project !== undefined) return void own.set(project, tokens)
      own.clear()
      forAll = tokens
    },
    /** Restores the initial tokens. */
    reset: (project?: string): void => {
      if (project !== undefined) return void (forAll === initial ? own.delete(project) : own.set(project, initial))
      own.clear()
      forAll = initial
    },
    /** Deletes the tokens of a deleted project. If it is created again, it has the tokens for all projects. */
    delete: (project: string) => void own.delete(project),
    /** Replaces the tokens and the initial tokens. */
    restart: (next: readonly HashedToken[]): void => {
      own.clear()
      initial = forAll = next
    },
    /** Returns the tokens of one project. Undefined if it has those for all projects. */
    getOwn: (project: string) => own.get(project),
    /** Sets tokens that `getOwn` returned. */
    restore: (project: string, tokens: readonly HashedToken[]) => void own.set(project, tokens),
    /**
     * Throws unless the `Authorization` header is valid for the project, at this time in milliseconds since 1970.
     * `project` is empty if the path names none.
     */
    check: (authorization: string | undefined, project: string, now: number, getBehavior: BehaviorLookup): void => {
      const tokens = own.get(project) ?? forAll
      const presented = getBearerToken(authorization ?? '')
      if (presented === undefined)
        throw errors.tokenMissing({ isMalformed: Boolean(authorization), anyTokenIsValid: tokens.length === 0 })
      if (tokens.length === 0) return
      const digest = getDigest(presented)
      const token = tokens.find((candidate) => isSameSecret(candidate.digest, digest))
      if (token === undefined) throw errors.tokenInvalid()
      if (token.expiresAt && Date.parse(token.expiresAt) <= now) throw errors.tokenExpired(token.expiresAt)
      if (project !== '' && token.projects && !token.projects.includes(project))
        throw wrongProjectToken(project, getBehavior)
    },
  }
}

/** Returns the token of an `Authorization` header, if it has the form `Bearer <token>`. */
export const getBearerToken = (authorization: string): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1]

/** Returns a short hash, which distinguishes tokens and does not reveal them. */
export const hashSecret = (secret: string): string => createDraws(`token ${secret}`)().toString(16).padStart(8, '0')

/** Returns a hash that identifies a text and does not reveal it. */
export const hashText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

const hashToken = ({ token, projects = null, expiresAt = null }: Token): HashedToken => ({
  digest: hashText(token),
  hash: hashSecret(token),
  projects,
  expiresAt,
})

const redactToken = ({ digest: _, ...token }: HashedToken): TokenList['items'][number] => token

/** Caches the last digest. Clients send the same token again, and the digest costs more than the other checks. */
const createDigestCache = () => {
  let last = { secret: '', digest: '' }
  return (secret: string): string => {
    if (!isSameSecret(last.secret, secret)) last = { secret, digest: hashText(secret) }
    return last.digest
  }
}

/** Compares two secrets. The time does not depend on how many characters are equal. */
export const isSameSecret = (expected: string, presented: string): boolean => {
  let difference = expected.length ^ presented.length
  for (let i = 0; i < presented.length; i++)
    difference |= expected.charCodeAt(i % expected.length) ^ presented.charCodeAt(i)
  return difference === 0
}

/** Spec §5 does not say what happens to a token that is valid for other projects. */
const wrongProjectToken = (project: string, getBehavior: BehaviorLookup) => {
  switch (getBehavior('wrongProjectToken')) {
    case 403:
      return errors.tokenNotForProject(project)
    case 404:
      return errors.projectNotFound({ id: project })
    case 401:
      return errors.tokenInvalid()
  }
}
