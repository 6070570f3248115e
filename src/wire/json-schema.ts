import * as z from 'zod'
import { documentation } from '../schema/documentation.ts'

/** A JSON value with named fields, as documents are put together from them. */
export type Json = Record<string, unknown>

type Direction = 'input' | 'output'

/** Input with no other fields than the schema's: others are mistakes. */
type Strictness = Direction | 'strict input'

/** The JSON Schema of one value, as documents and editors read it. */
export const jsonSchemaOf = (schema: z.ZodType, io: Direction): Json => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { ...conversion, io })
  return rest
}

/** The JSON Schema of a document of ours: unknown fields are mistakes, as they are when it is loaded. */
export const documentSchemaOf = (schema: z.ZodType): Json => z.toJSONSchema(schema, strict)

/** The JSON Schemas of a document, which refer to each other by name. */
export const componentSchemasOf = (named: Readonly<Record<string, z.ZodType>>, io: Strictness): Json => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const settings = io === 'strict input' ? strict : { ...conversion, io }
  const { schemas } = z.toJSONSchema(registry, { ...settings, uri: (id) => refOf('schemas', id).$ref })
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]))
}

/** The place of a named part of an OpenAPI document. */
export const refOf = (kind: 'schemas' | 'responses' | 'parameters' | 'headers' | 'examples', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
})

interface Converted {
  readonly zodSchema: z.core.$ZodType
  readonly jsonSchema: z.core.JSONSchema.BaseSchema
}

const conversion = {
  metadata: documentation,
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }: Converted) => {
    // Where a format says what a value is, zod's pattern behind it is noise; and what is no text has none.
    const isText = jsonSchema.type === 'string' || jsonSchema.type === undefined
    const isFormatted = jsonSchema.format !== undefined && zodSchema._zod.def.type === 'string'
    if (isFormatted || !isText) delete jsonSchema.pattern
    const { examples, default: fallback, pattern } = documentation.get(zodSchema as z.ZodType) ?? {}
    if (pattern !== undefined) jsonSchema.pattern = pattern as string
    // zod drops these two from a schema with a transform. The document describes the value before it.
    if (examples !== undefined) jsonSchema.examples = [...examples]
    if (fallback !== undefined) jsonSchema.default = fallback
    dropImpossible(jsonSchema.properties)
  },
} as const

/** A field without a possible value has only an error message. */
const dropImpossible = (properties: z.core.JSONSchema.BaseSchema['properties'] = {}): void => {
  for (const [name, schema] of Object.entries(properties))
    if (typeof schema === 'object' && JSON.stringify(schema) === '{"not":{}}') delete properties[name]
}

const strict = {
  ...conversion,
  io: 'input',
  override: (context: Converted) => {
    conversion.override(context)
    const { jsonSchema } = context
    if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties ??= false
  },
} as const
