import { Refusal } from '../schema/error.ts'
import { isFields } from '../schema/fields.ts'
import { quote } from '../schema/problem.ts'
import type { Call, Send } from '../schema/commands.ts'

/** Refuses what is no text where something is named: left out of a call it would reach all, or whatever comes first. */
export const refuseNoText = (name: string, value: unknown): void => {
  if (typeof value === 'string') return
  throw new Refusal('invalidOptions', `${name} must be a string (got ${quote(value)}).`)
}

/** A number for a body. JSON would say null of an infinity, and the refusal too. */
export const finite = (name: string, value: number): number => {
  if (typeof value !== 'number' || Number.isFinite(value)) return value
  const message = `${name} must be an integer (got ${value}).`
  throw new Refusal('invalidBody', message, { details: [{ path: name, message }], status: 422 })
}

/** Carries calls as they are written in code, where the types may have been wrong. */
export const checkedCalls = (send: Send): Send => ({
  one: async (verb, call) => send.one(verb, checked(call)),
  all: async (verb, call) => send.all(verb, checked(call)),
  follow: (call, after) => send.follow(call, after),
})

const checked = (call: Call = {}): Call => {
  for (const [name, value] of Object.entries(call.params ?? {})) refuseNoText(name, value)
  return call.query === undefined ? call : { ...call, query: textsOf(call.query) }
}

/** A query is text, wherever it is sent to. */
const textsOf = (query: object): Record<string, string> => {
  if (!isFields(query))
    throw new Refusal('invalidQuery', `The query must be an object (got ${quote(query)}).`, { status: 422 })
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}
