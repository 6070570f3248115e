/** Authentication: §5, and the choices of the mock. Without configured tokens, any non-empty one is valid. */
import type { Json } from './formats.ts'
import type { BehaviorValues } from './behaviors.ts'
import { reject } from './errors.ts'

export interface Token {
  readonly token: string
  readonly projects?: readonly string[]
  readonly expiresAt?: string
}

export interface Tokens {
  /** Replaces the tokens of one project, or (null) of all projects. */
  set(tokens: readonly Token[], project: string | null): void
  /** Restores the initial state, without tokens. */
  reset(project: string | null): void
  /** Drops the tokens of a deleted project, which then has those of all. */
  forget(project: string): void
  list(project: string | null): Json
  /** Rejects an invalid token. Assumed: the scheme is compared without case, spaces may follow it, a token has none (RFC 6750). */
  check(authorization: string | null, project: string | undefined, now: number, behaviors: BehaviorValues): void
}

export function createTokens(): Tokens {
  let ofAll: readonly Token[] = []
  const own = new Map<string, readonly Token[]>()
  const of = (project: string | null | undefined) => own.get(project ?? '') ?? ofAll
  return {
    set: (tokens, project) => {
      if (project !== null) return void own.set(project, tokens)
      own.clear()
      ofAll = tokens
    },
    reset: (project) => {
      if (project !== null) return void own.set(project, [])
      own.clear()
      ofAll = []
    },
    forget: (project) => void own.delete(project),
    list: (project) => ({
      object: 'list',
      items: of(project).map(({ projects = null, expiresAt = null }) => ({ projects, expiresAt })),
    }),
    check: (authorization, project, now, { wrongProjectToken }) => {
      const presented = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? reject('tokenMissing')
      const configured = of(project)
      if (configured.length === 0) return
      const { projects, expiresAt } = configured.find(({ token }) => token === presented) ?? reject('tokenInvalid')
      if (expiresAt !== undefined && Date.parse(expiresAt) <= now) reject('tokenExpired')
      if (project === undefined || (projects ?? [project]).includes(project)) return
      reject(({ 403: 'tokenNotForProject', 404: 'projectNotFound', 401: 'tokenInvalid' } as const)[wrongProjectToken])
    },
  }
}
