import * as z from 'zod'
import { BehaviorChoices, BehaviorSettings } from './behavior.ts'
import { Advance, ClockDocument, ClockStatus } from './clock.ts'
import { command, mockCommand, projectCommand, type Command } from './command.ts'
import { described } from './documentation.ts'
import { Fault, FaultRule, HeldCheck, Release } from './fault.ts'
import { PaymentLinkRecordsQuery, UserRecordsQuery, listSchema, RequestsQuery, unpagedListSchema } from './list.ts'
import { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView } from './payment-link.ts'
import { Payment, ScheduledPayment } from './scheduled-payment.ts'
import { ProjectDocument, ProjectPatch, Seed, SeedPatch } from './seed.ts'
import { Health, ProjectChange, ProjectSummary, SandboxSummary, Snapshot, SnapshotName } from './summaries.ts'
import { Tokens, TokensChange } from './token.ts'
import { Assumption, MockEvent, RecordedRequest, RecordedRequests, Report, Violations } from './traffic.ts'
import { User, UserPatch, UserSeed } from './user.ts'
import { Verification, Verified } from './verification.ts'

const Summaries = unpagedListSchema(ProjectSummary)
const summaryOfEach = { response: ProjectSummary, responseForAll: Summaries }

/** Projects, their state, clock and tokens. */
export const stateCommands = {
  health: mockCommand('GET', '/health', 'Health check', { response: Health, errors: ['shuttingDown'], isPublic: true }),
  listProjects: mockCommand('GET', '/projects', 'List projects', { response: Summaries }),
  retrieveProject: projectCommand('GET', '', 'Retrieve a project', { response: ProjectSummary }),
  changeProject: projectCommand('PATCH', '', 'Update a project', { body: ProjectChange, response: ProjectSummary }),
  deleteProject: projectCommand('DELETE', '', 'Delete a project', { errors: ['projectNotFound'] }),

  listSandboxes: mockCommand('GET', '/sandboxes', 'List sandboxes', {
    response: unpagedListSchema(SandboxSummary),
    errors: ['sandboxNotFound'],
  }),
  deleteSandboxes: mockCommand('DELETE', '/sandboxes', 'Delete all sandboxes', { errors: ['sandboxNotFound'] }),
  deleteSandbox: mockCommand('DELETE', '/sandboxes/{sandbox}', 'Delete a sandbox', { errors: ['sandboxNotFound'] }),

  reset: command('POST', '/reset', 'Reset to the seed', summaryOfEach),
  exportState: command('GET', '/state', 'Export the state', { response: ProjectDocument, responseForAll: Seed }),
  loadState: command('PUT', '/state', 'Replace the state', {
    body: ProjectDocument,
    bodyForAll: Seed,
    ...summaryOfEach,
  }),
  patchState: command('PATCH', '/state', 'Add or overwrite records', {
    body: ProjectPatch,
    bodyForAll: SeedPatch,
    ...summaryOfEach,
  }),

  saveSnapshot: command('POST', '/snapshots', 'Save a snapshot', {
    status: 201,
    body: SnapshotName,
    response: Snapshot,
  }),
  listSnapshots: command('GET', '/snapshots', 'List snapshots', { response: unpagedListSchema(Snapshot) }),
  restoreSnapshot: command('POST', '/snapshots/{name}/restore', 'Restore a snapshot', {
    ...summaryOfEach,
    errors: ['snapshotNotFound'],
  }),
  deleteSnapshot: command('DELETE', '/snapshots/{name}', 'Delete a snapshot', { errors: ['snapshotNotFound'] }),

  readClock: command('GET', '/clock', 'Retrieve the clock', { response: ClockStatus }),
  setClock: command('PUT', '/clock', 'Set the clock', { body: ClockDocument, response: ClockStatus }),
  advanceClock: command('POST', '/clock/advance', 'Advance the clock', { body: Advance, response: ClockStatus }),

  readBehaviors: command('GET', '/behaviors', 'List behaviors', { response: BehaviorSettings }),
  changeBehaviors: command('PATCH', '/behaviors', 'Change behaviors', {
    body: BehaviorChoices,
    response: BehaviorSettings,
  }),

  readTokens: command('GET', '/tokens', 'List tokens', { response: Tokens }),
  replaceTokens: command('PUT', '/tokens', 'Replace the tokens', { body: TokensChange, response: Tokens }),
} satisfies Record<string, Command>

const user = '/users/{user}'
const paymentLink = '/paymentLinks/{paymentLink}'
const cursorErrors = ['cursorNotFound', 'cursorDeleted'] as const

/** Reading and writing records without a token of the mocked API, and paying payment links. */
export const recordCommands = {
  listUsers: projectCommand('GET', '/users', 'List users', {
    query: UserRecordsQuery,
    response: listSchema(User),
    errors: cursorErrors,
  }),
  createUser: projectCommand('POST', '/users', 'Create a user', {
    status: 201,
    body: UserSeed,
    response: User,
    errors: ['idTaken'],
  }),
  retrieveUser: projectCommand('GET', user, 'Retrieve a user', { response: User, errors: ['userNotFound'] }),
  patchUser: projectCommand('PATCH', user, 'Update a user', {
    body: UserPatch,
    response: User,
    errors: ['userNotFound'],
  }),
  deleteUser: projectCommand('DELETE', user, 'Delete a user', { response: User, errors: ['userNotFound'] }),

  listPaymentLinks: projectCommand('GET', '/paymentLinks', 'List payment links', {
    query: PaymentLinkRecordsQuery,
    response: listSchema(PaymentLinkView),
    errors: cursorErrors,
  }),
  createPaymentLink: projectCommand('POST', '/paymentLinks', 'Create a payment link', {
    status: 201,
    body: PaymentLinkSeed,
    response: PaymentLinkView,
    errors: ['idTaken'],
  }),
  retrievePaymentLink: projectCommand('GET', paymentLink, 'Retrieve a payment link', {
    response: PaymentLinkView,
    errors: ['paymentLinkNotFound'],
  }),
  patchPaymentLink: projectCommand('PATCH', paymentLink, 'Update a payment link', {
    body: PaymentLinkPatch,
    response: PaymentLinkView,
    errors: ['paymentLinkNotFound'],
  }),
  deletePaymentLink: projectCommand('DELETE', paymentLink, 'Delete a payment link', {
    response: PaymentLinkView,
    errors: ['paymentLinkNotFound'],
  }),

  payPaymentLink: projectCommand('POST', `${paymentLink}/pay`, 'Pay a payment link', {
    body: Payment.optional(),
    response: PaymentLinkView,
    accepted: ScheduledPayment,
    errors: ['paymentLinkNotFound', 'paymentLinkNotActive'],
  }),
  cancelPaymentLink: projectCommand('POST', `${paymentLink}/cancel`, 'Cancel a payment link', {
    response: PaymentLinkView,
    errors: ['paymentLinkNotFound', 'paymentLinkNotActive'],
  }),
  listScheduledPayments: command('GET', '/scheduledPayments', 'List scheduled payments', {
    response: unpagedListSchema(ScheduledPayment),
  }),
  cancelScheduledPayments: command('DELETE', '/scheduledPayments', 'Cancel all scheduled payments', {}),
  cancelScheduledPaymentsOf: command(
    'DELETE',
    '/scheduledPayments/{paymentLink}',
    'Cancel the scheduled payments of a link',
    { errors: ['scheduledPaymentNotFound'] },
  ),
} satisfies Record<string, Command>

/** The recorded requests, the diagnostics made from them, the faults and the events. */
export const trafficCommands = {
  listRequests: command('GET', '/requests', 'List recorded requests', {
    query: RequestsQuery,
    response: RecordedRequests,
  }),
  clearRequests: command('DELETE', '/requests', 'Clear the journal', {}),
  retrieveRequest: command('GET', '/requests/{request}', 'Retrieve a recorded request', {
    response: RecordedRequest,
    errors: ['requestNotFound'],
  }),
  verifyRequests: command('POST', '/requests/verify', 'Verify requests', {
    body: Verification,
    response: Verified,
    errors: ['verificationFailed', 'journalTruncated'],
  }),

  listViolations: command('GET', '/violations', 'List violations', { response: Violations }),
  verifyViolations: command('POST', '/violations/verify', 'Verify that there are no violations', {
    response: Violations,
    errors: ['violationsFound'],
  }),
  listAssumptions: command('GET', '/assumptions', 'List assumptions', { response: unpagedListSchema(Assumption) }),

  listFaults: command('GET', '/faults', 'List faults', { response: unpagedListSchema(Fault) }),
  addFault: command('POST', '/faults', 'Create a fault', { status: 201, body: FaultRule, response: Fault }),
  removeFaults: command('DELETE', '/faults', 'Delete all faults', {}),
  retrieveFault: command('GET', '/faults/{fault}', 'Retrieve a fault', { response: Fault, errors: ['faultNotFound'] }),
  removeFault: command('DELETE', '/faults/{fault}', 'Delete a fault', { errors: ['faultNotFound'] }),

  releaseFault: command('POST', '/faults/{fault}/release', 'Release held requests', {
    body: Release,
    response: Fault,
    errors: ['faultNotFound'],
  }),
  waitForHeld: command('POST', '/faults/{fault}/wait', 'Wait for held requests', {
    body: HeldCheck,
    response: Fault,
    errors: ['faultNotFound', 'verificationFailed'],
  }),

  report: command('GET', '/report', 'Report what happened', {
    query: z.object({ format: described(z.enum(['text', 'json']).optional(), 'Default: `text`.') }),
    response: Report,
    text: true,
  }),
  events: command('GET', '/events', 'Stream events', { event: MockEvent }),
} satisfies Record<string, Command>

export const commands = { ...stateCommands, ...recordCommands, ...trafficCommands }

export type Commands = typeof commands
export type CommandId = keyof Commands
export const commandIds = Object.keys(commands) as CommandId[]
