import type { LogEvent } from './schema/options.ts'
import type { OperationId } from './schema/operation.ts'
import type { Connection, Transport } from './wire/connection.ts'
import type { Answer as Answered } from './wire/respond.ts'

/** The part of a request context that the log shows. */
interface LoggedContext {
  readonly operation: { readonly id: OperationId } | undefined
  readonly requestId: string
  /** Undefined if the client receives nothing. */
  readonly response: Answered | undefined
}

type Answer = (request: Request, connection?: Connection, transport?: Transport) => Response | Promise<Response>

/** Handles a request. Calls back with its context if it is a request to the mocked API. */
type AnswerOpenly = (
  ...given: [...Parameters<Answer>, onContext?: (context: LoggedContext) => void]
) => ReturnType<Answer>

/** Logs each request that `answer` handles. */
export const logged =
  (answer: AnswerOpenly, log: (event: LogEvent) => void, now: () => number): Answer =>
  async (request, connection, transport) => {
    const start = now()
    let context = undefined as LoggedContext | undefined
    const tell = (answered: Response | Answered | undefined) =>
      log({
        event: 'request',
        method: request.method,
        path: new URL(request.url).pathname,
        operation: context?.operation?.id ?? null,
        status: answered?.status ?? null,
        code: codeOf(answered),
        requestId: context?.requestId ?? null,
        milliseconds: now() - start,
      })
    try {
      const response = await answer(request, connection, transport, (created) => (context = created))
      tell(context === undefined ? response : context.response)
      return response
    } catch (error) {
      // In process, a connection that a fault breaks is a call that fails.
      tell(undefined)
      throw error
    }
  }

/** The code in the body of an error. Null: it is no error, or its body has none. */
const codeOf = (answered: Response | Answered | undefined): string | null => {
  if (answered === undefined || answered.status < 400 || typeof answered.text !== 'string') return null
  try {
    const { code } = JSON.parse(answered.text) as { code?: unknown }
    return typeof code === 'string' ? code : null
  } catch {
    return null
  }
}
