import * as z from 'zod/mini'
import { documentation } from '../schema/zod-helpers.ts'
import { isRecord } from '../schema/json-value.ts'

export type Json = Record<string, unknown>

export const toJsonSchema = (schema: z.ZodMiniType, io: 'input' | 'output'): Json => {
  const { $schema, ...otherKeywords } = z.toJSONSchema(schema, { ...conversion, io })
  return simplifyTypes(otherKeywords)
}

/** Returns the JSON Schema of a seed document. It allows no unknown fields, like the loader. */
export const toDocumentSchema = (schema: z.ZodMiniType): Json => z.toJSONSchema(schema, strictConversion)

/** Returns the named schemas of a document. They refer to each other by name. `strict input` allows no unknown fields. */
export const toComponentSchemas = (
  namedSchemas: Readonly<Record<string, z.ZodMiniType>>,
  io: 'input' | 'output' | 'strict input',
): Json => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(namedSchemas)) registry.add(schema, { id })
  const conversionSettings = io === 'strict input' ? strictConversion : { ...conversion, io }
  const { schemas } = z.toJSONSchema(registry, { ...conversionSettings, uri: (id) => createRef('schemas', id).$ref })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, simplifyTypes(schema)]),
  )
}

/** Most code generators support only unions of this form: null as a second type, all others as `anyOf`. */
const simplifyTypes = (schema: Json): Json => {
  const simplified: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, simplifyValue(value)]))
  const { type, anyOf, ...otherKeywords } = simplified
  if (Array.isArray(type) && !type.includes('null'))
    return { ...otherKeywords, anyOf: type.map((type: unknown) => ({ type })) }
  const [valueSchema, nullSchema] = Array.isArray(anyOf) && anyOf.length === 2 ? (anyOf as Json[]) : []
  const isNullable =
    nullSchema?.type === 'null' &&
    typeof valueSchema?.type === 'string' &&
    !('enum' in valueSchema || 'const' in valueSchema)
  return isNullable ? { ...valueSchema, ...otherKeywords, type: [valueSchema.type, 'null'] } : simplified
}

const simplifyValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(simplifyValue)
  return isRecord(value) ? simplifyTypes(value) : value
}

export const createRef = (kind: 'schemas' | 'responses' | 'parameters' | 'headers' | 'examples', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
})

interface ConversionContext {
  readonly zodSchema: z.core.$ZodType
  readonly jsonSchema: z.core.JSONSchema.BaseSchema
}

/** Any JSON value. Code generators need a type for each schema. */
const anyJson = [
  { type: ['object', 'null'], additionalProperties: true },
  ...['array', 'string', 'number', 'boolean'].map((type) => ({ type })),
]

const conversion = {
  metadata: documentation,
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }: ConversionContext) => {
    // A format makes zod's own pattern redundant, and only strings have patterns.
    const isFormatted = jsonSchema.format !== undefined && zodSchema._zod.def.type === 'string'
    if (isFormatted || jsonSchema.type !== 'string') delete jsonSchema.pattern
    if (zodSchema._zod.def.type === 'unknown') Object.assign(jsonSchema, { anyOf: anyJson })
    const { examples, default: fallback, pattern } = documentation.get(zodSchema as z.ZodMiniType) ?? {}
    if (pattern !== undefined) jsonSchema.pattern = pattern as string
    // Only a literal of JavaScript needs a backslash before a slash.
    if (jsonSchema.pattern !== undefined) jsonSchema.pattern = jsonSchema.pattern.replaceAll('\\/', '/')
    // zod drops these two from a schema with a transform. The document describes the value before it.
    if (examples !== undefined) jsonSchema.examples = [...examples]
    if (fallback !== undefined) jsonSchema.default = fallback
    dropImpossibleFields(jsonSchema.properties)
  },
} as const

/** Deletes the fields that no value can satisfy. They exist only for their error messages. */
const dropImpossibleFields = (properties: z.core.JSONSchema.BaseSchema['properties'] = {}): void => {
  for (const [name, schema] of Object.entries(properties))
    if (typeof schema === 'object' && schema.not !== undefined) delete properties[name]
}

const strictConversion = {
  ...conversion,
  io: 'input',
  override: (context: ConversionContext) => {
    conversion.override(context)
    const { jsonSchema } = context
    if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties ??= false
  },
} as const
