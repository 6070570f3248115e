// The requests of the code under test, as the mock sees them: their operation, their end, and what they read and write.
import type { Access, Core, ObservedRequest } from '../../mock/extension.ts'
import { type OperationId, operationIds, operationRoutes } from '../../schema/operation-routes.ts'
import { type ActorCall, anything } from './steps.ts'

/** A request of the code under test. */
export interface SentRequest {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The text of the body. Null if there is none, or it is not read yet. */
  body: string | null
}

/** A request as a call of an actor. Whoever handles it sets what becomes known of it. */
export class RequestCall implements ActorCall {
  /** The request as the mock saw it. Undefined until it arrives, and if it is for a part without operations, such as a page. */
  observed: ObservedRequest | undefined
  /** How many links a customer could pay when it had its turn. */
  links = 0
  /** Whether the code that sent it was killed: nobody receives the response. */
  isDead = false
  /** The response that was sent. */
  response: { readonly status: number; readonly text: string | null } | undefined
  /** Describes the fault that applied. Undefined: its id. */
  fault: string | null | undefined
  readonly #request: SentRequest
  readonly #description: string | undefined

  /** `description` is the same in each run. By default it is the method, the path and the body. */
  constructor(request: SentRequest, description?: string) {
    this.#request = request
    this.#description = description
  }

  describe(): string {
    const { method, path, body } = this.#request
    return this.#description ?? `${method} ${path} ${body ?? ''}`.trim()
  }

  getOperation(): OperationId | undefined {
    const { method, path } = this.#request
    return this.observed === undefined ? findOperation(method, path) : this.observed.operation?.id
  }

  countLinks(): number {
    return this.links
  }

  read() {
    const { method, path, body } = this.#request
    const response = this.isDead ? undefined : this.response
    return {
      operation: this.getOperation() ?? null,
      method,
      path,
      body,
      status: response?.status ?? null,
      response: response?.text ?? null,
      fault: this.fault === undefined ? (this.observed?.fault ?? null) : this.fault,
    }
  }
}

const patterns = operationIds.map((id) => {
  const { method, path } = operationRoutes[id]
  return { id, method, pattern: new RegExp(`${path.replace(/\{\w+\}/g, '[^/]+')}$`) }
})

/** Finds the operation of a call that the mock has not handled. The path may have a base path and a query. */
const findOperation = (method: string, path: string): OperationId | undefined => {
  const [pathname = ''] = path.split('?')
  return patterns.find(({ method: of, pattern }) => of === method.replace('HEAD', 'GET') && pattern.test(pathname))?.id
}

/** The beginning of the name of a header that only a call with a fault has. */
export const faultHeader = 'mock-explored-call'

type Fault = ReturnType<Core['listFaults']>[number]

/** Returns true unless the search has added a fault, for one of its calls. */
export const isForeignFault = ({ match }: Fault): boolean =>
  !Object.keys(match?.headers ?? {}).some((name) => name.startsWith(faultHeader))

/** Returns what a request reads and writes besides its transactions. A fault counts requests. */
export const listAccesses = (
  { project, idempotencyKey }: ObservedRequest,
  hasForeignFaults: boolean,
): readonly Access[] => {
  const isKeyed = idempotencyKey !== undefined
  return [{ project, part: isKeyed ? '*' : 'behaviors', isWrite: isKeyed }, ...(hasForeignFaults ? [anything] : [])]
}
