import type { z } from 'zod'
import { Refusal } from './error.ts'
import { isFields } from './fields.ts'
import { problemsText, quote } from './problem.ts'
import { parseStrict } from './unknown-fields.ts'

/** The options that a call of the library was given. Throws a `Refusal` that names every wrong one. */
export const optionsOf = <S extends z.ZodType>(
  call: string,
  example: string,
  schema: S,
  given: unknown,
): z.output<S> => {
  if (!isFields(given)) {
    const message = `The options of ${call} must be an object, such as ${example} (got ${quote(given)}).`
    throw new Refusal('invalidOptions', message)
  }
  const parsed = parseStrict(schema, given)
  if (parsed.ok) return parsed.value
  throw new Refusal('invalidOptions', problemsText(call, parsed.problems), { details: parsed.problems })
}
