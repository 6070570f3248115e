import { isRecord } from './is-record.ts'
import * as z from 'zod'
import { maxProblems, type Problem } from './error.ts'
import { parse, type Parsed, unknownField } from './problem.ts'

/** Lists the fields of a value that its schema does not have, with the nearest known name. Stops after `maxProblems`. */
export const unknownFields = (schema: z.core.$ZodType, value: unknown): Problem[] => {
  const problems: Problem[] = []
  const areEnough = () => problems.length > maxProblems
  // One path for the whole walk: few places are ever reported, so a path for each would be wasted.
  const at: PropertyKey[] = []
  const lookBelow = (key: PropertyKey, below: z.core.$ZodType, item: unknown) => {
    at.push(key)
    look(below, item)
    at.pop()
  }
  const look = (schema: z.core.$ZodType, value: unknown) => {
    // Most values have no fields, and unwrapping a schema is slow.
    if (typeof value !== 'object' || areEnough()) return
    const inner = unwrap(schema, value)
    if (inner instanceof z.ZodArray && Array.isArray(value))
      value.forEach((item, index) => lookBelow(index, inner.element, item))
    else if (inner instanceof z.ZodRecord && isRecord(value))
      for (const key of Object.keys(value)) lookBelow(key, inner.valueType, value[key])
    else if (inner instanceof z.ZodObject && isRecord(value))
      for (const key of Object.keys(value)) {
        if (Object.hasOwn(inner.shape, key)) lookBelow(key, inner.shape[key] as z.ZodType, value[key])
        else if (!areEnough()) problems.push(unknownField(at, key, Object.keys(inner.shape)))
      }
  }
  look(schema, value)
  return problems
}

/** Like `parse`, and rejects unknown fields: otherwise a misspelled field would be ignored silently. */
export const parseStrict = <S extends z.ZodType>(schema: S, value: unknown): Parsed<z.output<S>> => {
  // A string instead of an object may be a token, so the message must not quote it.
  if (typeof value === 'string') return { ok: false, problems: [{ path: '', message: 'The value must be an object.' }] }
  const parsed = parse(schema, value)
  const problems = [...(parsed.ok ? [] : parsed.problems), ...unknownFields(schema, value)]
  return parsed.ok && problems.length === 0 ? parsed : { ok: false, problems }
}

type Schema = z.core.$ZodType | undefined

/**
 * Returns the schema below optional, nullable, default and transform. For a union, returns the option that the value is
 * meant for, or undefined if that is unclear.
 */
const unwrap = (schema: Schema, value: unknown): Schema => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap(), value)
  // A transform before a schema changes no fields. One after a schema is not about what the caller writes.
  if (schema instanceof z.ZodPipe) return unwrap(schema.in instanceof z.ZodTransform ? schema.out : schema.in, value)
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const name = schema.def.discriminator
    const option = schema.options.find(
      (one) => one instanceof z.ZodObject && isRecord(value) && one.shape[name]!.safeParse(value[name]).success,
    )
    return unwrap(option, value)
  }
  if (schema instanceof z.ZodUnion) {
    const objects = schema.options.filter((one) => one instanceof z.ZodObject)
    const option = schema.options.find((one) => z.safeParse(one, value).success)
    return unwrap(option ?? (objects.length === 1 ? objects[0] : undefined), value)
  }
  return schema
}
