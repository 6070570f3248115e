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

export const createTokens = (startTokens: readonly HashedToken[] = []) => {
  let initialTokens = startTokens
  let sharedTokens = initialTokens
  const projectTokens = new Map<string | undefined, readonly HashedToken[]>()
  return {
    list: (project?: string): TokenList => ({
      object: 'list',
      items: (projectTokens.get(project) ?? sharedTokens).map(({ digest: _, ...token }) => token),
    }),
    replace: (newTokens: readonly Token[], project?: string): void => {
      const tokens = newTokens.map(hashToken)
      if (project !== undefined) return void projectTokens.set(project, tokens)
      projectTokens.clear()
      sharedTokens = tokens
    },
    reset: (project?: string): void => {
      if (project === undefined) {
        projectTokens.clear()
        sharedTokens = initialTokens
      } else if (sharedTokens === initialTokens) projectTokens.delete(project)
      else projectTokens.set(project, initialTokens)
    },
    /** A project that is created again has the tokens for all projects. */
    delete: (project: string) => void projectTokens.delete(project),
    restart: (newTokens: readonly HashedToken[]): void => {
      projectTokens.clear()
      initialTokens = sharedTokens = newTokens
    },
    /** Undefined: the project has the tokens for all projects. */
    getOwn: (project: string) => projectTokens.get(project),
    restore: (project: string, tokens: readonly HashedToken[]) => void projectTokens.set(project, tokens),
    /** Throws unless the `Authorization` header is valid. `project` is empty if the path names none, `now` in milliseconds. */
    check: (authorization: string | undefined, project: string, now: number, getBehavior: BehaviorLookup): void => {
      const tokens = projectTokens.get(project) ?? sharedTokens
      const presentedToken = getBearerToken(authorization ?? '')
      if (presentedToken === undefined)
        throw errors.tokenMissing({ isMalformed: Boolean(authorization), anyTokenIsValid: tokens.length === 0 })
      if (tokens.length === 0) return
      const digest = hashText(presentedToken)
      const token = tokens.find((candidate) => isSameSecret(candidate.digest, digest))
      if (token === undefined) throw errors.tokenInvalid()
      if (token.expiresAt && Date.parse(token.expiresAt) <= now) throw errors.tokenExpired(token.expiresAt)
      if (project !== '' && token.projects && !token.projects.includes(project))
        throw wrongProjectToken(project, getBehavior)
    },
  }
}

export const getBearerToken = (authorization: string): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1]

/** Returns a short hash, which distinguishes tokens and does not reveal them. */
export const hashSecret = (secret: string): string => createDraws(`token ${secret}`)().toString(16).padStart(8, '0')

/** Returns a hash that identifies a string and does not reveal it. */
export const hashText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

const hashToken = ({ token, projects = null, expiresAt = null }: Token): HashedToken => ({
  digest: hashText(token),
  hash: hashSecret(token),
  projects,
  expiresAt,
})

/** Compares two secrets. The time does not depend on how many characters are equal. */
export const isSameSecret = (expectedSecret: string, presentedSecret: string): boolean => {
  let secretDifference = expectedSecret.length ^ presentedSecret.length
  for (let i = 0; i < presentedSecret.length; i++)
    secretDifference |= expectedSecret.charCodeAt(i % expectedSecret.length) ^ presentedSecret.charCodeAt(i)
  return secretDifference === 0
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
