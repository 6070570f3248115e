import { type ErrorCode, errorCodes, type Problem, Refusal } from '../schema/error.ts'
import { type Json, refOf } from './json-schema.ts'
import { json, problemJson } from './media-type.ts'

/** What a document says of a refusal beyond its row in the table of codes: an example, as it is sent. */
export interface ErrorDocs {
  /** The status, where it is not that of the table. */
  readonly status?: number
  /** What must be set for it to occur. */
  readonly when?: string
  /** Another status that it may have, and what must be set for that. */
  readonly otherwise?: { readonly status: number; readonly when: string }
  readonly message: string
  readonly hint?: string
  readonly details?: readonly Problem[]
}

export interface DocumentedErrors {
  /** The refusals that every route has, and those of a route with a body. */
  readonly all: readonly ErrorCode[]
  readonly body: readonly ErrorCode[]
  /** Every refusal that the document knows. */
  readonly docs: Readonly<Partial<Record<ErrorCode, ErrorDocs>>>
}

type Headers = Readonly<Record<string, Json>>

/** The responses of a route that refuse, by status. What all routes share is named, and stands once. */
export const errorResponses = (errors: DocumentedErrors, own: readonly ErrorCode[], headers: Headers): Json => {
  const shared = byStatus(errors, errors.all)
  return Object.fromEntries(
    [...byStatus(errors, [...errors.all, ...own])].map(([status, codes]) => [
      status,
      codes.length === shared.get(status)?.length
        ? refOf('responses', sharedName(codes))
        : responseOf(errors, status, codes, headers),
    ]),
  )
}

/** The refusals that all routes share, by name. */
export const sharedErrorResponses = (errors: DocumentedErrors, headers: Headers): Json =>
  Object.fromEntries(
    [...byStatus(errors, errors.all)].map(([status, codes]) => [
      sharedName(codes),
      responseOf(errors, status, codes, headers),
    ]),
  )

/** An error object for each of these refusals, as it is sent. */
export const errorExamples = ({ docs }: DocumentedErrors, codes: readonly ErrorCode[]): Json =>
  Object.fromEntries(
    codes.map((code) => {
      const { message = '', hint, details } = docs[code] ?? {}
      return [code, { summary: errorCodes[code][2], value: new Refusal(code, message, { hint, details }).toJSON() }]
    }),
  )

/** The two forms of a refusal: the error object, and the problem of RFC 9457. */
export const errorSchemas = ({ docs }: DocumentedErrors): Json => {
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
  const types = [...new Set(codes.map((one) => errorCodes[one][1]))]
  return {
    Error: closed(
      {
        object: { const: 'error' },
        type: { ...text('The class of the refusal.'), enum: types },
        code,
        message: text('What was asked, what is wrong, and what would work.'),
        hint,
        details,
      },
      ['hint', 'details'],
      'What every refusal answers. Assumed: the specification shows no format (§7).',
    ),
    Problem: closed(
      {
        type: { ...text('Names the case.'), examples: ['urn:paylink-mock:error:userNotFound'] },
        title: text('The case in one sentence.'),
        status: { type: 'integer', description: 'The status of the response.' },
        detail: text('What was asked, what is wrong, and what would work.'),
        code,
        hint,
        details,
      },
      ['hint', 'details'],
      'A refusal as a problem of RFC 9457, with `errorFormat=problem`.',
    ),
  }
}

const closed = (properties: Json, optional: readonly string[] = [], description?: string): Json => ({
  type: 'object',
  ...(description !== undefined && { description }),
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

const byStatus = ({ docs }: DocumentedErrors, codes: readonly ErrorCode[]): Map<number, ErrorCode[]> => {
  const found = new Map<number, ErrorCode[]>()
  for (const code of codes)
    for (const status of [docs[code]?.status ?? errorCodes[code][0], docs[code]?.otherwise?.status])
      if (status !== undefined) found.set(status, [...(found.get(status) ?? []), code])
  return found
}

// The class names what all routes share: each of these has a status of its own.
const sharedName = ([code]: readonly ErrorCode[]): string => {
  const type = errorCodes[code!][1]
  return `${type[0]!.toUpperCase()}${type.slice(1)}`
}

const responseOf = (errors: DocumentedErrors, status: number, codes: readonly ErrorCode[], headers: Headers): Json => ({
  description: codes.map((code) => sentenceOf(errors, status, code)).join('\n'),
  headers: { ...headers, ...headersOf(status) },
  content: {
    [json]: {
      schema: { allOf: [refOf('schemas', 'Error'), onlyCodes(codes)] },
      examples: Object.fromEntries(codes.map((code) => [code, refOf('examples', code)])),
    },
    [problemJson]: { schema: { allOf: [refOf('schemas', 'Problem'), onlyCodes(codes)] } },
  },
})

const onlyCodes = (codes: readonly ErrorCode[]): Json => ({
  type: 'object',
  properties: { code: { type: 'string', enum: codes } },
})

const sentenceOf = ({ docs }: DocumentedErrors, status: number, code: ErrorCode): string => {
  const { when, otherwise } = docs[code] ?? {}
  const condition = otherwise?.status === status ? otherwise.when : when
  return `- \`${code}\`: ${errorCodes[code][2]}${condition === undefined ? '' : ` Occurs with ${condition}.`}`
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
