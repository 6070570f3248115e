import type { LogEvent } from '../schema/options.ts'

export type LogFormat = 'pretty' | 'json' | 'silent'

/** What is logged: what happens in the mock, and to the command that runs it. */
type CommandEvent = LogEvent | { readonly event: 'warning'; readonly message: string } | { readonly event: 'stopping' }

/** Logs events, one line each. The stream must not be stdout, where the ready line is alone. */
export const createLog =
  (format: Exclude<LogFormat, 'silent'>, write: (line: string) => void) =>
  (event: CommandEvent): void =>
    write(format === 'json' ? jsonLine(plain(event)) : sentence(event))

/** A line of the JSON log: what happened, and when. */
export const jsonLine = (event: object): string => JSON.stringify({ time: new Date().toISOString(), ...event })

/** A warning, as a person reads it. */
export const warningText = (message: string): string => `Warning: ${printable(message)}`

const sentence = (event: CommandEvent): string => {
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
    case 'warning':
      return warningText(event.message)
    case 'stopping':
      return 'Stopping.'
  }
}

const plain = (event: CommandEvent) => (event.event === 'error' ? { ...event, error: stackOf(event.error) } : event)

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

/** Text of others, without the control characters that a terminal would obey. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, '?')
