import type { RequestContext } from '../api/request-context.ts'
import type { Access } from '../domain/projects.ts'
import type { RecordChange } from '../domain/history.ts'
import type { OperationId } from '../schema/operation-routes.ts'

/**
 * A request to the mocked API. It is passed on when the request arrives. When the request has ended, it also has the id of the
 * fault that applied, and the response, which is undefined if the client received none.
 */
export interface ObservedRequest extends Pick<
  RequestContext,
  'project' | 'requestId' | 'idempotencyKey' | 'fault' | 'response'
> {
  readonly operation: { readonly id: OperationId } | undefined
}

/** Is called with a request when it arrives, unless it is for another part of the mock, such as a page. */
export type OnArrival = (request: ObservedRequest) => void

/**
 * The listeners of an extension for a mock and its sandboxes. A single request has a listener of its own, `onArrival`. An
 * extension holds a request by calling `respond` of the core later.
 */
export interface Observer {
  /** Is called with each part of the state that a request or a command reads or writes. */
  readonly onAccess?: ((access: Access) => void) | undefined
  /** Is called after each change of a project, with its records before and after it. */
  readonly onCommit?: ((project: string, changes: readonly RecordChange[]) => void) | undefined
}
