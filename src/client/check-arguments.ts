import { Refusal } from '../schema/error.ts'
import { isFields } from '../schema/fields.ts'
import { quote } from '../schema/problem.ts'
import type { Call, Send } from '../schema/commands.ts'

/** Throws `invalidOptions` unless the value is a string. A missing id would make a call reach everything. */
export const requireString = (name: string, value: unknown): void => {
  if (typeof value === 'string') return
  throw new Refusal('invalidOptions', `${name} must be a string (got ${quote(value)}).`)
}

/** Returns the number, or throws if it is not finite: JSON would turn it into null. */
export const requireFinite = (name: string, value: number): number => {
  if (typeof value !== 'number' || Number.isFinite(value)) return value
  const message = `${name} must be an integer (got ${value}).`
  throw new Refusal('invalidBody', message, { details: [{ path: name, message }], status: 422 })
}

/** Checks the arguments of each call, since callers without types can pass anything. */
export const withCheckedCalls = (send: Send): Send => ({
  one: async (verb, call) => send.one(verb, checkCall(call)),
  all: async (verb, call) => send.all(verb, checkCall(call)),
  follow: (call, after) => send.follow(call, after),
})

const checkCall = (call: Call = {}): Call => {
  for (const [name, value] of Object.entries(call.params ?? {})) requireString(name, value)
  return call.query === undefined ? call : { ...call, query: toStrings(call.query) }
}

// A query has only strings, over HTTP as in process.
const toStrings = (query: object): Record<string, string> => {
  if (!isFields(query))
    throw new Refusal('invalidQuery', `The query must be an object (got ${quote(query)}).`, { status: 422 })
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}
