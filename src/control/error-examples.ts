import type { ErrorCode } from '../schema/error.ts'
import type { ErrorDocs } from '../wire/error-responses.ts'
import { accessErrors } from './access.ts'
import { largeStateHint } from './routes.ts'

const failed = { expected: { exactly: 1 }, actual: 0 }

/** An example of every error of the control API. */
export const errorExamples: Readonly<Partial<Record<ErrorCode, ErrorDocs>>> = {
  ...accessErrors,
  routeNotFound: { message: 'No route matches GET /__admin/project.', hint: 'Similar routes: GET /__admin/projects.' },
  methodNotAllowed: {
    message: 'PUT is not allowed for /__admin/reset.',
    hint: 'The allowed methods are POST, OPTIONS.',
  },
  projectNotFound: { message: "No project 'nova'." },
  userNotFound: { message: "No user 'usr_x' in project 'acme'." },
  paymentLinkNotFound: { message: "No payment link 'pml_x' in project 'acme'." },
  snapshotNotFound: { message: "No snapshot 'paid' of project 'acme'.", hint: 'No snapshot has been saved.' },
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
    message: "The id 'usr_1' belongs to another user of project 'acme'.",
    hint: 'Omit the id, or change the record with PATCH.',
  },
  malformedBody: { message: 'The request body is not valid JSON.', hint: 'Send a JSON object.' },
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
    message: "The user 'usr_deleted' of project 'acme' was deleted, so it is not a valid cursor.",
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
