import { defineError, type ErrorContent } from '../error-definition.ts'
import { formatProblems, type Problem, quote } from '../problem.ts'
import { shorten } from '../text.ts'
import { explainReason, type UnknownId } from './http-errors.ts'

/** The problems of a value. `what` starts the message if there are several: `The request body`. */
export interface ProblemReport {
  readonly what: string
  readonly problems: readonly Problem[]
}

/** Describes problems whose messages belong to their checks, or a single problem of the whole value. */
export const describeReport = (report: ProblemReport | ErrorContent): ErrorContent =>
  'problems' in report ? { message: formatProblems(report.what, report.problems), details: report.problems } : report

/** A cursor that is not the id of a record of the list. */
export interface WrongCursor extends UnknownId {
  readonly name: 'after' | 'before'
}

const describeCursor = (cursor: WrongCursor, message: string): ErrorContent => {
  const { name, id, text, project } = cursor
  const problem = `${name} must be the id of a ${text} of project '${project}' (got '${id}').`
  return { message, hint: explainReason(cursor), details: [{ path: name, message: problem }] }
}

const malformedBodies = {
  empty: { message: 'The request body is empty.', hint: 'Send a JSON object.' },
  incomplete: { message: 'The request body is incomplete.', hint: 'Send the whole body.' },
  notUtf8: { message: 'The request body is not UTF-8.', hint: 'Send JSON, encoded as UTF-8.' },
  severalOutcomes: { message: 'outcome must be sent once.' },
}

/** Formats a duplicate key for a message. */
export const formatKey = (key: string): string => (key === '' ? 'a key' : `the key ${shorten(key, 40)}`)

/** The errors of queries, bodies and the state that they need, by code. */
export const contentErrors = {
  invalidQuery: defineError(400, 'A query parameter is invalid.', describeReport, {
    what: 'The query',
    problems: [{ path: 'limit', message: "limit must be an integer from 0 to 200 (got 'ten')." }],
  }),
  cursorNotFound: defineError(
    400,
    'A cursor is not the id of a record of this list.',
    (cursor: WrongCursor) =>
      describeCursor(cursor, `No ${cursor.text} '${cursor.id}' in project '${cursor.project}' to list from.`),
    { name: 'after', id: 'usr_x', project: 'acme', text: 'user' },
  ),
  cursorDeleted: defineError(
    400,
    { summary: 'A cursor is the id of a deleted record.', condition: '`deletedCursor=reject`, the default' },
    (cursor: WrongCursor) =>
      describeCursor(
        cursor,
        `The ${cursor.text} '${cursor.id}' of project '${cursor.project}' was deleted, so it is not a valid cursor.`,
      ),
    { name: 'after', id: 'usr_x', project: 'acme', text: 'user', reason: { is: 'deleted' } },
  ),
  bodyTooLarge: defineError(
    413,
    'The request body is too large.',
    (limit: number, of: 'request' | 'state' = 'request') => ({
      message: `The request body must be at most ${limit} bytes.`,
      // `--body-limit` does not apply to the control API.
      hint:
        of === 'state'
          ? 'Start with a seed file, or let `generate` create the records.'
          : 'The limit is set with --body-limit.',
    }),
    1_048_576,
    'request',
  ),
  unsupportedMediaType: defineError(
    415,
    'The request body is not sent as JSON.',
    (
      sent:
        | { readonly contentType: string }
        | { readonly coding: string }
        | { readonly form: string; readonly got: string },
    ) => {
      if ('form' in sent) return { message: `The form must be sent as ${sent.form} (got ${quote(sent.got)}).` }
      if ('contentType' in sent)
        return {
          message: `The request body must be sent as JSON (got '${sent.contentType}').`,
          hint: "Send 'Content-type: application/json'.",
        }
      const message = `The request body must not have a Content-Encoding (got '${sent.coding}').`
      return {
        message,
        hint: "Leave 'Content-Encoding' out.",
        details: [{ path: 'headers.content-encoding', message }],
      }
    },
    { contentType: 'text/plain' },
  ),
  malformedBody: defineError(
    400,
    'The request body is not valid JSON.',
    (
      sent:
        | keyof typeof malformedBodies
        | { readonly text: string | undefined }
        | { readonly maxDepth: number }
        | { readonly duplicateKey: string }
        | { readonly outcome: string | undefined },
    ) => {
      if (typeof sent === 'string') return malformedBodies[sent]
      if ('text' in sent) {
        const got = sent.text === undefined ? '' : ` (got ${shorten(sent.text, 40)})`
        return { message: `The request body is not valid JSON${got}.`, hint: 'Send a JSON object.' }
      }
      if ('maxDepth' in sent)
        return { message: `The request body nests deeper than ${sent.maxDepth} levels.`, hint: 'Send flatter JSON.' }
      if ('duplicateKey' in sent)
        return {
          message: `The request body has ${formatKey(sent.duplicateKey)} twice in one object.`,
          hint: 'Send each key once.',
        }
      return {
        message:
          sent.outcome === undefined
            ? "outcome is required: 'succeeded' or 'failed'."
            : `outcome must be 'succeeded' or 'failed' (got ${quote(sent.outcome)}).`,
      }
    },
    { text: '{"email":' },
  ),
  invalidBody: defineError(422, 'The request body is JSON but violates the schema.', describeReport, {
    what: 'The request body',
    problems: [{ path: 'email', message: 'email is required.' }],
  }),
  idempotencyKeyInvalid: defineError(
    400,
    { summary: 'The Idempotency-Key header is empty or too long.', condition: '`idempotencyKey=replay`' },
    (max: number, got: number) => ({
      message: `The Idempotency-Key header must have 1 to ${max} characters (got ${got}).`,
    }),
    255,
    0,
  ),
  idempotencyKeyReused: defineError(
    422,
    { summary: 'The Idempotency-Key was sent before, with another body.', condition: '`idempotencyKey=replay`' },
    (key: string) => ({
      message: `The Idempotency-Key '${key}' was sent before, with another body.`,
      hint: 'Send a new key with each new request.',
    }),
    'order-1',
  ),
  invoiceNotFound: defineError(
    422,
    { summary: 'The project has no such invoice.', condition: '`invoiceIds=seeded`' },
    ({ invoice, project }: { readonly invoice: string; readonly project: string }) => ({
      message: `No invoice '${invoice}' in project '${project}'.`,
      hint: `The seed lists its invoices under 'projects.${project}.invoices'.`,
      details: [{ path: 'invoice', message: `invoice must be one of the invoices of the project (got '${invoice}').` }],
    }),
    { invoice: 'inv_x', project: 'acme' },
  ),
  paymentLinkNotActive: defineError(
    409,
    'The payment link is not active.',
    ({ id, status }: { readonly id: string; readonly status: string }, action: 'paid' | 'canceled') => ({
      message: `Payment link '${id}' cannot be ${action}: it is ${status}.`,
      hint: 'Only an active link can be paid or canceled.',
    }),
    { id: 'pml_x', status: 'completed' },
    'canceled',
  ),
  emailTaken: defineError(
    409,
    { summary: 'Another user of the project has this email.', condition: '`duplicateEmail=conflict`' },
    ({ id, project, email }: { readonly id: string; readonly project: string; readonly email: string }) => ({
      message: `User '${id}' of project '${project}' has the email '${email}'.`,
      details: [{ path: 'email', message: `email must differ from that of other users (got '${email}').` }],
    }),
    { id: 'usr_x', project: 'acme', email: 'ada@example.com' },
  ),
}
