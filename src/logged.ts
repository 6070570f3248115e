import type { LogEvent } from './schema/options.ts'
import type { OperationId } from './schema/operation.ts'
import type { Connection, Line } from './wire/connection.ts'
import type { Answer as Answered } from './wire/respond.ts'

/** What the log says of an exchange of the mocked API. */
interface LoggedExchange {
  readonly operation: { readonly id: OperationId } | undefined
  readonly requestId: string
  /** What the client is answered; undefined where it is answered nothing. */
  readonly answer: Answered | undefined
}

type Answer = (request: Request, connection?: Connection, line?: Line) => Response | Promise<Response>

/** Answers a request, and calls back once its exchange is opened, if it is one of the mocked API. */
type AnswerOpenly = (
  ...given: [...Parameters<Answer>, onExchange?: (exchange: LoggedExchange) => void]
) => ReturnType<Answer>

/** Answers, and tells of each request once it is answered, or broken. */
export const logged =
  (answer: AnswerOpenly, log: (event: LogEvent) => void, now: () => number): Answer =>
  async (request, connection, line) => {
    const start = now()
    let exchange = undefined as LoggedExchange | undefined
    const tell = (answered: Response | Answered | undefined) =>
      log({
        event: 'request',
        method: request.method,
        path: new URL(request.url).pathname,
        operation: exchange?.operation?.id ?? null,
        status: answered?.status ?? null,
        code: codeOf(answered),
        requestId: exchange?.requestId ?? null,
        milliseconds: now() - start,
      })
    try {
      const response = await answer(request, connection, line, (opened) => (exchange = opened))
      tell(exchange === undefined ? response : exchange.answer)
      return response
    } catch (error) {
      // In process a line that a fault has broken is a call that fails.
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
