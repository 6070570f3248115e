import type { Call, CommandClient, CommandId } from '../control/commands.ts'
import { requireOption } from '../schema/check-options.ts'
import { type ErrorCode, hasCode, listLines, MockError, errors, invalidControlQuery } from '../schema/error.ts'
import { isRecord } from '../schema/json-value.ts'
import { isData, listJsonProblems, quote } from '../schema/problem.ts'

/** Calls a command for one project or for all. */
export type ScopedCall = CommandClient['call']

/** Creates the function that calls commands for one project or for all. It checks arguments, for callers without types. */
export const createScopedCall = (client: CommandClient, project: string | undefined): ScopedCall => {
  const scopeParams: Call['params'] = project === undefined ? {} : { project }
  const call = async (command: CommandId, { params = {}, query, body }: Call = {}): Promise<unknown> => {
    for (const [name, value] of Object.entries(params)) requireString(name, value)
    requireJson(body)
    const queryTexts = query === undefined ? {} : { query: toQueryStrings(query) }
    return client.call(command, { params: { ...scopeParams, ...params }, ...queryTexts, body })
  }
  return call as ScopedCall
}

export const getItems = <T>(list: { readonly items: T }): T => list.items

/** Returns the summary of a project, or the items of a list of all summaries. */
export const getSummary = <S>(response: object): S => ('items' in response ? response.items : response) as S

/** Throws `invalidOptions` unless the value is a string. With a missing id, a call would apply to everything. */
export function requireString(name: string, value: unknown): asserts value is string {
  requireOption(name, typeof value === 'string', 'must be a string', value)
}

/** With an id, calls `oneCommand`; without an argument, `allCommand`. Rejects an explicit undefined. */
export const createForAllOrOne =
  (call: ScopedCall, allCommand: CommandId, oneCommand: CommandId, name: string) =>
  async (...ids: readonly [id?: string]): Promise<void> => {
    if (ids.length === 0) return void (await call(allCommand))
    requireString(name, ids[0])
    await call(oneCommand, { params: { [name]: ids[0] } })
  }

/** Throws `invalidBody` unless the body is JSON: a matcher would match too much without the values that JSON drops. */
const requireJson = (body: unknown): void => {
  const problems = listJsonProblems(body)
  if (problems.length > 0) throw errors.invalidBody({ what: 'The request body', problems })
}

const numberParameters = new Set(['limit', 'status'])

// A query has only strings, over HTTP as in process.
const toQueryStrings = (query: object): Record<string, string> => {
  if (!isRecord(query) || !isData(query))
    throw invalidControlQuery({ message: `The query must be an object (got ${quote(query)}).` })
  const queryEntries = Object.entries(query).filter(([, value]) => value !== undefined)
  const problems = queryEntries.flatMap(([path, value]) => {
    const expectedType = numberParameters.has(path) ? 'number' : 'string'
    if (typeof value === 'string' || typeof value === expectedType) return []
    return { path, message: `${path} must be a ${expectedType} (got ${quote(value)}).` }
  })
  if (problems.length > 0) throw invalidControlQuery({ what: 'The query', problems })
  return Object.fromEntries(queryEntries.map(([name, value]) => [name, String(value)]))
}

type AnyFunction = (...args: readonly unknown[]) => unknown

// V8 and the other large engines have it. The language does not.
const { captureStackTrace } = Error as { captureStackTrace?: (target: object, omitted: AnyFunction) => void }

/**
 * Wraps the functions of an object and of the objects inside it. If a call rejects, the stack of the error starts at the
 * line that called the function: a test runner shows that line, and the mock's own lines would hide it.
 */
export const withCallerStack = <T extends object>(api: T): T => {
  const wrappedApi = { ...api }
  for (const key of Reflect.ownKeys(api)) {
    const value: unknown = Reflect.get(api, key)
    if (typeof value === 'function') Reflect.set(wrappedApi, key, wrapMethod(value as AnyFunction))
    if (typeof value === 'object' && value !== null) Reflect.set(wrappedApi, key, withCallerStack(value))
  }
  return wrappedApi
}

const wrapMethod = (method: AnyFunction): AnyFunction => {
  const wrappedMethod: AnyFunction = (...args) => runForCaller(wrappedMethod, () => method(...args))
  return wrappedMethod
}

/** Runs a function. If its promise rejects, the stack of the error starts at the line that called `calledMethod`. */
export const runForCaller = <T>(calledMethod: (...args: never) => unknown, run: () => T): T => {
  const callerStack: { readonly stack?: string } = {}
  captureStackTrace?.(callerStack, calledMethod as AnyFunction)
  const result = run()
  if (!(result instanceof Promise)) return result
  return result.catch((error: unknown) => {
    if (error instanceof Error) showCaller(error, /\n +at [^]*/.exec(callerStack.stack ?? '')?.[0] ?? '')
    throw error
  }) as T
}

const showCaller = (error: Error, callerLines: string): void => {
  if (callerLines === '') return
  // An unexpected error needs its own lines too. Runners print the stack, and not all of them print the hint.
  const messageLines = error instanceof MockError ? listLines(error).join('\n') : error.message
  const isExpected = error instanceof MockError || error.name === 'Error'
  const stackStart = isExpected ? `${error.name}: ${messageLines}` : error.stack
  // Fails without an exception for a frozen error.
  Reflect.set(error, 'stack', `${stackStart}${callerLines}`)
}

export const ignoreError =
  (code: ErrorCode) =>
  (error: unknown): void => {
    if (!hasCode(error, code)) throw error
  }
