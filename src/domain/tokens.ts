import type { BehaviorLookup } from '../schema/behavior.ts'
import { MockError } from '../schema/error.ts'
import type { HashedToken, Token, Tokens as TokenList } from '../schema/token.ts'
import { createDraws } from './ids.ts'
import { sha256 } from './sha256.ts'

/** The bearer tokens of the mocked API. With none configured any non-empty one serves. Spec §5. */
export interface Tokens {
  /** Refuses a request whose `Authorization` header does not let it into the project at this time (milliseconds since 1970). */
  check(authorization: string | undefined, project: string, now: number, getBehavior: BehaviorLookup): void
  /** The tokens, without the tokens themselves. */
  list(project?: string): TokenList
  /** Replaces the tokens of one project, or of all projects, single ones included. */
  replace(tokens: readonly Token[], project?: string): void
  /** Back to the tokens of the start. */
  reset(project?: string): void
  /** The project was deleted: when it comes back, the tokens are those of all. */
  forget(project: string): void
  /** Starts anew from other tokens. */
  restart(tokens: readonly HashedToken[]): void
  /** The tokens of one project; undefined if it has those of all. */
  own(project: string): readonly HashedToken[] | undefined
  /** Puts back what `own` returned. */
  restore(project: string, tokens: readonly HashedToken[]): void
}

/** Hashes tokens once, so that mocks can share them. */
export const hashTokens = (tokens: readonly Token[] = []): readonly HashedToken[] => tokens.map(hashed)

export const createTokens = (start: readonly HashedToken[] = []): Tokens => {
  let initial = start
  let forAll = initial
  const own = new Map<string | undefined, readonly HashedToken[]>()
  const tokensOf = (project: string | undefined) => own.get(project) ?? forAll
  const digestOf = createDigests()
  return {
    list: (project) => ({ object: 'list', items: tokensOf(project).map(redacted) }),
    replace: (next, project) => {
      const tokens = next.map(hashed)
      if (project !== undefined) return void own.set(project, tokens)
      own.clear()
      forAll = tokens
    },
    reset: (project) => {
      if (project !== undefined) return void (forAll === initial ? own.delete(project) : own.set(project, initial))
      own.clear()
      forAll = initial
    },
    forget: (project) => void own.delete(project),
    restart: (next) => {
      own.clear()
      initial = forAll = next
    },
    own: (project) => own.get(project),
    restore: (project, tokens) => void own.set(project, tokens),
    check: (authorization, project, now, getBehavior) => {
      const tokens = tokensOf(project)
      const presented = bearerOf(authorization ?? '')
      if (presented === undefined) throw missing(authorization, tokens.length === 0)
      if (tokens.length === 0) return
      const digest = digestOf(presented)
      const token = tokens.find((one) => sameSecret(one.digest, digest))
      if (token === undefined) throw unknown()
      if (token.expiresAt && Date.parse(token.expiresAt) <= now)
        throw new MockError('tokenExpired', 'The token has expired.', {
          hint: `It was valid until ${token.expiresAt}.`,
        })
      if (project !== '' && token.projects && !token.projects.includes(project)) throw foreign(project, getBehavior)
    },
  }
}

/** The token of an `Authorization` header, if it is of the form `Bearer <token>`. */
export const bearerOf = (authorization: string): string | undefined => /^Bearer +(\S+) *$/i.exec(authorization)?.[1]

/** A short hash: enough to tell two tokens apart, too little to find one by. */
const hashOf = (secret: string): string => createDraws(`token ${secret}`)().toString(16).padStart(8, '0')

/** Headers with secrets. The journal has short hashes of them, so that a test can compare two. */
const secretHeaders = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie'])

/** The value of a header (its name in lower case), without the secret in it. */
export const redactedHeader = (name: string, value: string): string => {
  if (!secretHeaders.has(name)) return value
  const token = bearerOf(value)
  return token === undefined ? `#${hashOf(value)}` : `Bearer #${hashOf(token)}`
}

/** Headers by their names, in any case, without the secrets in them. */
export const redactedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redactedHeader(name.toLowerCase(), value)]))

const hashed = ({ token, projects = null, expiresAt = null }: Token): HashedToken => ({
  digest: sha256(token),
  hash: hashOf(token),
  projects,
  expiresAt,
})

const redacted = ({ digest: _, ...token }: HashedToken): TokenList['items'][number] => token

/** A client sends the same token again and again, and the digest costs more than the rest of the check. */
const createDigests = () => {
  let last = { secret: '', digest: '' }
  return (secret: string): string => {
    if (!sameSecret(last.secret, secret)) last = { secret, digest: sha256(secret) }
    return last.digest
  }
}

/** Compares two secrets in a time that does not tell how much of them agrees. */
export const sameSecret = (expected: string, presented: string): boolean => {
  let difference = expected.length ^ presented.length
  for (let i = 0; i < presented.length; i++)
    difference |= expected.charCodeAt(i % expected.length) ^ presented.charCodeAt(i)
  return difference === 0
}

const missing = (authorization: string | undefined, anyTokenServes: boolean): MockError => {
  const wrong = authorization ? 'is not of the form `Bearer <token>`' : 'is missing'
  return new MockError('tokenMissing', `The Authorization header ${wrong}.`, {
    hint: `Send 'Authorization: Bearer <token>'${anyTokenServes ? '; any non-empty token is valid here' : ''}.`,
  })
}

const unknown = () =>
  new MockError('tokenInvalid', 'The token is not one of the configured tokens.', {
    hint: "Tokens are configured with --token, or in the seed under 'tokens'.",
  })

/** Spec §5 is silent on a good token that is used on a project it is not for. */
const foreign = (project: string, getBehavior: BehaviorLookup): MockError => {
  switch (getBehavior('wrongProjectToken')) {
    case 403:
      return new MockError('tokenNotForProject', `The token is not valid for project '${project}'.`, {
        hint: "The projects of a token are listed in the seed under 'tokens'.",
      })
    case 404:
      return new MockError('projectNotFound', `No project '${project}'.`)
    case 401:
      return unknown()
  }
}
