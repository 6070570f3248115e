import { checkOptions, type OptionChecks, requireOption } from '../schema/check-options.ts'
import type { ControlClient } from '../control/commands.ts'
import type { MockEvent } from '../schema/recorded-request.ts'
import type { ProjectDocument, ProjectPatch, Seed, SeedPatch } from '../schema/seed.ts'
import type { ProjectSummary, SandboxSummary } from '../schema/summaries.ts'
import { isSandboxName, sandboxNameForm } from '../schema/url.ts'
import { createForAllOrOne, createScopedCall, getItems, ignoreError, requireString, withCallerStack } from './call.ts'
import { createLazyIterable } from './event-subscription.ts'
import { createFaultControl, type FaultControl } from './fault-control.ts'
import { createPaymentControl, createRecordControl, type PaymentControl, type RecordControl } from './record-control.ts'
import { createRequestControl, type RequestControl } from './request-control.ts'
import { createSettingControl, type SettingControl } from './setting-control.ts'
import { createStateControl, type StateControl } from './state-control.ts'

/**
 * Control of one project or of all projects.
 *
 * @typeParam D the document of the state
 * @typeParam C a change of the state
 * @typeParam S the summary
 */
interface ScopeControl<D, C, S>
  extends StateControl<D, C, S>, SettingControl, PaymentControl, RequestControl, FaultControl {
  /**
   * Subscribes to events: from the first `next()` on, or after the event with the id `after`.
   *
   * @throws MockError `invalidOptions` for an invalid `after`
   */
  events(options?: EventsOptions): AsyncIterable<MockEvent>
  /** Returns the last requests, records and faults as text, for the output of a failed test. */
  report(): Promise<string>
}

interface EventsOptions {
  /** The id of the event before the first one. @default the newest event */
  readonly after?: number | undefined
}

/** Control of one project. Errors of the mock reject with a `MockError`. */
export interface ProjectControl extends ScopeControl<ProjectDocument, ProjectPatch, ProjectSummary>, RecordControl {
  /** The id of the project. */
  readonly id: string
  /** Returns the number of records, the clock and the revision. */
  summary(): Promise<ProjectSummary>
  /** Sets the fields of the project itself. */
  patch(change: { readonly preferredLocale?: string | undefined }): Promise<ProjectSummary>
  /** Deletes the project. Its next use creates it again from the template. @throws MockError `projectNotFound` */
  delete(): Promise<void>
}

/** Control of a mock. It is the same in process and over HTTP. */
export interface Control extends ScopeControl<Seed, SeedPatch, readonly ProjectSummary[]> {
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

export const createControl = (client: ControlClient): Control =>
  withCallerStack({
    ...createScopeControl<Seed, SeedPatch, readonly ProjectSummary[]>(client),
    project: (id) => withCallerStack(createProjectControl(client, id)),
    projects: () => client.call('listProjects').then(getItems),
  })

export const createSandboxMethods = <S extends Sandbox>(client: ControlClient, openSandbox: (name: string) => S) => {
  const call = createScopedCall(client, undefined)
  return withCallerStack({
    sandbox: (name: string) => {
      requireString('sandbox', name)
      requireOption('sandbox', isSandboxName(name), `must be ${sandboxNameForm}`, name)
      return openSandbox(name)
    },
    sandboxes: {
      list: () => call('listSandboxes').then(getItems),
      delete: createForAllOrOne(call, 'deleteSandboxes', 'deleteSandbox', 'sandbox'),
    },
  })
}

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
    ...createScopeControl<ProjectDocument, ProjectPatch, ProjectSummary>(client, project),
    id: project,
    ...createRecordControl(call),
    summary: () => call('retrieveProject'),
    patch: (body) => call('changeProject', { body }),
    delete: () => call('deleteProject'),
  }
}

const eventsChecks: OptionChecks<EventsOptions> = {
  after: (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) < 1e15
      ? undefined
      : 'must be the id of an event, an integer from 0',
}

const createScopeControl = <D, C, S>(client: ControlClient, project?: string): ScopeControl<D, C, S> => {
  const call = createScopedCall(client, project)
  return {
    ...createStateControl<D, C, S>(call),
    ...createSettingControl(call),
    ...createPaymentControl(call),
    ...createRequestControl(call),
    ...createFaultControl(call),
    events: (options = {}) => {
      const { after } = checkOptions<EventsOptions>('events', '{ after: 0 }', eventsChecks, options)
      return createLazyIterable(() => client.follow(project === undefined ? {} : { params: { project } }, after))
    },
    // Without a format, the report is text.
    report: () => call('report') as Promise<string>,
  }
}
