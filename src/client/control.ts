import type { z } from 'zod'
import type { BehaviorChoices, BehaviorReadings } from '../schema/behavior.ts'
import type { ClockDocument, ClockReading } from '../schema/clock.ts'
import type { Plan } from '../schema/plan.ts'
import type { ProjectSummary, Snapshot } from '../schema/summaries.ts'
import type { ProjectDocument, ProjectPatch, Seed, SeedPatch } from '../schema/seed.ts'
import type { Token, Tokens } from '../schema/token.ts'
import type { Send } from '../schema/commands.ts'
import { requireFinite, requireString, withCheckedCalls } from './check-arguments.ts'
import { createRecords, type PaymentLinkRows, type UserRows } from './records.ts'
import { createTrafficControl, type TrafficControl } from './traffic.ts'

/** What can be steered for one project and for all: `D` is the document of the state, `C` a change of it, `S` the summary. */
interface Scope<D, C, S> extends TrafficControl {
  readonly state: {
    /** The state as a seed: what this answers, `put` accepts. */
    get(): Promise<D>
    /** Replaces the state. Rejects with a `Refusal` that names every problem, and then nothing has changed. */
    put(document: D): Promise<S>
    /** Adds rows, or overwrites those whose ids it names. */
    patch(change: C): Promise<S>
  }
  /** Named copies of the state. They survive a reset; saving under a taken name replaces it. */
  readonly snapshots: {
    save(name: string): Promise<Snapshot>
    list(): Promise<readonly Snapshot[]>
    /** Puts the copy in the place of the state. Refuses (`snapshotNotFound`) a name that none has, as `delete` does. */
    restore(name: string): Promise<S>
    delete(name: string): Promise<void>
  }
  readonly clock: {
    get(): Promise<ClockReading>
    /** Without `now` a frozen or stepping clock starts at the time it shows. */
    set(clock: z.input<typeof ClockDocument>): Promise<ClockReading>
    /** Moves the clock on by milliseconds, never back; plans that are then due come true, in order and stamped with their time. */
    advance(milliseconds: number): Promise<ClockReading>
  }
  /** Planned payments. */
  readonly plans: {
    list(): Promise<readonly Plan[]>
    /** Takes the plans of a link back, or refuses (`planNotFound`) if it has none; without an argument all. */
    drop(paymentLink?: string): Promise<void>
  }
  /** The readings of what the specification leaves open. */
  readonly behaviors: {
    get(): Promise<BehaviorReadings>
    /** Chooses other readings; keys that are not named stay. For all it replaces what projects had for these keys. */
    set(choices: BehaviorChoices): Promise<BehaviorReadings>
  }
  /** The bearer tokens of the mocked API. None lets any token serve. */
  readonly tokens: {
    /** With a short hash in place of each token. */
    get(): Promise<Tokens['items']>
    replace(tokens: readonly Token[]): Promise<Tokens['items']>
  }
  /** Back to the seed: rows, counters, clock, plans, behaviors and tokens; no faults, an empty journal. Snapshots stay. */
  reset(): Promise<S>
}

/** Steers one project. Everything rejects with a `Refusal` when the mock refuses. */
export interface ProjectControl extends Scope<
  z.input<typeof ProjectDocument>,
  z.input<typeof ProjectPatch>,
  ProjectSummary
> {
  readonly id: string
  readonly users: UserRows
  readonly paymentLinks: PaymentLinkRows
  summary(): Promise<ProjectSummary>
  /** Sets what can be set of the project itself. */
  patch(change: { readonly preferredLocale?: string }): Promise<ProjectSummary>
  /** Takes the project away, or refuses (`projectNotFound`) if it is not there. It comes back from the template on its next use. */
  delete(): Promise<void>
}

/** Steers a mock: the same embedded and over HTTP. */
export interface Control extends Scope<z.input<typeof Seed>, z.input<typeof SeedPatch>, readonly ProjectSummary[]> {
  /** Throws a `Refusal` if the id is no text: that would steer all projects. */
  project(id: string): ProjectControl
  /** The projects that are there. */
  projects(): Promise<readonly ProjectSummary[]>
}

/** The control interface over anything that carries its calls. */
export const createControl = (given: Send): Control => controlOver(withCheckedCalls(given))

const controlOver = (send: Send): Control => ({
  project: (id) => projectControl(send, id),
  projects: () => send.one('listProjects').then(items),
  state: {
    get: () => send.all('exportState'),
    put: (body) => send.all('loadState', { body }).then(items),
    patch: (body) => send.all('patchState', { body }).then(items),
  },
  snapshots: {
    ...snapshotsOf(send),
    restore: (name) => send.all('restoreSnapshot', { params: { name } }).then(items),
  },
  ...sharedBy(send),
  reset: () => send.all('reset').then(items),
})

const projectControl = (send: Send, project: string): ProjectControl => {
  requireString('project', project)
  const params = { project }
  return {
    id: project,
    ...createRecords(send, project),
    state: {
      get: () => send.one('exportState', { params }),
      put: (body) => send.one('loadState', { params, body }),
      patch: (body) => send.one('patchState', { params, body }),
    },
    snapshots: {
      ...snapshotsOf(send, params),
      restore: (name) => send.one('restoreSnapshot', { params: { project, name } }),
    },
    ...sharedBy(send, params),
    summary: () => send.one('retrieveProject', { params }),
    patch: (body) => send.one('changeProject', { params, body }),
    delete: () => send.one('deleteProject', { params }),
    reset: () => send.one('reset', { params }),
  }
}

type Params = Readonly<Record<string, string>>

/** What is called the same way for one project and for all: only the params tell. */
const sharedBy = (
  send: Send,
  params: Params = {},
): Pick<Control, 'clock' | 'plans' | 'behaviors' | 'tokens' | keyof TrafficControl> => ({
  ...createTrafficControl(send, params),
  clock: {
    get: () => send.one('readClock', { params }),
    set: (body) => send.one('setClock', { params, body }),
    advance: async (by) =>
      send.one('advanceClock', { params, body: { milliseconds: requireFinite('milliseconds', by) } }),
  },
  plans: {
    list: () => send.one('listPlans', { params }).then(items),
    // One that is named and is undefined is a slip, and must not take back all.
    drop: (...named) =>
      named.length === 0
        ? send.one('dropPlans', { params })
        : send.one('dropPlansOf', { params: { ...params, paymentLink: named[0]! } }),
  },
  behaviors: {
    get: () => send.one('readBehaviors', { params }),
    set: (body) => send.one('changeBehaviors', { params, body }),
  },
  tokens: {
    get: () => send.one('readTokens', { params }).then(items),
    replace: (tokens) => send.one('replaceTokens', { params, body: { tokens } }).then(items),
  },
})

const snapshotsOf = (send: Send, params: Params = {}): Omit<Control['snapshots'], 'restore'> => ({
  save: (name) => send.one('saveSnapshot', { params, body: { name } }),
  list: () => send.one('listSnapshots', { params }).then(items),
  delete: (name) => send.one('deleteSnapshot', { params: { ...params, name } }),
})

const items = <T>(list: { readonly items: T }): T => list.items
