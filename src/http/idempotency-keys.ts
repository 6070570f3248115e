import type { BehaviorKey } from '../schema/behavior.ts'
import type { ErrorCode } from '../schema/error.ts'
import type { OperationId } from '../schema/operation-routes.ts'
import type { ResponseData } from '../wire/respond.ts'

/** The first request with a key, without its body and its key, which may be large. */
export interface KeptRequest {
  readonly bodyHash: string
  /** Undefined if the key was ignored. */
  readonly response: ResponseData | undefined
  /** The behaviors that decided the response. */
  readonly assumed: readonly BehaviorKey[]
  /** The approximate size in characters. */
  readonly size: number
}

/** The first requests of a project by the hash of their path and key, oldest first. */
interface ProjectKeys {
  readonly requests: Map<string, KeptRequest>
  size: number
}

/** The keys of each project. They are deleted when the state of the project is replaced. */
export type IdempotencyKeys = Map<string, ProjectKeys>

/** Deletes the keys of a project, or of all projects. */
export const deleteKeys = (keys: IdempotencyKeys, project: string | undefined): void => {
  if (project === undefined) keys.clear()
  else keys.delete(project)
}

/** The errors of the operations with keys. */
export const keyErrors = ['idempotencyKeyInvalid', 'idempotencyKeyReused'] as const satisfies readonly ErrorCode[]

/** The operations for which a second request has another effect than the first. */
export const keyedOperations: ReadonlySet<OperationId | undefined> = new Set([
  'createUser',
  'createPaymentLink',
  'cancelPaymentLink',
])

const maxKeys = 1000
/** The maximum size of the kept responses of a project, in characters. */
const maxSize = 16 * 1024 * 1024
/** Assumed: the same limit as for the values of metadata. */
export const maxKeyLength = 255

/** Returns the first request with this address, which is the hash of its path and key. */
export const findKept = (keys: IdempotencyKeys, project: string, address: string): KeptRequest | undefined =>
  keys.get(project)?.requests.get(address)

/** Keeps the first request with an address. Deletes the oldest requests of the project beyond its limits. */
export const keepRequest = (keys: IdempotencyKeys, project: string, address: string, kept: KeptRequest): void => {
  const own = keys.get(project) ?? { requests: new Map<string, KeptRequest>(), size: 0 }
  remove(own, address)
  own.requests.set(address, kept)
  own.size += kept.size
  for (const oldest of own.requests.keys()) {
    if (own.requests.size <= maxKeys && own.size <= maxSize) break
    remove(own, oldest)
  }
  keys.set(project, own)
}

const remove = (keys: ProjectKeys, address: string) => {
  keys.size -= keys.requests.get(address)?.size ?? 0
  keys.requests.delete(address)
}
