import type { LogEvent } from '../schema/options.ts'

export type LogFormat = 'pretty' | 'json' | 'silent'

/** Says what happens on a stream that is not stdout: the ready line alone is there. */
export const createLog = (
  format: LogFormat,
  write: (line: string) => void,
  now: () => number = Date.now,
): ((event: LogEvent) => void) => {
  switch (format) {
    case 'silent':
      return () => {}
    case 'json':
      return (event) => write(JSON.stringify({ time: new Date(now()).toISOString(), ...plain(event) }))
    case 'pretty':
      return (event) => write(sentence(event))
  }
}

const sentence = (event: LogEvent): string => {
  switch (event.event) {
    case 'request':
      return `${event.status ?? '---'} ${event.method} ${printable(event.path)} (${event.milliseconds} ms)`
    case 'projectCreated':
      return `Project '${printable(event.project)}' is new: no seed declares it, so it starts from the template.`
    case 'seedReloaded':
      return `The seed ${printable(event.file)} has changed and was reloaded.`
    case 'seedRefused':
      return `The seed ${printable(event.file)} has changed, and the old state stays: ${printable(event.message)}`
    case 'error':
      return `Failed to answer a request: ${stackOf(event.error)}`
  }
}

const plain = (event: LogEvent) => (event.event === 'error' ? { ...event, error: stackOf(event.error) } : event)

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

/** Text of others, without the control characters that a terminal would obey. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, '?')
