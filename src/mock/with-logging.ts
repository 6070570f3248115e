import type { LogEvent } from '../schema/mock-options.ts'
import type { OperationId } from '../schema/operation-routes.ts'
import type { Connection, IncomingRequest, Transport } from '../wire/transport.ts'
import type { ResponseData, OutgoingResponse } from '../wire/respond.ts'
import { parseJsonIfValid, isRecord } from '../schema/json-value.ts'

/** The part of a request context that the log shows. */
interface LoggedContext {
  readonly operation: { readonly id: OperationId } | undefined
  readonly requestId: string
  /** Undefined if the client receives nothing. */
  readonly response: ResponseData | undefined
}

/** Handles a request. Calls `onContext` with its context if it is a request to the mocked API. */
export type HandleWithContext<C extends LoggedContext> = (
  request: IncomingRequest,
  connection: Connection | undefined,
  transport: Transport,
  onContext?: (context: C) => void,
) => OutgoingResponse | Promise<OutgoingResponse>

/** Returns a handler that logs each request. */
export const withLogging =
  <C extends LoggedContext>(
    handle: HandleWithContext<C>,
    log: (event: LogEvent) => void,
    now: () => number,
  ): HandleWithContext<C> =>
  async (request, connection, transport, onContext) => {
    const start = now()
    let context = undefined as C | undefined
    const logRequest = (response: OutgoingResponse | ResponseData | undefined) =>
      log({
        event: 'request',
        method: request.method,
        path: new URL(request.url).pathname,
        operation: context?.operation?.id ?? null,
        status: response?.status ?? null,
        code: getErrorCode(response),
        requestId: context?.requestId ?? null,
        milliseconds: now() - start,
      })
    try {
      const response = await handle(request, connection, transport, (created) => {
        context = created
        onContext?.(created)
      })
      logRequest(context === undefined ? response : context.response)
      return response
    } catch (error) {
      // In process, a fault that breaks the connection makes the call fail.
      logRequest(undefined)
      throw error
    }
  }

/** Returns the code of an error response. Null if the response is not an error, or its body has no code. */
const getErrorCode = (response: OutgoingResponse | ResponseData | undefined): string | null => {
  if (response === undefined || response.status < 400 || typeof response.text !== 'string') return null
  const body = parseJsonIfValid(response.text)
  return isRecord(body) && typeof body.code === 'string' ? body.code : null
}
