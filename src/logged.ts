import type { LogEvent } from './schema/options.ts'
import type { Connection, Line } from './wire/connection.ts'

type Answer = (request: Request, connection?: Connection, line?: Line) => Response | Promise<Response>

/** Answers, and tells of each request once it is answered, or broken. */
export const logged =
  (answer: Answer, log: (event: LogEvent) => void, now: () => number): Answer =>
  async (request, connection, line) => {
    const start = now()
    const tell = (status: number | null) => {
      const path = new URL(request.url).pathname
      log({ event: 'request', method: request.method, path, status, milliseconds: now() - start })
    }
    try {
      const response = await answer(request, connection, line)
      tell(line?.dropped ? null : response.status)
      return response
    } catch (error) {
      // In process a line that a fault has broken is a call that fails.
      tell(null)
      throw error
    }
  }
