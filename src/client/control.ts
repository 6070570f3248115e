import type { BehaviorChoices, BehaviorSettings } from '../schema/behavior.ts'
import type { ClockDocument, ClockStatus } from '../schema/clock-document.ts'
import type { ScheduledPayment } from '../schema/payment-link.ts'
import type { ProjectSummary, SandboxSummary, Snapshot } from '../schema/summaries.ts'
import type { ProjectDocument, ProjectPatch, Seed, SeedPatch, RedactedToken, Token } from '../schema/seed.ts'
import type { ControlClient } from '../schema/command.ts'
import { errors } from '../schema/error.ts'
import { quote } from '../schema/problem.ts'
import { isSandboxName, sandboxNameForm } from '../schema/url.ts'
import { ignoreError, withCallerStack, createScopedCall, requireString } from './call.ts'
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
  /** The whole state: records, clock, behaviors and scheduled payments. */
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
     * Saves the state under a name.
     *
     * @example
     * await acme.snapshots.save('empty')
     * await acme.users.create({ email: 'ada@example.com' })
     * await acme.snapshots.restore('empty')
     */
    save(name: string): Promise<Snapshot>
    /** Lists the snapshots. */
    list(): Promise<readonly Snapshot[]>
    /** Replaces the state with the copy. @throws MockError `snapshotNotFound` */
    restore(name: string): Promise<S>
    /** Deletes a snapshot. @throws MockError `snapshotNotFound` */
    delete(name: string): Promise<void>
  }
  /** The clock of the project, or of all projects. */
  readonly clock: {
    /** Returns the clock with its current time. */
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
    /** Lists the scheduled payments. */
    list(): Promise<readonly ScheduledPayment[]>
    /** Cancels the scheduled payments of a link. @default all links @throws MockError `scheduledPaymentNotFound` */
    cancel(paymentLink?: string): Promise<void>
  }
  /** The behavior values: the choices of the mock where the specification is silent. */
  readonly behaviors: {
    /** Returns the current values and all possible ones. */
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
    /** Replaces the tokens. With none, any token is valid. */
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
  /** The id of the project. */
  readonly id: string
  /** The users of the project. */
  readonly users: UserRecords
  /** The payment links of the project. */
  readonly paymentLinks: PaymentLinkRecords
  /** Returns the number of records, the clock and the revision. */
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

/** A sandbox: a mock of its own, with its own address, state, clock, faults and journal. */
export interface Sandbox extends Control, AsyncDisposable {
  /** The name of the sandbox. */
  readonly name: string
  /** The address of the sandbox. Undefined while an embedded mock does not listen. */
  readonly url: string | undefined
  /** Deletes the sandbox. Its requests end as with a reset. */
  dispose(): Promise<void>
}

/** Control of a mock with its sandboxes. */
export interface ServerControl extends Control {
  /**
   * Returns a sandbox: a mock of its own below `/@name`. It starts from the seed on first use.
   *
   * @throws MockError `invalidOptions` for an invalid name
   */
  sandbox(name: string): Sandbox
  /** The sandboxes of the mock. */
  readonly sandboxes: {
    /** Lists the sandboxes. */
    list(): Promise<readonly SandboxSummary[]>
    /** Deletes a sandbox; without an argument, all of them. Rejects with `sandboxNotFound` for an unknown name. */
    delete(name?: string): Promise<void>
  }
}

/** Returns the control interface over a client. */
export const createControl = (client: ControlClient): Control =>
  withCallerStack({
    ...createScope<Seed, SeedPatch, readonly ProjectSummary[]>(client),
    project: (id) => withCallerStack(createProjectControl(client, id)),
    projects: () => client.call('listProjects').then(getItems),
  })

/** Returns the part of a server's control that concerns sandboxes. `open` returns the control of one. */
export const createSandboxMethods = <S extends Sandbox>(client: ControlClient, open: (name: string) => S) => {
  const call = createScopedCall(client, undefined)
  return withCallerStack({
    sandbox: (name: string) => {
      requireString('sandbox', name)
      if (isSandboxName(name)) return open(name)
      throw errors.invalidOptions({ message: `sandbox must be ${sandboxNameForm} (got ${quote(name)}).` })
    },
    sandboxes: {
      list: () => call('listSandboxes').then(getItems),
      // An argument that is undefined is a mistake and must not delete all.
      delete: (...named: [name?: string]) =>
        named.length === 0 ? call('deleteSandboxes') : call('deleteSandbox', { params: { sandbox: named[0]! } }),
    },
  })
}

/** Returns the control of a sandbox, which `server` deletes. */
export const createSandbox = (server: ControlClient, name: string, client: ControlClient): Omit<Sandbox, 'url'> => {
  // It may never have been used, or have been evicted.
  const dispose = () =>
    server.call('deleteSandbox', { params: { sandbox: name } }).catch(ignoreError('sandboxNotFound'))
  return { ...createControl(client), name, ...withCallerStack({ dispose, [Symbol.asyncDispose]: dispose }) }
}

const createProjectControl = (client: ControlClient, project: string): ProjectControl => {
  requireString('project', project)
  const call = createScopedCall(client, project)
  return {
    ...createScope<ProjectDocument, ProjectPatch, ProjectSummary>(client, project),
    id: project,
    ...createRecords(call),
    summary: () => call('retrieveProject'),
    patch: (body) => call('changeProject', { body }),
    delete: () => call('deleteProject'),
  }
}

/** Creates the functions for one project or, without one, for all. */
const createScope = <D, C, S>(client: ControlClient, project?: string): Scope<D, C, S> => {
  const call = createScopedCall(client, project)
  // The response is the summary of the project, or a list of all summaries.
  const getSummary = (response: object) => ('items' in response ? response.items : response) as S
  return {
    ...createTrafficControl(call, (after) =>
      client.follow(project === undefined ? {} : { params: { project } }, after),
    ),
    state: {
      get: () => call('exportState') as Promise<D>,
      put: (body) => call('loadState', { body }).then(getSummary),
      patch: (body) => call('patchState', { body }).then(getSummary),
    },
    snapshots: {
      save: (name) => call('saveSnapshot', { body: { name } }),
      list: () => call('listSnapshots').then(getItems),
      restore: (name) => call('restoreSnapshot', { params: { name } }).then(getSummary),
      delete: (name) => call('deleteSnapshot', { params: { name } }),
    },
    clock: {
      get: () => call('readClock'),
      set: (body) => call('setClock', { body }),
      advance: (milliseconds) => call('advanceClock', { body: { milliseconds } }),
    },
    scheduledPayments: {
      list: () => call('listScheduledPayments').then(getItems),
      // An argument that is undefined is a mistake and must not cancel all.
      cancel: (...named) =>
        named.length === 0
          ? call('cancelScheduledPayments')
          : call('cancelScheduledPaymentsOf', { params: { paymentLink: named[0]! } }),
    },
    behaviors: {
      get: () => call('readBehaviors'),
      set: (body) => call('changeBehaviors', { body }),
    },
    tokens: {
      get: () => call('readTokens').then(getItems),
      replace: (tokens) => call('replaceTokens', { body: { tokens } }).then(getItems),
    },
    reset: () => call('reset').then(getSummary),
    // Without a format, the report is text.
    report: () => call('report') as Promise<string>,
  }
}

const getItems = <T>(list: { readonly items: T }): T => list.items
