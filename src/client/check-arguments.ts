import { errors, invalidControlQuery } from '../schema/error.ts'
import { isRecord } from '../schema/json-value.ts'
import { formatPath, type Problem, quote } from '../schema/problem.ts'
import { isSandboxName, sandboxNameForm } from '../schema/url.ts'
import type { Call, ControlClient } from '../schema/command.ts'

/** Throws `invalidOptions` unless the value is a string. With a missing id, a call would apply to everything. */
export const requireString = (name: string, value: unknown): void => {
  if (typeof value === 'string') return
  throw errors.invalidOptions({ message: `${name} must be a string (got ${quote(value)}).` })
}

/** Throws `invalidOptions` unless the value can name a sandbox. */
export const requireSandboxName = (name: string): void => {
  requireString('sandbox', name)
  if (isSandboxName(name)) return
  throw errors.invalidOptions({
    message: `sandbox must be ${sandboxNameForm} (got ${quote(name)}).`,
  })
}

/** Throws `invalidBody` if a body contains a number that is not finite: JSON would turn it into null. */
const requireFiniteNumbers = (body: unknown): void => {
  const problems: Problem[] = []
  const seen = new WeakSet<object>()
  const visit = (value: unknown, path: readonly PropertyKey[]): void => {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      const name = formatPath(path)
      problems.push({ path: name, message: `${name || 'The value'} must be a finite number (got ${value}).` })
    }
    // An object that appears again has been checked. Others, such as dates, convert themselves.
    if (typeof value !== 'object' || value === null || seen.has(value) || 'toJSON' in value) return
    // The mock rejects a deeper body.
    if (path.length > 64) return
    seen.add(value)
    for (const [name, item] of Object.entries(value)) visit(item, [...path, Array.isArray(value) ? Number(name) : name])
  }
  visit(body, [])
  if (problems.length > 0) throw errors.invalidBody({ what: 'The request body', problems })
}

/** Wraps a client to check arguments at run time, for callers without types. */
export const checkCalls = (client: ControlClient): ControlClient => ({
  call: async (command, call) => client.call(command, call && checkCall(call)),
  follow: (call, after) => client.follow(call, after),
})

const checkCall = <K extends Call>(call: K): K => {
  for (const [name, value] of Object.entries(call.params ?? {})) requireString(name, value)
  requireFiniteNumbers(call.body)
  return call.query === undefined ? call : { ...call, query: toStrings(call.query) }
}

// A query has only strings, over HTTP as in process.
const toStrings = (query: object): Record<string, string> => {
  if (!isRecord(query)) throw invalidControlQuery({ message: `The query must be an object (got ${quote(query)}).` })
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}
