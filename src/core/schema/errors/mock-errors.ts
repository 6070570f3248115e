import { defineError, type ErrorContent, getErrorType, type RoutePrefixes } from '../error-definition.ts'
import { pluralize, type Problem, quote, quoteName } from '../problem.ts'
import { shorten } from '../text.ts'
import type { NearMiss } from '../verification.ts'
import { describeReport, formatKnown } from './request-errors.ts'

export interface FailedVerification {
  /** The expected and the actual requests, as a sentence without a full stop. */
  readonly claim: string
  readonly hint?: string | undefined
  readonly expected: object
  readonly actual: number
  readonly nearMisses: readonly Omit<NearMiss, 'id'>[]
}

const formatNearest = ([nearest]: FailedVerification['nearMisses']): string =>
  nearest === undefined
    ? ''
    : ` The nearest request: ${nearest.method} ${shorten(nearest.path, 100)} (${nearest.status ?? 'no response'}), where ${nearest.differences.join('; ')}.`

const failedVerification: FailedVerification = {
  claim: 'createUser was expected once and was seen 0 times',
  expected: { exactly: 1 },
  actual: 0,
  nearMisses: [],
}

export const mockErrors = {
  idempotencyKeyInvalid: defineError(
    400,
    { summary: 'The Idempotency-Key header is empty or too long.', condition: '`idempotencyKey=replay`' },
    (max: number, got: number) => `The Idempotency-Key header must have 1 to ${max} characters (got ${got}).`,
    255,
    0,
  ),
  idempotencyKeyReused: defineError(
    422,
    { summary: 'The Idempotency-Key was sent before, with another body.', condition: '`idempotencyKey=replay`' },
    (key: string) => ({
      message: `The Idempotency-Key ${quoteName(key)} was sent before, with another body.`,
      hint: 'Send a new key with each new request.',
    }),
    'order-1',
  ),
  invoiceNotFound: defineError(
    422,
    { summary: 'The project has no such invoice.', condition: '`invoiceIds=seeded`' },
    ({ invoice, project }: { invoice: string; project: string }) => ({
      message: `No invoice ${quoteName(invoice)} in project ${quoteName(project)}.`,
      hint: `The seed lists its invoices under 'projects.${shorten(project, 100)}.invoices'.`,
      details: [
        { path: 'invoice', message: `invoice must be one of the invoices of the project (got ${quoteName(invoice)}).` },
      ],
    }),
    { invoice: 'inv_x', project: 'acme' },
  ),
  paymentLinkNotActive: defineError(
    409,
    'The payment link is not active.',
    ({ id, status }: { id: string; status: string }, action: 'paid' | 'canceled') => ({
      message: `Payment link ${quoteName(id)} cannot be ${action}: it is ${status}.`,
      hint: 'Only an active link can be paid or canceled.',
    }),
    { id: 'pml_x', status: 'completed' },
    'canceled',
  ),
  emailTaken: defineError(
    409,
    { summary: 'Another user of the project has this email.', condition: '`duplicateEmail=conflict`' },
    ({ id, project, email, sent }: { id: string; project: string; email: string; sent: string }) => ({
      message: `User ${quoteName(id)} of project ${quoteName(project)} has the email ${quoteName(email)}.`,
      details: [{ path: 'email', message: `email must differ from that of other users (got ${quoteName(sent)}).` }],
    }),
    { id: 'usr_x', project: 'acme', email: 'ada@example.com', sent: 'ada@example.com' },
  ),
  snapshotNotFound: defineError(
    404,
    'There is no such snapshot.',
    (unknownSnapshot: { name: string; project: string | undefined; known: readonly string[] }) => ({
      message: `No snapshot ${quoteName(unknownSnapshot.name)}${unknownSnapshot.project === undefined ? '' : ` of project ${quoteName(unknownSnapshot.project)}`}.`,
      hint: formatKnown('Saved snapshots', unknownSnapshot.known, 'No snapshot has been saved.'),
    }),
    { name: 'paid', project: 'acme', known: [] },
  ),
  tooManySnapshots: defineError(
    409,
    'The project has the maximum number of snapshots in a Worker.',
    (project: string, max: number) => ({
      message: `Project ${quoteName(project)} already has ${max} snapshots.`,
      hint: 'Delete a snapshot, or save under the name of one.',
    }),
    'acme',
    20,
  ),
  scheduledPaymentNotFound: defineError(
    404,
    'There is no scheduled payment for this payment link.',
    ({ paymentLink, project }: { paymentLink: string; project?: string }) =>
      `No scheduled payment for payment link ${quoteName(paymentLink)}${project === undefined ? '' : ` in project ${quoteName(project)}`}.`,
    { paymentLink: 'pml_x', project: 'acme' },
  ),
  sandboxNotFound: defineError(
    404,
    'There is no such sandbox.',
    (unknownSandbox: { name: string } | 'inSandbox') =>
      unknownSandbox === 'inSandbox'
        ? { message: 'A sandbox has no sandboxes.', hint: 'Call /__admin/sandboxes, without /@name.' }
        : `No sandbox ${quote(unknownSandbox.name)}.`,
    { name: 'checkout-1' },
  ),
  tooManySandboxes: defineError(
    503,
    'All sandboxes are in use.',
    (max: number) => ({
      message: `All sandboxes are in use: the maximum is ${max}.`,
      hint: 'Delete sandboxes with DELETE /__admin/sandboxes, or raise --max-sandboxes.',
    }),
    1000,
  ),
  requestNotFound: defineError(
    404,
    'There is no such request in the journal.',
    (id: string) => `No request ${quoteName(id)} in the journal.`,
    'req_x',
  ),
  faultNotFound: defineError(
    404,
    'There is no such fault.',
    (id: string, knownFaults: readonly string[]) => ({
      message: `No fault ${quoteName(id)}.`,
      hint: formatKnown('Known faults', knownFaults, 'There are no faults.'),
    }),
    'flt_x',
    [],
  ),
  verificationFailed: defineError(
    409,
    'Verification failed.',
    // The nearest request is in the message, because some test runners print nothing else.
    (failure: FailedVerification | { unusedFaults: readonly string[] }) => {
      if ('unusedFaults' in failure) return failure.unusedFaults.join('\n')
      const { claim, hint, ...facts } = failure
      return { message: `${claim}.${formatNearest(facts.nearMisses)}`, hint, facts }
    },
    failedVerification,
  ),
  journalTruncated: defineError(
    409,
    'The verification may depend on requests that were dropped from the journal.',
    ({ claim, hint: _, ...facts }: FailedVerification, dropped: number) => ({
      message: `${claim}, but ${pluralize(dropped, 'older request')} ${dropped === 1 ? 'was' : 'were'} dropped.`,
      hint: 'Raise --journal-size, or clear the requests before the part to verify.',
      facts,
    }),
    failedVerification,
    1,
  ),
  violationsFound: defineError(
    409,
    'Clients sent requests that violate the specification.',
    (items: readonly (Problem & { operation: string | null; spec: string })[], dropped: number): ErrorContent => {
      const shownViolations = items
        .slice(0, 5)
        .map(({ operation, spec, message }) => `${operation ?? 'no operation'}: ${message} (${spec})`)
      const unshownCount = items.length + dropped - shownViolations.length
      return {
        message: `Clients sent requests that violate the specification.\n${shownViolations.join('\n')}${unshownCount > 0 ? `\nand ${unshownCount} more` : ''}`,
        details: items.slice(0, 100).map(({ path, message }) => ({ path, message })),
      }
    },
    [{ operation: 'createUser', spec: '§4.1', path: 'email', message: 'email is required.' }],
    0,
  ),
  idTaken: defineError(
    409,
    'Another record of the project has this id.',
    ({ id, text, project }: { id: string; text: string; project: string }) => ({
      message: `The id ${quoteName(id)} belongs to another ${text} of project ${quoteName(project)}.`,
      hint: 'Omit the id, or change the record with PATCH.',
    }),
    { id: 'usr_x', text: 'user', project: 'acme' },
  ),
  invalidOptions: defineError(422, 'The options or the seed of the mock are invalid.', describeReport, {
    what: 'createMock',
    problems: [{ path: 'provider', message: 'provider must be a string (got 1).' }],
  }),
  stateUnreadable: defineError(
    409,
    'The stored state of the project cannot be loaded.',
    (
      storedState: { project: string; path: string } | { project: string; snapshot: string; cause: unknown },
    ): ErrorContent =>
      'snapshot' in storedState
        ? {
            message: `The snapshot ${quoteName(storedState.snapshot)} of project ${quoteName(storedState.project)} cannot be loaded: it is damaged.`,
            hint: 'Delete it, or save it again.',
            cause: storedState.cause,
          }
        : {
            message: `The stored state of project ${quoteName(storedState.project)} cannot be loaded: it is damaged, or another version of the mock wrote it.`,
            hint: `Replace it with POST ${storedState.path}/reset or PUT ${storedState.path}/state, or DELETE ${storedState.path}.`,
          },
    { project: 'acme', path: '/__admin/projects/acme' },
  ),
  stateReplaced: defineError(
    503,
    'The state was replaced during the request.',
    (replacedState: { project: string } | 'sandbox') =>
      replacedState === 'sandbox'
        ? 'The sandbox was deleted during the request.'
        : `The state of project ${quoteName(replacedState.project)} was replaced during the request.`,
    { project: 'acme' },
  ),
  rateLimited: defineError(
    429,
    { summary: 'The rate limit of a fault was exceeded.', condition: 'a fault that limits the rate' },
    (rateLimit: { project: string; limit: number; wait: number; mode: string }) =>
      ({ mock }: RoutePrefixes) => ({
        message: `Project ${quoteName(rateLimit.project)} exceeded its rate limit of ${pluralize(rateLimit.limit, 'request')}.`,
        hint: `The next window starts in ${rateLimit.wait} ms of the mock clock.${
          rateLimit.mode === 'real'
            ? ''
            : ` That clock is ${rateLimit.mode}: advance it with POST ${mock}/__admin/projects/${encodeURIComponent(shorten(rateLimit.project, 100))}/clock/advance.`
        }`,
      }),
    { project: 'acme', limit: 5, wait: 60_000, mode: 'real' },
  ),
  injectedFault: defineError(
    503,
    {
      summary: 'A fault applied. The status is that of the fault.',
      condition: 'a fault with this status; another fault can have any other status',
    },
    (status: number) =>
      ({ mock }: RoutePrefixes) => ({
        message: `A fault responds with status ${status}.`,
        hint: `A test created it: GET ${mock}/__admin/faults shows it.`,
        status,
        type: getErrorType(status),
      }),
    503,
  ),
  shuttingDown: defineError(503, 'The server is stopping.'),
  internal: defineError(500, 'An unexpected error in the mock.', () => ({
    message: 'The request failed because of a bug in the mock.',
    hint: 'The log shows the error. Please report it.',
  })),
}
