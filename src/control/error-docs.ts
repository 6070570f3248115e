import type { ErrorCode } from '../schema/error.ts'
import { VerificationFacts } from '../schema/verification.ts'
import type { DocumentedErrors, ErrorDocs } from '../wire/error-responses.ts'
import type { ControlRoute } from './types.ts'

const accessErrors: readonly ErrorCode[] = [
  'adminTokenMissing',
  'adminTokenWrong',
  'hostNotAllowed',
  'originNotAllowed',
]
/** The hint for a state that is too large for a request. */
export const largeStateHint = 'Start with a seed file, or let `generate` create the records.'

// Endpoints without a body reject one, too. A GET ignores it.
const bodyErrors: readonly ErrorCode[] = ['malformedBody', 'bodyTooLarge', 'unsupportedMediaType', 'invalidBody']

const tokenHint = "Send 'Authorization: Bearer <admin token>'; the token is set with PAYLINK_MOCK_ADMIN_TOKEN."
const failed = { expected: { exactly: 1 }, actual: 0 }

/** Every error of the control API, as it is sent. */
const docs: Readonly<Partial<Record<ErrorCode, ErrorDocs>>> = {
  adminTokenMissing: {
    when: 'a token that is configured',
    message: 'The admin plane needs its token here.',
    hint: tokenHint,
  },
  adminTokenWrong: {
    when: 'a token that is configured',
    message: 'The admin token is not the configured one.',
    hint: tokenHint,
  },
  hostNotAllowed: {
    message: "The admin plane does not answer to the Host 'evil.example'.",
    hint: 'Use a literal IP address or localhost, or allow the name with --allowed-hosts evil.example.',
  },
  originNotAllowed: {
    message: "The admin plane takes no calls from pages of 'https://evil.example'.",
    hint: 'Call it from a test or with curl.',
  },
  routeNotFound: { message: 'No route GET /__admin/project.', hint: 'Near it: GET /__admin/projects.' },
  methodNotAllowed: {
    message: 'PUT is not a method of /__admin/reset.',
    hint: 'Its methods are POST, OPTIONS.',
  },
  projectNotFound: { message: "No project 'nova'." },
  userNotFound: { message: "No user 'usr_x' in project 'acme'." },
  paymentLinkNotFound: { message: "No payment link 'pml_x' in project 'acme'." },
  snapshotNotFound: { message: "No snapshot 'paid' of project 'acme'.", hint: 'None has been saved.' },
  planNotFound: { message: "No plan for payment link 'pml_x' in project 'acme'." },
  requestNotFound: { message: "No request 'req_x' in the journal." },
  faultNotFound: { message: "No fault 'flt_x'.", hint: 'There is none.' },
  notVerified: {
    message: 'createUser was expected exactly once and was seen 0 times.',
    facts: { ...failed, nearMisses: [] },
  },
  journalDropped: {
    message: 'createUser was expected exactly once and was seen 0 times, but 2 older entries are there no more.',
    hint: 'Raise --journal-size, or forget the requests before the part that is verified.',
    facts: {
      ...failed,
      nearMisses: [
        {
          id: 'req_Qx9Uzmlnq6MKuOqcA0OBqIpJKxK9',
          method: 'GET',
          path: '/projects/acme/users',
          status: 200,
          differences: ["operation is 'listUsers', not 'createUser'"],
        },
      ],
    },
  },
  violationsFound: {
    message:
      "Clients sent what the specification does not allow.\nlistUsers: The accept header must be 'application/json' (it is missing). (§5)",
    details: [{ path: 'headers.accept', message: "The accept header must be 'application/json' (it is missing)." }],
  },
  paymentLinkNotActive: {
    message: "Payment link 'pml_canceled' cannot be paid: it is canceled.",
    hint: 'Only an active link can be paid or canceled.',
  },
  idTaken: {
    message: "The id 'usr_1' is that of another user of project 'acme'.",
    hint: 'Leave the id out, or change the row with PATCH.',
  },
  malformedBody: { message: 'The request body is not JSON.', hint: 'Send a JSON object.' },
  bodyTooLarge: {
    message: 'The request body must be at most 67108864 bytes.',
    hint: largeStateHint,
  },
  unsupportedMediaType: {
    message: "The request body must be sent as JSON (got 'text/plain').",
    hint: "Send 'Content-type: application/json'.",
  },
  invalidBody: {
    message: "The request body has 2 problems: email is required; emial is not a field here; did you mean 'email'?",
    details: [
      { path: 'email', message: 'email is required.' },
      { path: 'emial', message: "emial is not a field here; did you mean 'email'?" },
    ],
  },
  cursorNotFound: {
    message: "No user 'usr_x' in project 'acme' to list from.",
    details: [{ path: 'after', message: "after must be the id of a user of project 'acme' (got 'usr_x')." }],
  },
  cursorGone: {
    message: "The user 'usr_gone' of project 'acme' was deleted, so nothing can be listed from it.",
    hint: 'The user was deleted.',
    details: [{ path: 'after', message: "after must be the id of a user of project 'acme' (got 'usr_gone')." }],
  },
  invalidQuery: {
    status: 422,
    message: "limt is not a field here; did you mean 'limit'?",
    details: [{ path: 'limt', message: "limt is not a field here; did you mean 'limit'?" }],
  },
  stopping: { message: 'The server is stopping.' },
}

const errorsOf = ({ isPublic, method, errors = [] }: ControlRoute): readonly ErrorCode[] =>
  isPublic ? errors : [...accessErrors, ...(method === 'GET' ? [] : bodyErrors), 'invalidQuery', ...errors]

export const controlErrors: DocumentedErrors = {
  format: 'object',
  shared: [...accessErrors, ...bodyErrors, 'invalidQuery'],
  of: (route) => errorsOf(route as ControlRoute),
  docs,
  extended: {
    name: 'VerificationError',
    description: 'The error of a failed verification.',
    codes: ['notVerified', 'journalDropped'],
    facts: VerificationFacts,
  },
}
