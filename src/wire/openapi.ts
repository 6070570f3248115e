import type { z } from 'zod'
import {
  type DocumentedErrors,
  errorExamples,
  errorResponses,
  errorSchemas,
  sharedErrorResponses,
} from './error-responses.ts'
import { toComponentSchemas, type Json, toJsonSchema, createRef } from './json-schema.ts'
import { json } from './media-type.ts'
import type { Route } from './route.ts'

/** Example values by name. A request and a response with the same name belong together. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** The documentation of a route. */
export interface RouteDocs {
  /** The name of one of the tags. */
  readonly tag: string
  readonly description: string
  /** The description of the successful response. */
  readonly success: string
  /** The description of the response with status 202. */
  readonly accepted?: string
  readonly requests?: Examples
  readonly responses?: Examples
  /** The optional headers of a request. */
  readonly requestHeaders?: Readonly<Record<string, Json>>
  /** The authentication, if it differs from the other routes. */
  readonly security?: readonly Json[]
}

interface Description {
  readonly title: string
  readonly description: string
  readonly version: string
  /** The URL or the path before all paths of the document. */
  readonly server: string
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** The alternatives of authentication. */
  readonly security: readonly Json[]
  /** Whether bodies with unknown fields are rejected. */
  readonly strictBodies: boolean
  /** The named schemas of the document. */
  readonly named: Readonly<Record<string, z.ZodType>>
  readonly routes: readonly Route[]
  // A method, so that it can require the routes of its own API.
  docsOf(route: Route): RouteDocs
  /** The descriptions of the path parameters. */
  readonly pathParameters: Readonly<Record<string, Json>>
  /** The headers that every response has or may have. */
  readonly headers: Readonly<Record<string, Json>>
  readonly errors: DocumentedErrors
}

/** Builds an OpenAPI 3.1 document from the routes and their documentation. */
export const describeRoutes = (description: Description): Json => {
  const { title, version, server, tags, security, routes } = description
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const item = (paths[route.path] ??= {})
    item[route.method.toLowerCase()] = operationOf(route, description)
  }
  return {
    openapi: '3.1.0',
    info: { title, version, description: description.description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: server, description: 'This mock.' }],
    security,
    tags,
    paths,
    components: componentsOf(description),
  }
}

const operationOf = (route: Route, description: Description): Json => {
  const docs = description.docsOf(route)
  return {
    operationId: route.id,
    summary: route.summary,
    description: docs.description,
    tags: [docs.tag],
    ...(docs.security && { security: docs.security }),
    parameters: parameterNames(route, description).map((name) => createRef('parameters', name)),
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: contentOf(createRef('schemas', bodyName(route, description)), docs.requests),
      },
    }),
    responses: {
      [route.status]: successOf(route, docs, description),
      ...(route.accepted && {
        202: {
          description: docs.accepted,
          headers: headerRefs(description.headers),
          content: contentOf(responseSchema(route.accepted, description)),
        },
      }),
      ...errorResponses(description.errors, route, headerRefs(description.headers)),
    },
  }
}

const successOf = (route: Route, docs: RouteDocs, description: Description): Json => ({
  description: docs.success,
  headers: headerRefs(description.headers),
  ...(route.event && { content: { 'text/event-stream': { schema: responseSchema(route.event, description) } } }),
  ...(route.response && {
    content: {
      ...(route.text && { 'text/plain; charset=utf-8': { schema: { type: 'string' } } }),
      ...contentOf(responseSchema(route.response, description), docs.responses),
    },
  }),
})

const responseSchema = (schema: z.ZodType, { named }: Description): Json => {
  const [name] = Object.entries(named).find(([, other]) => other === schema) ?? []
  return name === undefined ? toJsonSchema(schema, 'output') : createRef('schemas', name)
}

const contentOf = (schema: Json, examples?: Examples): Json => ({ [json]: { schema, ...(examples && { examples }) } })

const componentsOf = (description: Description): Json => {
  const { named, routes, pathParameters, headers, errors, strictBodies } = description
  const bodies = Object.fromEntries(
    routes.flatMap((route) => (route.body ? [[bodyName(route, description), route.body]] : [])),
  )
  return {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'Sent as `Authorization: Bearer <token>` (§5).' },
    },
    parameters: {
      ...Object.fromEntries(Object.entries(pathParameters).map(([name, docs]) => [name, pathParameter(name, docs)])),
      ...Object.assign({}, ...routes.map((route) => optionalParameters(route, description))),
    },
    headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [componentName(name), header])),
    schemas: {
      ...toComponentSchemas(named, 'output'),
      ...toComponentSchemas(bodies, strictBodies ? 'strict input' : 'input'),
      ...errorSchemas(errors),
    },
    responses: sharedErrorResponses(errors, headerRefs(headers)),
    examples: errorExamples(errors, routes),
  }
}

/** Routes with the same body share its schema, so that code generators make one type. */
const bodyName = ({ body }: Route, { routes }: Description): string => {
  const { id } = routes.findLast((other) => other.body === body)!
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Body`
}

const parameterNames = (route: Route, description: Description): string[] => [
  ...[...route.path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []),
  ...Object.keys(optionalParameters(route, description)),
]

const pathParameter = (name: string, parameter: Json): Json => ({ name, in: 'path', required: true, ...parameter })

/** The query parameters and headers by their names in the document, which are unique. */
const optionalParameters = (route: Route, description: Description): Record<string, Json> => {
  const headers = Object.entries(description.docsOf(route).requestHeaders ?? {})
  const inHeader = headers.map(([name, header]) => [componentName(name), { name, in: 'header', ...header }])
  return { ...queryParameters(route, description), ...Object.fromEntries(inHeader) }
}

const queryParameters = (route: Route, { routes, pathParameters }: Description): Record<string, Json> => {
  const taken = (name: string) =>
    Object.hasOwn(pathParameters, name) || routes.some((other) => differs(route, other, name))
  return Object.fromEntries(
    Object.entries(queryProperties(route)).map(([name, schema]) => [
      taken(name) ? `${route.id}_${name}` : name,
      queryParameter(name, schema),
    ]),
  )
}

/** Returns true if another route has a different parameter with this name. */
const differs = (route: Route, other: Route, name: string): boolean =>
  other.query !== route.query &&
  other.query?.shape[name] !== undefined &&
  JSON.stringify(queryProperties(other)[name]) !== JSON.stringify(queryProperties(route)[name])

const queryProperties = ({ query }: Route): Record<string, Json> =>
  query === undefined ? {} : ((toJsonSchema(query, 'input').properties ?? {}) as Record<string, Json>)

const queryParameter = (name: string, { description, ...schema }: Json): Json => ({
  name,
  in: 'query',
  ...(description !== undefined && { description }),
  // Several values are one string, separated by commas.
  ...(schema.type === 'array' && { style: 'form', explode: false }),
  schema,
})

const headerRefs = (headers: Description['headers']): Record<string, Json> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, createRef('headers', componentName(name))]))

const componentName = (name: string) => name.replaceAll('-', '')
