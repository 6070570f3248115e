import type { z } from 'zod/mini'
import { createExample, type ErrorCode, errorDefinitions, withStatus } from '../schema/error.ts'
import { type Json, toJsonSchema, createRef } from './json-schema.ts'
import { jsonType, problemJson } from '../http/json.ts'
import { createErrorResponseData } from '../http/respond.ts'
import { groupBy } from '../schema/json-value.ts'
import type { Behaviors } from '../schema/behavior.ts'

export interface DocumentedErrors {
  readonly format: Behaviors['errorFormat']
  /** A field that can have a problem, as an example. */
  readonly examplePath: string
  /** The errors that most routes have. The document has one response for each of their statuses. */
  readonly shared: readonly ErrorCode[]
  /** The errors of paths without a route. */
  readonly others: readonly ErrorCode[]
  /** The statuses that differ from those of the error table. */
  readonly statuses: Readonly<Partial<Record<ErrorCode, number>>>
  /** The configurations in which errors occur. */
  readonly conditions: Readonly<Partial<Record<ErrorCode, string>>>
  /** The errors with additional fields, and the name of their schema. */
  readonly extended?: {
    readonly name: string
    readonly description: string
    readonly codes: readonly ErrorCode[]
    readonly facts: z.ZodMiniType
  }
}

type RouteErrors = Readonly<Record<'errors', readonly ErrorCode[]>>
type HeaderSchemas = Readonly<Record<string, Json>>

export const buildErrorResponses = (errors: DocumentedErrors, route: RouteErrors, headers: HeaderSchemas): Json => {
  const sharedCodes = groupByStatus(errors, errors.shared)
  return Object.fromEntries(
    [...groupByStatus(errors, route.errors)].map(([status, codes]) => [
      status,
      codes.join() === sharedCodes.get(status)?.join()
        ? createRef('responses', getSharedName(codes))
        : buildResponse(errors, status, codes, headers),
    ]),
  )
}

export const buildSharedErrorResponses = (
  errors: DocumentedErrors,
  routes: readonly RouteErrors[],
  headers: HeaderSchemas,
): Json => {
  const codesOfRoutes = routes.map((route) => groupByStatus(errors, route.errors))
  return Object.fromEntries(
    [...groupByStatus(errors, errors.shared)]
      .filter(([status, codes]) =>
        codesOfRoutes.some((codesOfRoute) => codesOfRoute.get(status)?.join() === codes.join()),
      )
      .map(([status, codes]) => [getSharedName(codes), buildResponse(errors, status, codes, headers)]),
  )
}

export const buildErrorExamples = (errors: DocumentedErrors, routes: readonly RouteErrors[]): Json =>
  Object.fromEntries(
    listCodes(routes).map((code) => {
      const { summary } = errorDefinitions[code]
      const example = withStatus(createExample(code), errors.statuses[code])
      const value: unknown = JSON.parse(createErrorResponseData(example, {}, errors.format).text)
      return [code, { summary, value }]
    }),
  )

const listCodes = (routes: readonly RouteErrors[]): ErrorCode[] => [...new Set(routes.flatMap(({ errors }) => errors))]

export const buildErrorSchemas = (errors: DocumentedErrors, routes: readonly RouteErrors[]): Json => {
  const { format, extended, others } = errors
  const codes = [...listCodes(routes), ...others]
  const code = describeText('The exact case.', { enum: codes })
  const hint = describeText('How to fix the request.')
  const details = {
    type: 'array',
    description: 'All problems of the request.',
    items: buildClosedSchema({
      path: describeText('The field with the problem.', { examples: [errors.examplePath] }),
      message: describeText('The problem, and a valid value.'),
    }),
  }
  if (format === 'problem') {
    const problem = {
      type: describeText('The error code as a URN.', { examples: ['urn:paylink-mock:error:userNotFound'] }),
      title: describeText('The meaning of the code.'),
      status: { type: 'integer', description: 'The status of the response.' },
      detail: describeText('The problem, and how to fix it.'),
      code,
      hint,
      details,
    }
    return { Problem: buildClosedSchema(problem, 'An error as a problem of RFC 9457, with `errorFormat=problem`.') }
  }
  const error = {
    object: { type: 'string', const: 'error' },
    type: describeText('The class of the error.', {
      enum: [...new Set(codes.map((code) => errorDefinitions[code].type))],
    }),
    code,
    message: describeText('The problem, and how to fix it.'),
    hint,
    details,
  }
  return {
    ErrorObject: buildClosedSchema(error, 'The body of every error. Assumed: the specification shows no format (§7).'),
    ...(extended && {
      [extended.name]: buildClosedSchema(
        { ...error, ...(toJsonSchema(extended.facts, 'output').properties as Json) },
        extended.description,
      ),
    }),
  }
}

const describeText = (description: string, schema: Json = {}): Json => ({ type: 'string', description, ...schema })

const optionalFields = new Set(['hint', 'details'])

const buildClosedSchema = (properties: Json, description?: string): Json => ({
  type: 'object',
  ...(description !== undefined && { description }),
  properties,
  required: Object.keys(properties).filter((name) => !optionalFields.has(name)),
  additionalProperties: false,
})

const groupByStatus = ({ statuses }: DocumentedErrors, codes: readonly ErrorCode[]) => {
  const getStatus = (code: ErrorCode) => statuses[code] ?? errorDefinitions[code].status
  const groups = groupBy(codes, (code) => `${getStatus(code)}`)
  return new Map(groups.map((group) => [getStatus(group[0]), group]))
}

// The name is the type of the error. Two types have several statuses, so the first code is the name.
const getSharedName = ([code = 'internal']: readonly ErrorCode[]): string => {
  const type = errorDefinitions[code].type
  const responseName = type === 'invalidRequest' || type === 'internal' ? code : type
  return `${responseName.charAt(0).toUpperCase()}${responseName.slice(1)}`
}

const buildResponse = (
  { format, conditions, extended }: DocumentedErrors,
  status: number,
  codes: readonly ErrorCode[],
  headers: HeaderSchemas,
): Json => {
  const isExtended = extended !== undefined && codes.every((code) => extended.codes.includes(code))
  const schema = createRef('schemas', isExtended ? extended.name : format === 'problem' ? 'Problem' : 'ErrorObject')
  const descriptions = codes.map((code) => {
    const condition = conditions[code]
    return `- \`${code}\`: ${errorDefinitions[code].summary}${condition === undefined ? '' : ` Occurs with ${condition}.`}`
  })
  return {
    description: descriptions.join('\n'),
    headers: { ...headers, ...errorHeaders[status] },
    content: {
      [format === 'problem' ? problemJson : jsonType]: {
        schema: { allOf: [schema, { type: 'object', properties: { code: { type: 'string', enum: codes } } }] },
        examples: Object.fromEntries(codes.map((code) => [code, createRef('examples', code)])),
      },
    },
  }
}

const describeTextHeader = (description: string, schema: Json = {}): Json => ({
  description,
  schema: { type: 'string', ...schema },
})

/** The headers of an error response, besides those of every response. */
const errorHeaders: Readonly<Record<number, Json>> = {
  // RFC 9110, sections 15.5.2 and 15.5.6, requires the headers of 401 and 405.
  401: { 'WWW-Authenticate': { ...describeTextHeader('How to authenticate.', { const: 'Bearer' }), required: true } },
  405: {
    Allow: { ...describeTextHeader('The allowed methods.', { examples: ['GET, HEAD, OPTIONS'] }), required: true },
  },
  // Optional: a fault with the status 429 has its own headers.
  429: { 'Retry-After': describeTextHeader('Seconds until the next window.') },
}
