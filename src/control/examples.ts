import type { Command, CommandId, Commands } from '../schema/commands.ts'
import type { ErrorCode } from '../schema/error.ts'
import type { ErrorDocs } from '../wire/error-responses.ts'
import type { Examples } from '../wire/openapi.ts'
import { accessErrors } from './access.ts'

type WithBody = { [V in CommandId]: Commands[V] extends { readonly body: Command['body'] } ? V : never }[CommandId]
type WithBodyForAll = {
  [V in CommandId]: Commands[V] extends { readonly bodyForAll: Command['body'] } ? `${V}ForAll` : never
}[CommandId]

const project = {
  preferredLocale: 'pt-BR',
  invoices: ['inv_100'],
  users: [{ email: 'ada@example.com', fullName: 'Ada Lovelace' }],
  paymentLinks: [{ invoice: 'inv_100', status: 'completed' }],
}
const payer = { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: 'GB123456789' }

/** The hint for a state that is too large for a request. */
export const largeStateHint = 'Start with a seed file, or let `generate` create the records.'

/** Example bodies for every command that has a body. A command for all projects has the same ones, unless its body differs. */
export const bodyExamples: Readonly<Record<WithBody | WithBodyForAll, Examples>> = {
  changeProject: { locale: { summary: 'Another preferred locale', value: { preferredLocale: 'pt-BR' } } },
  loadState: {
    empty: { summary: 'No records', value: {} },
    project: { summary: 'A project with one user and one link', value: project },
  },
  loadStateForAll: {
    empty: { summary: 'No projects', value: {} },
    seed: {
      summary: 'A frozen clock and one project',
      value: { clock: { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' }, projects: { acme: project } },
    },
  },
  patchState: { users: { summary: 'One more user', value: { users: [{ email: 'grace@example.com' }] } } },
  patchStateForAll: {
    users: {
      summary: 'One more user in one project',
      value: { projects: { acme: { users: [{ email: 'grace@example.com' }] } } },
    },
  },
  saveSnapshot: { name: { summary: 'A name', value: { name: 'paid' } } },
  setClock: {
    real: { summary: 'The real time', value: { mode: 'real' } },
    frozen: { summary: 'A frozen time', value: { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' } },
    stepping: { summary: 'One second more with each write', value: { mode: 'stepping', step: 1000 } },
  },
  advanceClock: { minute: { summary: 'One minute', value: { milliseconds: 60_000 } } },
  changeBehaviors: {
    values: { summary: 'Two behaviors', value: { cancelInactive: 'idempotent', createStatus: 200 } },
  },
  replaceTokens: {
    one: {
      summary: 'One token for one project',
      value: { tokens: [{ token: 'tok_acme', projects: ['acme'], expiresAt: '2030-01-01T00:00:00.000Z' }] },
    },
    none: { summary: 'Any token is valid', value: { tokens: [] } },
  },
  createUser: {
    minimal: { summary: 'Only what is required', value: { email: 'ada@example.com' } },
    complete: {
      summary: 'Read-only fields too',
      value: {
        id: 'usr_ada',
        email: 'ada@example.com',
        emailVerified: false,
        fullName: 'Ada Lovelace',
        createdAt: '2025-01-01T00:00:00.000Z',
      },
    },
  },
  patchUser: { unverified: { summary: 'A read-only field', value: { emailVerified: false } } },
  createPaymentLink: {
    minimal: { summary: 'Only what is required', value: { invoice: 'inv_100' } },
    completed: { summary: 'A link that was paid', value: { invoice: 'inv_100', status: 'completed', payer } },
  },
  patchPaymentLink: { canceled: { summary: 'Another status', value: { status: 'canceled' } } },
  payPaymentLink: {
    now: { summary: 'Pay now', value: {} },
    failed: { summary: 'A failed attempt', value: { outcome: 'failed' } },
    reads: { summary: 'Pay with the third retrieve', value: { when: { reads: 3 } } },
    at: { summary: 'Pay at an instant of the mock clock', value: { when: { at: '2030-01-01T00:00:00.000Z' } } },
    in: { summary: 'Pay in 30 seconds of the mock clock', value: { when: { in: 30_000 } } },
  },
  verifyRequests: {
    times: { summary: 'One request', value: { match: { operation: 'createUser' }, times: { exactly: 1 } } },
    within: { summary: 'Wait for a request', value: { match: { operation: 'createPaymentLink' }, within: 2000 } },
    sequence: {
      summary: 'Two requests in this order',
      value: { sequence: [{ operation: 'createUser' }, { operation: 'createPaymentLink' }] },
    },
  },
  addFault: {
    unavailable: {
      summary: 'The next create of a user fails',
      value: { match: { operation: 'createUser' }, effect: { status: 503, headers: { 'retry-after': '1' } } },
    },
    lost: {
      summary: 'The link is created, but the response is lost',
      value: { match: { operation: 'createPaymentLink' }, phase: 'after', effect: { connection: 'reset' } },
    },
    slow: {
      summary: 'Every response is late',
      value: { times: null, effect: { delay: { milliseconds: 200, jitter: 50 } } },
    },
    rateLimit: { summary: 'A rate limit', value: { effect: { rateLimit: { limit: 5, window: 1000 } } } },
  },
}

const failed = { expected: { exactly: 1 }, actual: 0 }

/** An example of every error of the control API. */
export const errorExamples: Readonly<Partial<Record<ErrorCode, ErrorDocs>>> = {
  ...accessErrors,
  routeNotFound: { message: 'No route GET /__admin/project.', hint: 'Similar routes: GET /__admin/projects.' },
  methodNotAllowed: {
    message: 'PUT is not allowed for /__admin/reset.',
    hint: 'The allowed methods are POST, OPTIONS.',
  },
  projectNotFound: { message: "No project 'nova'." },
  userNotFound: { message: "No user 'usr_x' in project 'acme'." },
  paymentLinkNotFound: { message: "No payment link 'pml_x' in project 'acme'." },
  snapshotNotFound: { message: "No snapshot 'paid' of project 'acme'.", hint: 'None has been saved.' },
  scheduledPaymentNotFound: { message: "No scheduled payment for payment link 'pml_x' in project 'acme'." },
  requestNotFound: { message: "No request 'req_x' in the journal." },
  faultNotFound: { message: "No fault 'flt_x'.", hint: 'There are no faults.' },
  sandboxNotFound: { message: "No sandbox 'checkout-1'." },
  verificationFailed: {
    message: 'createUser was expected exactly once and was seen 0 times.',
    facts: { ...failed, nearMisses: [] },
  },
  journalTruncated: {
    message: 'createUser was expected exactly once and was seen 0 times, but 2 older requests were dropped.',
    hint: 'Raise --journal-size, or clear the requests before the part to verify.',
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
      "Clients sent requests that violate the specification.\nlistUsers: The accept header must be 'application/json' (it is missing). (§5)",
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
  cursorDeleted: {
    message: "The user 'usr_deleted' of project 'acme' was deleted, so it is no cursor any more.",
    hint: 'The user was deleted.',
    details: [{ path: 'after', message: "after must be the id of a user of project 'acme' (got 'usr_deleted')." }],
  },
  invalidQuery: {
    status: 422,
    message: "limt is not a field here; did you mean 'limit'?",
    details: [{ path: 'limt', message: "limt is not a field here; did you mean 'limit'?" }],
  },
  shuttingDown: { message: 'The server is stopping.' },
}
