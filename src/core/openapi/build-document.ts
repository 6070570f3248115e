import type { z } from 'zod/mini'
import {
  type DocumentedErrors,
  buildErrorExamples,
  buildErrorResponses,
  buildErrorSchemas,
  buildSharedErrorResponses,
} from './error-responses.ts'
import { toComponentSchemas, type Json, toJsonSchema, createRef } from './json-schema.ts'
import { jsonType } from '../http/json.ts'
import type { ErrorCode } from '../schema/error.ts'
import { version } from '../schema/version.ts'
import type { Examples, Route } from './route.ts'

export interface DocumentedRoute extends Route {
  readonly errors: readonly ErrorCode[]
  readonly tag: string
  readonly description: string
  /** A request and a response with the same name belong together. */
  readonly requests?: Examples
  readonly responses?: Examples
  readonly requestHeaders?: Readonly<Record<string, Json>>
  /** The authentication, if it differs from the other routes. */
  readonly security?: readonly Json[]
}

interface DocumentDescription {
  readonly title: string
  readonly description: string
  /** The URL or the path before all paths of the document. */
  readonly server: string
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** The alternatives of authentication. */
  readonly security: readonly Json[]
  /** Whether bodies with unknown fields are rejected. */
  readonly strictBodies: boolean
  readonly namedSchemas: Readonly<Record<string, z.ZodMiniType>>
  readonly routes: readonly DocumentedRoute[]
  readonly pathParameters: Readonly<Record<string, { readonly description: string; readonly example?: string }>>
  /** The headers that every response has or may have. */
  readonly headers: Readonly<Record<string, Json>>
  readonly errors: DocumentedErrors
}

/** A description with the properties of each query, which are built once: each route is compared with all others. */
interface PreparedDescription extends DocumentDescription {
  readonly queries: ReadonlyMap<Route['query'], Readonly<Record<string, Json>>>
}

export const buildDocument = (documentOptions: DocumentDescription): Json => {
  const { title, server, tags, security, routes } = documentOptions
  const queries = new Map(routes.map(({ query }) => [query, getQueryProperties(query)]))
  const description: PreparedDescription = { ...documentOptions, queries }
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const pathItem = (paths[route.path] ??= {})
    pathItem[route.method.toLowerCase()] = describeOperation(route, description)
  }
  return {
    openapi: '3.1.0',
    info: { title, version, description: documentOptions.description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: server, description: 'This mock.' }],
    security,
    tags,
    paths,
    components: buildComponents(description),
  }
}

const describeOperation = (route: DocumentedRoute, description: PreparedDescription): Json => ({
  operationId: route.id,
  summary: route.summary,
  description: route.description,
  tags: [route.tag],
  ...(route.security && { security: route.security }),
  parameters: listParameterNames(route, description).map((name) => createRef('parameters', name)),
  ...(route.body && {
    requestBody: {
      required: !route.body.safeParse(undefined).success,
      content: toJsonContent(createRef('schemas', getBodyName(route, description)), route.requests),
    },
  }),
  responses: {
    [route.status]: describeSuccess(route, description),
    ...(route.accepted && {
      202: {
        description: 'The payment is scheduled.',
        headers: createHeaderRefs(description.headers),
        content: toJsonContent(getResponseSchema(route.accepted, description)),
      },
    }),
    ...buildErrorResponses(description.errors, route, createHeaderRefs(description.headers)),
  },
})

const describeSuccess = (route: DocumentedRoute, description: DocumentDescription): Json => ({
  description: Object.values(route.responses ?? {})[0]?.summary ?? 'Success.',
  headers: createHeaderRefs(description.headers),
  ...(route.event && { content: { 'text/event-stream': { schema: getResponseSchema(route.event, description) } } }),
  ...(route.response && {
    content: {
      ...(route.text && { 'text/plain; charset=UTF-8': { schema: { type: 'string' } } }),
      ...toJsonContent(getResponseSchema(route.response, description), route.responses),
    },
  }),
})

const getResponseSchema = (schema: z.ZodMiniType, { namedSchemas }: DocumentDescription): Json => {
  const [name] = Object.entries(namedSchemas).find(([, otherSchema]) => otherSchema === schema) ?? []
  return name === undefined ? toJsonSchema(schema, 'output') : createRef('schemas', name)
}

const toJsonContent = (schema: Json, examples?: Examples): Json => ({
  [jsonType]: { schema, ...(examples && { examples }) },
})

const buildComponents = (description: PreparedDescription): Json => {
  const { namedSchemas, routes, pathParameters, headers, errors, strictBodies } = description
  const bodySchemas = Object.fromEntries(
    routes.flatMap((route) => (route.body ? [[getBodyName(route, description), route.body]] : [])),
  )
  return {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'Sent as `Authorization: Bearer <token>` (§5).' },
    },
    parameters: {
      ...Object.fromEntries(
        Object.entries(pathParameters).map(([name, { description, example }]) => [
          getPathParameterName(name),
          { name, in: 'path', required: true, description, schema: { type: 'string' }, ...(example && { example }) },
        ]),
      ),
      ...Object.assign({}, ...routes.map((route) => describeOptionalParameters(route, description))),
    },
    headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [toComponentName(name), header])),
    schemas: {
      ...toComponentSchemas(namedSchemas, 'output'),
      ...toComponentSchemas(bodySchemas, strictBodies ? 'strict input' : 'input'),
      ...buildErrorSchemas(errors, routes),
    },
    responses: buildSharedErrorResponses(errors, routes, createHeaderRefs(headers)),
    examples: buildErrorExamples(errors, routes),
  }
}

/** Routes with the same body share its schema, so that code generators make one type. */
const getBodyName = (route: Route, { routes }: DocumentDescription): string => {
  const { id } = routes.findLast(({ body }) => body === route.body) ?? route
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Body`
}

// Code generators make types of components: the name of a parameter must not be that of a schema.
const getPathParameterName = (name: string): string => `${name}InPath`

const listParameterNames = (route: DocumentedRoute, description: PreparedDescription): string[] => [
  ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => getPathParameterName(name)),
  ...Object.keys(describeOptionalParameters(route, description)),
]

/** Describes the query parameters and headers of a route, by their unique names in the document. */
const describeOptionalParameters = (route: DocumentedRoute, description: PreparedDescription): Record<string, Json> => {
  const headers = Object.entries(route.requestHeaders ?? {})
  const headerParameters = headers.map(([name, header]) => [toComponentName(name), { name, in: 'header', ...header }])
  return { ...describeQueryParameters(route, description), ...Object.fromEntries(headerParameters) }
}

const describeQueryParameters = (
  { id, query }: Route,
  { queries, pathParameters }: PreparedDescription,
): Record<string, Json> => {
  const queryProperties = queries.get(query) ?? {}
  // The name of a path parameter, or of a different parameter of another route.
  const isNameTaken = (name: string) =>
    Object.hasOwn(pathParameters, name) ||
    [...queries.values()].some(
      ({ [name]: other = queryProperties[name] }) => JSON.stringify(other) !== JSON.stringify(queryProperties[name]),
    )
  return Object.fromEntries(
    Object.entries(queryProperties).map(([name, schema]) => [
      isNameTaken(name) ? `${id}_${name}` : name,
      describeQueryParameter(name, schema),
    ]),
  )
}

const getQueryProperties = (query: Route['query']): Record<string, Json> =>
  query === undefined ? {} : ((toJsonSchema(query, 'input').properties ?? {}) as Record<string, Json>)

const describeQueryParameter = (name: string, { description, ...schema }: Json): Json => ({
  name,
  in: 'query',
  ...(description !== undefined && { description }),
  // Several values are one string, separated by commas.
  ...(schema.type === 'array' && { style: 'form', explode: false }),
  schema,
})

const createHeaderRefs = (headers: DocumentDescription['headers']): Record<string, Json> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, createRef('headers', toComponentName(name))]))

const toComponentName = (name: string) => name.replaceAll('-', '')
