import { z } from 'zod'
import { documentation } from '../schema/documentation.ts'
import { type ErrorCode, errorCodes } from '../schema/error.ts'
import { json } from './media-type.ts'
import type { Route } from './route.ts'

type Json = Record<string, unknown>

interface Description {
  readonly title: string
  readonly description: string
  readonly version: string
  /** Schemas that stand in the document by name. */
  readonly named: Readonly<Record<string, z.ZodType>>
  readonly routes: readonly Route[]
  /** The refusals that every route has, and those of a route with a body. */
  readonly errors: { readonly all: readonly ErrorCode[]; readonly body: readonly ErrorCode[] }
  readonly tagOf: (route: Route) => string
}

/** An OpenAPI 3.1 document of a table of routes: the same rows that are routed and validated. */
export const describeRoutes = (description: Description): Json => {
  const { title, version, routes, tagOf } = description
  const bodies = Object.fromEntries(routes.flatMap((route) => (route.body ? [[bodyName(route), route.body]] : [])))
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const item = (paths[route.path] ??= {})
    item[route.method.toLowerCase()] = {
      operationId: route.id,
      summary: route.summary,
      tags: [tagOf(route)],
      parameters: [...pathParameters(route), ...queryParameters(route)],
      ...(route.body && { requestBody: { required: true, content: { [json]: { schema: ref(bodyName(route)) } } } }),
      responses: responsesOf(route, description),
    }
  }
  return {
    openapi: '3.1.0',
    info: { title, version, description: description.description, license: { name: 'MIT', identifier: 'MIT' } },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        ...schemasOf(description.named, 'output'),
        ...schemasOf(bodies, 'input'),
        Error: errorSchema,
      },
    },
  }
}

/** The JSON Schema of one value, as documents and editors read it. */
export const jsonSchemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { ...conversion, io })
  return rest
}

/** The JSON Schema of a document of ours: unknown fields are mistakes, as they are when it is loaded. */
export const documentSchemaOf = (schema: z.ZodType): Json =>
  z.toJSONSchema(schema, {
    ...conversion,
    io: 'input',
    override: (context) => {
      conversion.override(context)
      const { jsonSchema } = context
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties ??= false
    },
  })

const errorSchema: Json = {
  type: 'object',
  description: 'What every refusal answers.',
  required: ['object', 'type', 'code', 'message'],
  properties: {
    object: { const: 'error' },
    type: { type: 'string', enum: [...new Set(Object.values(errorCodes).map(([, type]) => type))] },
    code: { type: 'string', enum: Object.keys(errorCodes) },
    message: { type: 'string' },
    hint: { type: 'string', description: 'What would work instead.' },
    details: {
      type: 'array',
      description: 'One entry for each problem.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

const conversion = {
  metadata: documentation,
  unrepresentable: 'any',
  // Where a format says what a value is, the pattern behind it is noise.
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  },
} as const

const schemasOf = (named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Json => {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { ...conversion, io, uri: (id) => `#/components/schemas/${id}` })
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]))
}

const bodyName = (route: Route) => `${route.id[0]!.toUpperCase()}${route.id.slice(1)}Body`
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const pathParameters = (route: Route): Json[] =>
  [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

const queryParameters = (route: Route): Json[] => {
  if (route.query === undefined) return []
  const { properties = {} } = jsonSchemaOf(route.query, 'input') as { properties?: Record<string, Json> }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    schema,
  }))
}

const responsesOf = (route: Route, { errors, named }: Description): Json => {
  const codes = [...errors.all, ...(route.body ? errors.body : []), ...(route.errors ?? [])]
  const [name] = Object.entries(named).find(([, schema]) => schema === route.response) ?? []
  const responses: Json = {
    [route.status]: {
      description: route.summary,
      ...(route.response && {
        content: { [json]: { schema: name ? ref(name) : jsonSchemaOf(route.response, 'output') } },
      }),
    },
  }
  for (const status of [...new Set(codes.map((code) => errorCodes[code][0]))].toSorted((a, b) => a - b)) {
    const here = codes.filter((code) => errorCodes[code][0] === status)
    responses[status] = {
      description: here.map((code) => `\`${code}\`: ${errorCodes[code][2]}`).join(' '),
      content: { [json]: { schema: ref('Error') } },
    }
  }
  return responses
}
