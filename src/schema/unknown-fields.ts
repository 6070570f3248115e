import { isRecord } from './is-record.ts'
import * as z from 'zod'
import { maxProblems, type Problem } from './error.ts'
import { parse, type Parsed, describeUnknownField } from './problem.ts'

/** Lists the fields of a value that its schema does not have, with the nearest known name. Stops after `maxProblems`. */
export const findUnknownFields = (schema: z.core.$ZodType, value: unknown): Problem[] => {
  const problems: Problem[] = []
  const isFull = () => problems.length > maxProblems
  // One mutable path for the whole search: few fields are reported, and a path for each would be slow.
  const at: PropertyKey[] = []
  const searchBelow = (key: PropertyKey, below: z.core.$ZodType, item: unknown) => {
    at.push(key)
    search(below, item)
    at.pop()
  }
  const search = (schema: z.core.$ZodType, value: unknown) => {
    // Most values have no fields, and unwrapping a schema is slow.
    if (typeof value !== 'object' || isFull()) return
    const inner = unwrap(schema, value)
    if (inner instanceof z.ZodArray && Array.isArray(value))
      value.forEach((item, index) => searchBelow(index, inner.element, item))
    else if (inner instanceof z.ZodRecord && isRecord(value))
      for (const key of Object.keys(value)) searchBelow(key, inner.valueType, value[key])
    else if (inner instanceof z.ZodObject && isRecord(value))
      for (const key of Object.keys(value)) {
        if (Object.hasOwn(inner.shape, key)) searchBelow(key, inner.shape[key] as z.ZodType, value[key])
        else if (!isFull()) problems.push(describeUnknownField(at, key, Object.keys(inner.shape)))
      }
  }
  search(schema, value)
  return problems
}

/** Like `parse`, and rejects unknown fields: otherwise a misspelled field would be ignored silently. */
export const parseStrict = <S extends z.ZodType>(schema: S, value: unknown): Parsed<z.output<S>> => {
  // A string instead of an object may be a token, so the message must not quote it.
  if (typeof value === 'string') return { ok: false, problems: [{ path: '', message: 'The value must be an object.' }] }
  const parsed = parse(schema, value)
  const problems = [...(parsed.ok ? [] : parsed.problems), ...findUnknownFields(schema, value)]
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
  // The schema before a transform describes the input. A preprocess step has no schema before it.
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
