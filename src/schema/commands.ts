import * as z from 'zod/mini'
import { BehaviorChoices, BehaviorSettings } from './behavior.ts'
import { Advance, ClockDocument, ClockStatus } from './clock.ts'
import { type CommandId, commandIds, commandRoutes } from './command-routes.ts'
import type { Details } from './command.ts'
import { described } from './zod-helpers.ts'
import { Fault, FaultRule, HeldCheck, Release } from './fault.ts'
import {
  PaymentLinkRecordsQuery,
  UserRecordsQuery,
  buildListSchema,
  RequestsQuery,
  buildUnpagedListSchema,
} from './list.ts'
import { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView } from './payment-link.ts'
import { Payment, ScheduledPayment } from './scheduled-payment.ts'
import { ProjectDocument, ProjectPatch, Seed, SeedPatch } from './seed.ts'
import { Health, ProjectChange, ProjectSummary, SandboxSummary, Snapshot, SnapshotCreate } from './summaries.ts'
import { Tokens, TokensChange } from './token.ts'
import { Assumption, MockEvent, RecordedRequest, RecordedRequests, Report, Violations } from './traffic.ts'
import { User, UserPatch, UserSeed } from './user.ts'
import { Verification, VerificationSuccess } from './verification.ts'

const Summaries = buildUnpagedListSchema(ProjectSummary)
const cursorErrors = ['cursorNotFound', 'cursorDeleted'] as const
const summaryOfEach = { response: ProjectSummary, responseForAll: Summaries }

/** The requests and responses of the commands. */
const details = {
  health: { response: Health, errors: ['shuttingDown'] },
  listProjects: { response: Summaries },
  retrieveProject: { response: ProjectSummary },
  changeProject: { body: ProjectChange, response: ProjectSummary },
  deleteProject: { errors: ['projectNotFound'] },

  listSandboxes: { response: buildUnpagedListSchema(SandboxSummary), errors: ['sandboxNotFound'] },
  deleteSandboxes: { errors: ['sandboxNotFound'] },
  deleteSandbox: { errors: ['sandboxNotFound'] },

  reset: summaryOfEach,
  exportState: { response: ProjectDocument, responseForAll: Seed },
  loadState: { body: ProjectDocument, bodyForAll: Seed, ...summaryOfEach },
  patchState: { body: ProjectPatch, bodyForAll: SeedPatch, ...summaryOfEach },

  saveSnapshot: { status: 201, body: SnapshotCreate, response: Snapshot },
  listSnapshots: { response: buildUnpagedListSchema(Snapshot) },
  restoreSnapshot: { ...summaryOfEach, errors: ['snapshotNotFound'] },
  deleteSnapshot: { errors: ['snapshotNotFound'] },

  readClock: { response: ClockStatus },
  setClock: { body: ClockDocument, response: ClockStatus },
  advanceClock: { body: Advance, response: ClockStatus },

  readBehaviors: { response: BehaviorSettings },
  changeBehaviors: { body: BehaviorChoices, response: BehaviorSettings },

  readTokens: { response: Tokens },
  replaceTokens: { body: TokensChange, response: Tokens },

  listUsers: { query: UserRecordsQuery, response: buildListSchema(User), errors: cursorErrors },
  createUser: { status: 201, body: UserSeed, response: User, errors: ['idTaken'] },
  retrieveUser: { response: User, errors: ['userNotFound'] },
  patchUser: { body: UserPatch, response: User, errors: ['userNotFound'] },
  deleteUser: { response: User, errors: ['userNotFound'] },

  listPaymentLinks: {
    query: PaymentLinkRecordsQuery,
    response: buildListSchema(PaymentLinkView),
    errors: cursorErrors,
  },
  createPaymentLink: { status: 201, body: PaymentLinkSeed, response: PaymentLinkView, errors: ['idTaken'] },
  retrievePaymentLink: { response: PaymentLinkView, errors: ['paymentLinkNotFound'] },
  patchPaymentLink: { body: PaymentLinkPatch, response: PaymentLinkView, errors: ['paymentLinkNotFound'] },
  deletePaymentLink: { response: PaymentLinkView, errors: ['paymentLinkNotFound'] },

  payPaymentLink: {
    body: z.optional(Payment),
    response: PaymentLinkView,
    accepted: ScheduledPayment,
    errors: ['paymentLinkNotFound', 'paymentLinkNotActive'],
  },
  cancelPaymentLink: { response: PaymentLinkView, errors: ['paymentLinkNotFound', 'paymentLinkNotActive'] },
  listScheduledPayments: { response: buildUnpagedListSchema(ScheduledPayment) },
  cancelScheduledPayments: {},
  cancelScheduledPaymentsOf: { errors: ['scheduledPaymentNotFound'] },

  listRequests: { query: RequestsQuery, response: RecordedRequests },
  clearRequests: {},
  retrieveRequest: { response: RecordedRequest, errors: ['requestNotFound'] },
  verifyRequests: {
    body: Verification,
    response: VerificationSuccess,
    errors: ['verificationFailed', 'journalTruncated'],
  },

  listViolations: { response: Violations },
  verifyViolations: { response: Violations, errors: ['violationsFound'] },
  listAssumptions: { response: buildUnpagedListSchema(Assumption) },

  listFaults: { response: buildUnpagedListSchema(Fault) },
  addFault: { status: 201, body: FaultRule, response: Fault },
  removeFaults: {},
  retrieveFault: { response: Fault, errors: ['faultNotFound'] },
  removeFault: { errors: ['faultNotFound'] },

  releaseFault: { body: Release, response: Fault, errors: ['faultNotFound'] },
  waitForHeld: { body: HeldCheck, response: Fault, errors: ['faultNotFound', 'verificationFailed'] },

  report: {
    query: z.object({ format: described(z.optional(z.enum(['text', 'json'])), 'Default: `text`.') }),
    response: Report,
  },
  events: { event: MockEvent },
} satisfies Record<CommandId, Details>

export type Commands = { readonly [C in CommandId]: (typeof commandRoutes)[C] & (typeof details)[C] }
export const commands = Object.fromEntries(
  commandIds.map((id) => [id, { ...commandRoutes[id], ...details[id] }]),
) as Commands
