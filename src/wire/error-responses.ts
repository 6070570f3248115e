import type { z } from 'zod'
import { type ErrorCode, errorCodes, type Problem, MockError } from '../schema/error.ts'
import { type Json, jsonSchemaOf, refOf } from './json-schema.ts'
import { json, problemJson } from './media-type.ts'
import { errorContent, type ErrorFormat } from './respond.ts'
import type { Route } from './route.ts'

/** The documentation of an error beyond its code: an example. */
export interface ErrorDocs {
  /** The status, where it is not that of the table. */
  readonly status?: number
  /** The option that is needed for the error. */
  readonly when?: string
  readonly message: string
  readonly hint?: string
  readonly details?: readonly Problem[]
  /** The additional fields of the error object. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Errors that have further fields. */
interface ExtendedError {
  /** The name of their schema. */
  readonly name: string
  readonly description: string
  readonly codes: readonly ErrorCode[]
  readonly facts: z.ZodType
}

export interface DocumentedErrors {
  readonly format: ErrorFormat
  /** The errors that most routes have. The document has one response for each of their statuses. */
  readonly shared: readonly ErrorCode[]
  /** The errors of one route, all of them. */
  readonly of: (route: Route) => readonly ErrorCode[]
  /** Every error that the document knows. */
  readonly docs: Readonly<Partial<Record<ErrorCode, ErrorDocs>>>
  readonly extended?: ExtendedError
}

type Headers = Readonly<Record<string, Json>>

/** The error responses of a route, by status. */
export const errorResponses = (errors: DocumentedErrors, route: Route, headers: Headers): Json => {
  const shared = byStatus(errors, errors.shared)
  return Object.fromEntries(
    [...byStatus(errors, errors.of(route))].map(([status, codes]) => [
      status,
      codes.join() === shared.get(status)?.join()
        ? refOf('responses', sharedName(codes))
        : responseOf(errors, status, codes, headers),
    ]),
  )
}

/** The shared error responses, by name. */
export const sharedErrorResponses = (errors: DocumentedErrors, headers: Headers): Json =>
  Object.fromEntries(
    [...byStatus(errors, errors.shared)].map(([status, codes]) => [
      sharedName(codes),
      responseOf(errors, status, codes, headers),
    ]),
  )

/** An example of each error of a route. */
export const errorExamples = (errors: DocumentedErrors, routes: readonly Route[]): Json =>
  Object.fromEntries(
    [...new Set(routes.flatMap(errors.of))].map((code) => {
      const { message = '', ...options } = errors.docs[code] ?? {}
      const { content } = errorContent(new MockError(code, message, options), errors.format)
      return [code, { summary: errorCodes[code][2], value: JSON.parse(JSON.stringify(content)) as unknown }]
    }),
  )

/** The schemas of errors, in the format in which they are sent. */
export const errorSchemas = ({ docs, format, extended }: DocumentedErrors): Json => {
  const codes = Object.keys(docs) as ErrorCode[]
  const text = (description: string): Json => ({ type: 'string', description })
  const code = { ...text('The exact case.'), enum: codes }
  const hint = text('What would work instead, or where to look.')
  const details = {
    type: 'array',
    description: 'One entry for each thing that is wrong, all of them at once.',
    items: closed({
      path: { ...text('Where it stands in what was sent.'), examples: ['partner.user'] },
      message: text('What is wrong there, and what would be right.'),
    }),
  }
  const optional = ['hint', 'details']
  if (format === 'problem') {
    const problem = {
      type: { ...text('Names the case.'), examples: ['urn:paylink-mock:error:userNotFound'] },
      title: text('The case in one sentence.'),
      status: { type: 'integer', description: 'The status of the response.' },
      detail: text('What was asked, what is wrong, and what would work.'),
      code,
      hint,
      details,
    }
    return { Problem: closed(problem, optional, 'An error as a problem of RFC 9457, with `errorFormat=problem`.') }
  }
  const types = [...new Set(codes.map((one) => errorCodes[one][1]))]
  const error = {
    object: { const: 'error' },
    type: { ...text('The class of the error.'), enum: types },
    code,
    message: text('What was asked, what is wrong, and what would work.'),
    hint,
    details,
  }
  return {
    Error: closed(error, optional, 'The body of every error. Assumed: the specification shows no format (§7).'),
    ...(extended && {
      [extended.name]: closed({ ...error, ...propertiesOf(extended.facts) }, optional, extended.description),
    }),
  }
}

const propertiesOf = (schema: z.ZodType) => jsonSchemaOf(schema, 'output').properties as Json

const closed = (properties: Json, optional: readonly string[] = [], description?: string): Json => ({
  type: 'object',
  ...(description !== undefined && { description }),
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

const byStatus = ({ docs }: DocumentedErrors, codes: readonly ErrorCode[]): Map<number, ErrorCode[]> => {
  const found = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const status = docs[code]?.status ?? errorCodes[code][0]
    found.set(status, [...(found.get(status) ?? []), code])
  }
  return found
}

// The class names a response, except the one class that has several statuses.
const sharedName = ([code]: readonly ErrorCode[]): string => {
  const type = errorCodes[code!][1]
  const name = type === 'invalidRequest' ? code! : type
  return `${name[0]!.toUpperCase()}${name.slice(1)}`
}

const responseOf = (errors: DocumentedErrors, status: number, codes: readonly ErrorCode[], headers: Headers): Json => ({
  description: codes.map((code) => sentenceOf(errors, code)).join('\n'),
  headers: { ...headers, ...headersOf(status) },
  content: {
    [errors.format === 'problem' ? problemJson : json]: {
      schema: { allOf: [refOf('schemas', schemaName(errors, codes)), onlyCodes(codes)] },
      examples: Object.fromEntries(codes.map((code) => [code, refOf('examples', code)])),
    },
  },
})

const schemaName = ({ format, extended }: DocumentedErrors, codes: readonly ErrorCode[]): string => {
  if (extended !== undefined && codes.every((code) => extended.codes.includes(code))) return extended.name
  return format === 'problem' ? 'Problem' : 'Error'
}

const onlyCodes = (codes: readonly ErrorCode[]): Json => ({
  type: 'object',
  properties: { code: { type: 'string', enum: codes } },
})

const sentenceOf = ({ docs }: DocumentedErrors, code: ErrorCode): string => {
  const when = docs[code]?.when
  return `- \`${code}\`: ${errorCodes[code][2]}${when === undefined ? '' : ` Occurs with ${when}.`}`
}

// RFC 9110, sections 15.5.2 and 15.5.6: what these two must tell.
const headersOf = (status: number): Json => {
  if (status === 401) return { 'WWW-Authenticate': header('How to authenticate.', { const: 'Bearer' }) }
  if (status === 405) return { Allow: header('The methods that the path takes.', { examples: ['GET, HEAD, OPTIONS'] }) }
  return {}
}

const header = (description: string, schema: Json): Json => ({
  description,
  required: true,
  schema: { type: 'string', ...schema },
})
