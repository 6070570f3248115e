import { errors } from './error.ts'
import { type Fields, isRecord } from './json-value.ts'
import { describeUnknownField, isSecretPath, quote } from './problem.ts'

/**
 * Throws `invalidOptions` unless the options of a call are an object.
 *
 * @param example valid options, for the message
 */
export function requireOptions(call: string, example: string, given: unknown): asserts given is Fields {
  if (isRecord(given)) return
  const message = `The options of ${call} must be an object, such as ${example} (got ${quote(given)}).`
  throw errors.invalidOptions({ message })
}

/** One check for each option. A check returns the requirement that a value violates, or undefined for a valid value. */
export type OptionChecks<T> = { readonly [K in keyof T]-?: (value: unknown) => string | undefined }

/**
 * Checks optional options. It needs no schema: loading zod takes several times as long as loading the client.
 *
 * @throws `invalidOptions` that lists every invalid and unknown option.
 */
export const checkOptions = <T>(call: string, example: string, checks: OptionChecks<T>, given: T): T => {
  requireOptions(call, example, given)
  const known = Object.keys(checks) as (keyof OptionChecks<T> & string)[]
  const invalid = known.flatMap((path) => {
    const value = given[path]
    const requirement = value === undefined ? undefined : checks[path](value)
    if (requirement === undefined) return []
    return [{ path, message: `${path} ${requirement}${isSecretPath(path) ? '' : ` (got ${quote(value)})`}.` }]
  })
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(checks, name))
  const problems = [...invalid, ...unknown.map((name) => describeUnknownField([], name, known))]
  if (problems.length > 0) throw errors.invalidOptions({ what: call, problems })
  return given
}
