import type { BehaviorChoices, BehaviorSettings } from '../schema/behavior.ts'
import type { ClockDocument, ClockStatus } from '../schema/clock-document.ts'
import type { ScheduledPayment } from '../schema/payment-link.ts'
import type { ProjectSummary, Snapshot } from '../schema/summaries.ts'
import type { ProjectDocument, ProjectPatch, Seed, SeedPatch } from '../schema/seed.ts'
import type { RedactedToken, Token } from '../schema/token.ts'
import type { ControlClient } from '../schema/command.ts'
import { withCallerStack } from './errors.ts'
import { checkCalls, requireString } from './check-arguments.ts'
import { createRecords, type PaymentLinkRecords, type UserRecords } from './record-control.ts'
import { createTrafficControl, type TrafficControl } from './traffic-control.ts'

/**
 * Control of one project or of all projects.
 *
 * @typeParam D the document of the state
 * @typeParam C a change of the state
 * @typeParam S the summary
 */
interface Scope<D, C, S> extends TrafficControl {
  readonly state: {
    /** Returns the state as a seed document, which `put` accepts. */
    get(): Promise<D>
    /**
     * Replaces the state.
     *
     * @throws MockError `invalidBody` with all problems of an invalid document, which changes nothing
     * @example
     * await acme.state.put({ users: [{ email: 'ada@example.com' }] })
     */
    put(document: D): Promise<S>
    /** Adds records, and overwrites existing ones with the same ids. */
    patch(change: C): Promise<S>
  }
  /** Named copies of the state. They survive a reset, and are deleted with their project. Saving under an existing name replaces that copy. */
  readonly snapshots: {
    /**
     * @example
     * await acme.snapshots.save('empty')
     * await acme.users.create({ email: 'ada@example.com' })
     * await acme.snapshots.restore('empty')
     */
    save(name: string): Promise<Snapshot>
    list(): Promise<readonly Snapshot[]>
    /** Replaces the state with the copy. @throws MockError `snapshotNotFound` */
    restore(name: string): Promise<S>
    /** @throws MockError `snapshotNotFound` */
    delete(name: string): Promise<void>
  }
  readonly clock: {
    get(): Promise<ClockStatus>
    /** Without `now`, a frozen or stepping clock starts at its current time. */
    set(clock: ClockDocument): Promise<ClockStatus>
    /**
     * Advances the clock. Scheduled payments that are due then run in order, each with its own time.
     *
     * @throws MockError `invalidBody` for a negative number
     * @example
     * await acme.clock.advance(60_000)
     */
    advance(milliseconds: number): Promise<ClockStatus>
  }
  /** Scheduled payments. */
  readonly scheduledPayments: {
    list(): Promise<readonly ScheduledPayment[]>
    /** Cancels the scheduled payments of a link. @default all links @throws MockError `scheduledPaymentNotFound` */
    cancel(paymentLink?: string): Promise<void>
  }
  /** The behavior values: the choices of the mock where the specification is silent. */
  readonly behaviors: {
    get(): Promise<BehaviorSettings>
    /**
     * Sets behavior values, for all projects those of every project. Other behaviors keep their values.
     *
     * @throws MockError `invalidBody` for an unknown behavior or value
     * @example
     * await acme.behaviors.set({ cancelInactive: 'idempotent' })
     */
    set(choices: BehaviorChoices): Promise<BehaviorSettings>
  }
  /** The bearer tokens of the mocked API. If the list is empty, any token is valid. */
  readonly tokens: {
    /** Returns a short hash instead of each token. */
    get(): Promise<readonly RedactedToken[]>
    replace(tokens: readonly Token[]): Promise<readonly RedactedToken[]>
  }
  /**
   * Restores records, counters, clock, scheduled payments, behaviors and tokens from the seed. Deletes all faults and
   * recorded requests. Keeps snapshots.
   */
  reset(): Promise<S>
  /** Returns the last requests, records and faults as text, for the output of a failed test. */
  report(): Promise<string>
}

/** Control of one project. Errors of the mock reject with a `MockError`. */
export interface ProjectControl extends Scope<ProjectDocument, ProjectPatch, ProjectSummary> {
  readonly id: string
  readonly users: UserRecords
  readonly paymentLinks: PaymentLinkRecords
  summary(): Promise<ProjectSummary>
  /** Sets the fields of the project itself. */
  patch(change: { readonly preferredLocale?: string }): Promise<ProjectSummary>
  /** Deletes the project. Its next use creates it again from the template. @throws MockError `projectNotFound` */
  delete(): Promise<void>
}

/** Control of a mock. It is the same in process and over HTTP. */
export interface Control extends Scope<Seed, SeedPatch, readonly ProjectSummary[]> {
  /** Returns the control of a project, which need not exist. @throws MockError `invalidOptions` if the id is not a string */
  project(id: string): ProjectControl
  /** Returns the existing projects. */
  projects(): Promise<readonly ProjectSummary[]>
}

/** Returns the control interface over a client. */
export const createControl = (given: ControlClient): Control => withCallerStack(createScopedControl(checkCalls(given)))

const createScopedControl = (client: ControlClient): Control => ({
  ...createScope<Seed, SeedPatch, readonly ProjectSummary[]>(client, {}),
  project: (id) => withCallerStack(createProjectControl(client, id)),
  projects: () => client.call('listProjects').then(getItems),
})

const createProjectControl = (client: ControlClient, project: string): ProjectControl => {
  requireString('project', project)
  const params = { project }
  return {
    ...createScope<ProjectDocument, ProjectPatch, ProjectSummary>(client, params),
    id: project,
    ...createRecords(client, project),
    summary: () => client.call('retrieveProject', { params }),
    patch: (body) => client.call('changeProject', { params, body }),
    delete: () => client.call('deleteProject', { params }),
  }
}

/** Creates the functions for one project or, without params, for all. */
const createScope = <D, C, S>(client: ControlClient, params: Readonly<Record<string, string>>): Scope<D, C, S> => {
  // The response is the summary of the project, or a list of all summaries.
  const getSummary = (response: object) => ('items' in response ? response.items : response) as S
  return {
    ...createTrafficControl(client, params),
    state: {
      get: () => client.call('exportState', { params }) as Promise<D>,
      put: (body) => client.call('loadState', { params, body }).then(getSummary),
      patch: (body) => client.call('patchState', { params, body }).then(getSummary),
    },
    snapshots: {
      save: (name) => client.call('saveSnapshot', { params, body: { name } }),
      list: () => client.call('listSnapshots', { params }).then(getItems),
      restore: (name) => client.call('restoreSnapshot', { params: { ...params, name } }).then(getSummary),
      delete: (name) => client.call('deleteSnapshot', { params: { ...params, name } }),
    },
    clock: {
      get: () => client.call('readClock', { params }),
      set: (body) => client.call('setClock', { params, body }),
      advance: async (by) => client.call('advanceClock', { params, body: { milliseconds: by } }),
    },
    scheduledPayments: {
      list: () => client.call('listScheduledPayments', { params }).then(getItems),
      // An argument that is undefined is a mistake and must not cancel all.
      cancel: (...named) =>
        named.length === 0
          ? client.call('cancelScheduledPayments', { params })
          : client.call('cancelScheduledPaymentsOf', { params: { ...params, paymentLink: named[0]! } }),
    },
    behaviors: {
      get: () => client.call('readBehaviors', { params }),
      set: (body) => client.call('changeBehaviors', { params, body }),
    },
    tokens: {
      get: () => client.call('readTokens', { params }).then(getItems),
      replace: (tokens) => client.call('replaceTokens', { params, body: { tokens } }).then(getItems),
    },
    reset: () => client.call('reset', { params }).then(getSummary),
    // Without a format, the report is text.
    report: () => client.call('report', { params }) as Promise<string>,
  }
}

const getItems = <T>(list: { readonly items: T }): T => list.items
