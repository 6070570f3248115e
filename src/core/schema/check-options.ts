import { errors } from './error.ts'
import { type Fields, isRecord } from './json-value.ts'
import { describeUnknownField, isData, isSecretPath, type Parsed, quote } from './problem.ts'

/** Throws `invalidOptions` unless a value is valid. `requirement` says what it violates: `must be a string`. */
export const requireOption = (name: string, isValid: boolean, requirement: string, value: unknown): void => {
  if (!isValid) throw errors.invalidOptions({ message: `${name} ${requirement} (got ${quote(value)}).` })
}

/** One check for each option. A check returns the requirement that a value violates, or undefined for a valid value. */
export type OptionChecks<T> = { readonly [K in keyof T]-?: (value: unknown) => string | undefined }

/**
 * Checks the options of a call of the library, and returns them.
 *
 * @param example valid options, for the message about a value that is not an object
 * @param check parses the options by a schema, or has a check for each: loading zod takes several times as long as loading
 *   the client
 * @throws `invalidOptions` that lists every invalid and unknown option
 */
export const checkOptions = <T>(
  call: string,
  example: string,
  check: OptionChecks<T> | ((options: Fields) => Parsed<T>),
  options: unknown,
): T => {
  const isObject = isRecord(options) && isData(options)
  requireOption(`The options of ${call}`, isObject, `must be an object, such as ${example}`, options)
  const parsedOptions =
    typeof check === 'function' ? check(options as Fields) : checkEachOption(check, options as Fields)
  if (parsedOptions.ok) return parsedOptions.value
  throw errors.invalidOptions({ what: call, problems: parsedOptions.problems })
}

export const checkBoolean = (value: unknown): string | undefined =>
  typeof value === 'boolean' ? undefined : 'must be true or false'

const checkEachOption = <T>(checks: OptionChecks<T>, options: Fields): Parsed<T> => {
  const optionNames = Object.keys(checks) as (keyof OptionChecks<T> & string)[]
  const invalid = optionNames.flatMap((path) => {
    const optionValue = options[path]
    const requirement = optionValue === undefined ? undefined : checks[path](optionValue)
    if (requirement === undefined) return []
    return [{ path, message: `${path} ${requirement}${isSecretPath(path) ? '' : ` (got ${quote(optionValue)})`}.` }]
  })
  const unknownOptions = Object.keys(options).filter((name) => !Object.hasOwn(checks, name))
  const problems = [...invalid, ...unknownOptions.map((name) => describeUnknownField([], name, optionNames))]
  return problems.length === 0 ? { ok: true, value: options as T } : { ok: false, problems }
}
