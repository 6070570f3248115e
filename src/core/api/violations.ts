import type { ErrorCode, MockError } from '../schema/error.ts'
import type { Problem } from '../schema/problem.ts'
import { findInvoiceProblems } from '../domain/payment-links.ts'
import { isRecord } from '../schema/json-value.ts'
import { kinds } from '../domain/kinds.ts'
import { shorten } from '../schema/text.ts'
import type { Notes } from './outcome.ts'
import type { ApiRequest } from './request.ts'

/** The maximum number of violations of one request: its body may have any number of unknown fields. */
const maxViolations = 100
/** In characters: a path may be as long as the headers. */
const maxViolationText = 500

/** @param spec the violated section, by default that of the operation */
export const noteViolation = (
  { operation }: ApiRequest,
  notes: Notes,
  { path, message }: Problem,
  spec = operation?.spec ?? '§4',
): void => {
  if (notes.violations.length >= maxViolations) return
  const violation = { spec, path: shorten(path, maxViolationText), message: shorten(message, maxViolationText) }
  notes.violations = [...notes.violations, violation]
}

/** By default, the section is that of the operation, and the paths are those in the details of the error. */
const violatingErrors: Partial<Record<ErrorCode, { readonly spec?: string; readonly path?: string }>> = {
  tokenMissing: { spec: '§5', path: 'headers.authorization' },
  routeNotFound: { spec: '§4', path: 'path' },
  methodNotAllowed: { spec: '§4', path: 'method' },
  unsupportedMediaType: { spec: '§5', path: 'headers.content-type' },
  malformedBody: { spec: '§1', path: 'body' },
  invalidQuery: {},
  cursorNotFound: {},
  invalidBody: {},
}

export const noteError = (request: ApiRequest, notes: Notes, mockError: MockError): void => {
  noteWrongKind(request, notes, mockError)
  const violation = violatingErrors[mockError.code]
  if (violation === undefined) return
  const { spec, path = '' } = violation
  const problems = mockError.details ?? [{ path, message: mockError.message }]
  const notedMessages = new Set(notes.violations.map(({ message }) => message))
  for (const problem of problems) if (!notedMessages.has(problem.message)) noteViolation(request, notes, problem, spec)
}

/** Notes a violation if the invoice of a new link does not have its prefix, even if `invoiceIds` accepts it. */
export const noteInvoice = (request: ApiRequest, notes: Notes, body: unknown): void => {
  if (request.operation?.id !== 'createPaymentLink' || !isRecord(body)) return
  for (const problem of findInvoiceProblems(body.invoice)) noteViolation(request, notes, problem, '§2.1')
}

/** Notes a violation if an unknown id does not have the prefix of its resource. */
const noteWrongKind = (request: ApiRequest, notes: Notes, { code, message, hint }: MockError) => {
  const kind = Object.values(kinds).find(({ object }) => code === `${object}NotFound`)
  if (kind === undefined || message.includes(`'${kind.prefix}_`)) return
  noteViolation(request, notes, { path: 'path', message: `${message} ${hint ?? ''}`.trim() }, '§2.1')
}
