import type { RequestOutcome } from '../api/outcome.ts'
import type { ApiRequest } from '../api/request.ts'
import type { Access } from '../domain/projects.ts'
import type { RecordChange } from '../domain/history.ts'
import type { OperationId } from '../schema/operation-routes.ts'

/** A request to the mocked API, when it arrives. */
export interface ObservedRequest extends Pick<ApiRequest, 'project' | 'idempotencyKey'> {
  readonly operation: { readonly id: OperationId } | undefined
}

/** `response` is undefined if the client received none. */
export interface ObservedOutcome extends Pick<RequestOutcome, 'id' | 'response' | 'changes' | 'violations'> {
  readonly fault: { readonly id: string } | undefined
}

/** Is called with each request to the mocked API when it arrives. Returns the listener of its outcome. */
export type OnArrival = (request: ObservedRequest) => ((outcome: ObservedOutcome) => void) | undefined

/** The listeners of a wing for a mock and its sandboxes. To hold a request, it calls `respond` of the core later. */
export interface Observer {
  /** Is called with each part of the state that a request or a command reads or writes. */
  readonly onAccess?: ((access: Access) => void) | undefined
  /** Is called after each change of a project. */
  readonly onCommit?: ((project: string, changes: readonly RecordChange[]) => void) | undefined
}
