import { isRecord } from './json-value.ts'
import * as z from 'zod/mini'
import { type FieldNoun, maxProblems, parse, type Parsed, type Problem, describeUnknownField } from './problem.ts'

/** Suggests the nearest known name of each field. Stops after `maxProblems`. */
export const findUnknownFields = (schema: z.core.$ZodType, value: unknown, noun?: FieldNoun): Problem[] => {
  const problems: Problem[] = []
  const hasMaxProblems = () => problems.length > maxProblems
  // One mutable path for the whole search: few fields are reported, and a path for each would be slow.
  const fieldPath: PropertyKey[] = []
  const searchField = (key: PropertyKey, fieldSchema: z.core.$ZodType, item: unknown) => {
    fieldPath.push(key)
    searchFields(fieldSchema, item)
    fieldPath.pop()
  }
  const searchFields = (schema: z.core.$ZodType, value: unknown) => {
    // Most values have no fields, and unwrapping a schema is slow.
    if (typeof value !== 'object' || hasMaxProblems()) return
    const def = findDefinition(schema, value)
    if (def?.type === 'array' && Array.isArray(value))
      value.forEach((item, index) => searchField(index, def.element, item))
    else if (def?.type === 'record' && isRecord(value))
      for (const key of Object.keys(value)) searchField(key, def.valueType, value[key])
    else if (def?.type === 'object' && isRecord(value))
      for (const key of Object.keys(value)) {
        if (Object.hasOwn(def.shape, key)) searchField(key, def.shape[key]!, value[key])
        else if (!hasMaxProblems())
          problems.push(
            describeUnknownField(fieldPath, key, Object.keys(def.shape), findParentFields(def.shape, key), noun),
          )
      }
  }
  searchFields(schema, value)
  return problems
}

/**
 * Not a `z.strictObject`: the mocked API ignores unknown fields of the same records, and a union of strict objects would not
 * say which field is unknown.
 */
export const strict = <S extends z.ZodMiniType>(schema: S) =>
  z.pipe(z.unknown().check(z.refine((value) => findUnknownFields(schema, value).length === 0)), schema)

/** Also rejects unknown fields: otherwise a misspelled field would be ignored silently. */
export const parseStrict = <S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
  noun?: FieldNoun,
): Parsed<z.output<S>> => {
  // A string instead of an object may be a token, so the message must not quote it.
  if (typeof value === 'string') {
    const [issue] = schema.safeParse(value).error?.issues ?? []
    const requirement = issue?.message.startsWith('must be an object') ? issue.message : 'must be an object'
    return { ok: false, problems: [{ path: '', message: `The value ${requirement}.` }] }
  }
  const parsed = parse(schema, value)
  const problems = [...(parsed.ok ? [] : parsed.problems), ...findUnknownFields(schema, value, noun)]
  return parsed.ok && problems.length === 0 ? parsed : { ok: false, problems }
}

const getDefinition = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def

/** Unwraps optional, nullable, default and transform. Returns undefined if no single option of a union fits the value. */
const findDefinition = (schema: z.core.$ZodType, value: unknown): ReturnType<typeof getDefinition> | undefined => {
  const def = getDefinition(schema)
  if (def.type === 'optional' || def.type === 'nullable' || def.type === 'default')
    return findDefinition(def.innerType, value)
  // The schema before a transform describes the input. A transform that comes first has no schema before it.
  if (def.type === 'pipe') return findDefinition(getDefinition(def.in).type === 'transform' ? def.out : def.in, value)
  if (def.type !== 'union') return def
  const { options } = def
  const option =
    'discriminator' in def ? findNamedOption(options, String(def.discriminator), value) : findOption(options, value)
  return option && findDefinition(option, value)
}

/** Returns the fields whose values have a field `key`, which may have been put one level too high. */
const findParentFields = (shape: Readonly<Record<string, z.core.$ZodType>>, key: string): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const def = findDefinition(schema, {})
    const isRecordOf = def?.type === 'record'
    const innerDefinition = isRecordOf ? findDefinition(def.valueType, {}) : def
    if (innerDefinition?.type !== 'object' || !Object.hasOwn(innerDefinition.shape, key)) return []
    return [isRecordOf ? `${name}.acme` : name]
  })

type UnionOptions = readonly z.core.$ZodType[]

const findNamedOption = (options: UnionOptions, discriminator: string, value: unknown) =>
  options.find((option) => {
    const def = getDefinition(option)
    const name = def.type === 'object' ? def.shape[discriminator] : undefined
    return name !== undefined && isRecord(value) && z.safeParse(name, value[discriminator]).success
  })

const findOption = (options: UnionOptions, value: unknown) => {
  const objects = options.filter((option) => ['object', 'record'].includes(getDefinition(option).type))
  const valid = options.find((option) => z.safeParse(option, value).success)
  return valid ?? (objects.length === 1 ? objects[0] : undefined)
}
