import { invalidControlQuery, MockError } from '../schema/error.ts'
import { isRecord } from '../schema/is-record.ts'
import { quote } from '../schema/problem.ts'
import { isSandboxName } from '../schema/url.ts'
import type { Call, ControlClient } from '../schema/command.ts'

/** Throws `invalidOptions` unless the value is a string. With a missing id, a call would apply to everything. */
export const requireString = (name: string, value: unknown): void => {
  if (typeof value === 'string') return
  throw new MockError('invalidOptions', `${name} must be a string (got ${quote(value)}).`)
}

/** Throws `invalidOptions` unless the value can name a sandbox. */
export const requireSandboxName = (name: string): void => {
  requireString('sandbox', name)
  if (isSandboxName(name)) return
  throw new MockError(
    'invalidOptions',
    `sandbox must be 1 to 64 letters, digits, '-', '_', '.' or '~' (got ${quote(name)}).`,
  )
}

/** Returns the number, or throws if it is not finite: JSON would turn it into null. */
export const requireFinite = (name: string, value: number): number => {
  if (typeof value !== 'number' || Number.isFinite(value)) return value
  const message = `${name} must be an integer (got ${value}).`
  throw new MockError('invalidBody', message, { details: [{ path: name, message }] })
}

/** Wraps a client to check arguments at run time, for callers without types. */
export const checkCalls = (client: ControlClient): ControlClient => ({
  call: async (command, call) => client.call(command, call && checkCall(call)),
  follow: (call, after) => client.follow(call, after),
})

const checkCall = <K extends Call>(call: K): K => {
  for (const [name, value] of Object.entries(call.params ?? {})) requireString(name, value)
  return call.query === undefined ? call : { ...call, query: toStrings(call.query) }
}

// A query has only strings, over HTTP as in process.
const toStrings = (query: object): Record<string, string> => {
  if (!isRecord(query)) throw invalidControlQuery(`The query must be an object (got ${quote(query)}).`)
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}
