import type { Behaviors } from '../schema/behavior.ts'
import type { ErrorCode } from '../schema/error.ts'
import type { DocumentedErrors, ErrorDocs } from '../wire/error-responses.ts'

const describeProblem = (path: string, message: string): Pick<ErrorDocs, 'message' | 'details'> => ({
  message,
  details: [{ path, message }],
})

/** An example of every error of the mocked API. */
const docs = {
  tokenMissing: {
    message: 'The Authorization header is missing.',
    hint: "Send 'Authorization: Bearer <token>'; any non-empty token is valid here.",
  },
  tokenInvalid: {
    when: 'configured tokens',
    message: 'The token is not one of the configured tokens.',
    hint: "Tokens are configured with --token, or in the seed under 'tokens'.",
  },
  tokenExpired: {
    when: 'configured tokens',
    message: 'The token has expired.',
    hint: 'It was valid until 2025-01-01T00:00:00.000Z.',
  },
  tokenNotForProject: {
    when: 'configured tokens and `wrongProjectToken=403`, the default',
    message: "The token is not valid for project 'acme'.",
    hint: "The projects of a token are listed in the seed under 'tokens'.",
  },
  routeNotFound: {
    message: 'No route matches GET /projects/acme/user.',
    hint: 'Similar routes: POST /projects/{project}/users, GET /projects/{project}/users.',
  },
  projectNotFound: {
    when: '`unknownProject=notFound` or `wrongProjectToken=404`',
    message: "No project 'acme'.",
    hint: 'Known projects: beta.',
  },
  userNotFound: { message: "No user 'usr_unknown' in project 'acme'." },
  paymentLinkNotFound: { message: "No payment link 'pml_unknown' in project 'acme'." },
  methodNotAllowed: {
    message: 'PUT is not allowed for /projects/acme/users.',
    hint: 'The allowed methods are POST, GET, HEAD, OPTIONS.',
  },
  notAcceptable: {
    when: '`requestHeaders=required`',
    message: "The Accept header must allow application/json (got 'text/html').",
    hint: "Send 'Accept: application/json'.",
  },
  unsupportedMediaType: {
    message: "The request body must be sent as JSON (got 'text/plain').",
    hint: "Send 'Content-type: application/json'.",
  },
  invalidQuery: describeProblem('limit', "limit must be an integer from 0 to 200 (got 'ten')."),
  cursorNotFound: {
    message: "No user 'usr_unknown' in project 'acme' to list from.",
    details: [{ path: 'after', message: "after must be the id of a user of project 'acme' (got 'usr_unknown')." }],
  },
  cursorDeleted: {
    when: '`deletedCursor=reject`, the default',
    message: "The user 'usr_deleted' of project 'acme' was deleted, so it is not a valid cursor.",
    hint: 'The user was deleted.',
    details: [{ path: 'after', message: "after must be the id of a user of project 'acme' (got 'usr_deleted')." }],
  },
  malformedBody: { message: 'The request body is empty.', hint: 'Send a JSON object.' },
  bodyTooLarge: {
    message: 'The request body must be at most 1048576 bytes.',
    hint: 'The limit is set with --body-limit.',
  },
  invalidBody: describeProblem('email', "email must be an email address such as 'ada@example.com' (got 'ada')."),
  emailTaken: {
    when: '`duplicateEmail=conflict`',
    message: "User 'usr_taken' of project 'acme' has the email 'ada@example.com'.",
    details: [{ path: 'email', message: "email must differ from that of other users (got 'ada@example.com')." }],
  },
  idempotencyKeyInvalid: {
    when: '`idempotencyKey=replay`',
    message: 'The Idempotency-Key header must have 1 to 255 characters (got 0).',
  },
  idempotencyKeyReused: {
    when: '`idempotencyKey=replay`',
    message: "The Idempotency-Key 'order-1' was sent before, with another body.",
    hint: 'Send a new key with each new request.',
  },
  invoiceNotFound: {
    when: '`invoiceIds=seeded`',
    message: "No invoice 'inv_100' in project 'acme'.",
    hint: "The seed lists its invoices under 'projects.acme.invoices'.",
    details: [{ path: 'invoice', message: "invoice must be one of the invoices of the project (got 'inv_100')." }],
  },
  paymentLinkNotActive: {
    message: "Payment link 'pml_canceled' cannot be canceled: it is canceled.",
    hint: 'Only an active link can be paid or canceled.',
  },
  rateLimited: {
    when: 'a fault that limits the rate',
    message: "Project 'acme' exceeded its rate limit of 1 request.",
    hint: 'The next window starts in 1000 ms of the mock clock. That clock is frozen: advance it with POST /__admin/projects/acme/clock/advance.',
  },
  injectedFault: {
    when: 'a fault with this status; another fault can have any other status',
    message: 'A fault responds with status 503.',
    hint: 'A test created it: GET /__admin/faults shows it.',
  },
  stateReplaced: { message: "The state of project 'acme' was replaced during the request." },
} satisfies Partial<Record<ErrorCode, ErrorDocs>>

const shared: readonly ErrorCode[] = [
  'tokenMissing',
  'tokenInvalid',
  'tokenExpired',
  'tokenNotForProject',
  'projectNotFound',
  'methodNotAllowed',
  'notAcceptable',
  'unsupportedMediaType',
  'rateLimited',
  'injectedFault',
  'stateReplaced',
]

/** Describes the errors of the mocked API. Behaviors decide their format and a status. */
export const describeApiErrors = ({ errorFormat, invalidBodyStatus }: Behaviors): DocumentedErrors => ({
  format: errorFormat,
  shared,
  // An unneeded body is also read and checked.
  getCodes: ({ errors = [] }) => [...shared, 'malformedBody', 'bodyTooLarge', ...errors],
  docs: { ...docs, invalidBody: { ...docs.invalidBody, status: invalidBodyStatus } },
})
