/** The state of the model as plain values, which are easy to copy, and the rules of every change. */

/** A deleted record keeps its position, because it may be a cursor. */
export interface ModelRecord {
  readonly id: string
  createdAt: number
  isDeleted: boolean
}

export interface User extends ModelRecord {
  email: string
  fullName: string | null
  metadata: Readonly<Record<string, unknown>>
}

export interface PaymentLink extends ModelRecord {
  invoice: string
  status: 'active' | 'canceled' | 'completed'
  canceledAt: number | null
  completedAt: number | null
}

export interface ScheduledPayment {
  readonly paymentLink: string
  readonly outcome: 'succeeded' | 'failed'
  readonly when: { readonly reads: number } | { readonly at: number }
}

export type Clock =
  | { readonly mode: 'real'; readonly offset: number }
  | { readonly mode: 'frozen'; readonly now: number }
  | { readonly mode: 'stepping'; readonly now: number; readonly step: number }

/** The behaviors that change the order of a list. */
export interface Behaviors {
  readonly deletedCursor: 'reject' | 'resume' | 'empty'
  readonly paymentLinkOrder: 'newestFirst' | 'oldestFirst'
}

/** Records are in creation order. */
export interface Project {
  users: User[]
  paymentLinks: PaymentLink[]
  scheduledPayments: ScheduledPayment[]
  clock: Clock
  behaviors: Behaviors
}

/** The clock and the behaviors are those of new projects. */
export interface State {
  clock: Clock
  behaviors: Behaviors
  readonly projects: Map<string, Project>
}

export const fresh: State = {
  clock: { mode: 'real', offset: 0 },
  behaviors: { deletedCursor: 'reject', paymentLinkOrder: 'newestFirst' },
  projects: new Map(),
}

export function createStore(systemNow: () => number) {
  let state = copyState(fresh)
  const revisions = new Map<string, number>()

  const getRevision = (name: string): number => revisions.get(name) ?? 0
  const countChange = (name: string) => revisions.set(name, getRevision(name) + 1)
  const getTime = ({ clock }: { readonly clock: Clock }): number =>
    clock.mode === 'real' ? systemNow() + clock.offset : clock.now

  /** A project, or its future content if it does not exist. Completes due payments. */
  const read = (name: string): Project => {
    const project = state.projects.get(name)
    if (project === undefined) return createProject(state)
    if (runDuePayments(project, getTime(project))) countChange(name)
    return project
  }

  return {
    read,
    getRevision,
    getTime,
    /** The whole state, after due payments. */
    all: (): State => {
      for (const name of state.projects.keys()) read(name)
      return state
    },
    names: () => [...state.projects.keys()].toSorted((a, b) => (a < b ? -1 : 1)),
    /** Runs `change` on a copy, which is dropped on errors. A stepping clock steps when data has changed. */
    write: <T>(name: string, change: (project: Project, now: number) => T): T => {
      const before = read(name)
      const next = copyProject(before)
      const result = change(next, getTime(next))
      state.projects.set(name, next)
      if (isSameData(next, before)) return result
      countChange(name)
      if (next.clock.mode === 'stepping') next.clock = { ...next.clock, now: next.clock.now + next.clock.step }
      return result
    },
    ensureProject: (name: string) => void state.projects.set(name, read(name)),
    replace: (name: string, next: Project | undefined): void => {
      if (next === undefined) state.projects.delete(name)
      else state.projects.set(name, copyProject(next))
      countChange(name)
    },
    replaceAll: (next: State): void => {
      const names = new Set([...state.projects.keys(), ...next.projects.keys()])
      state = copyState(next)
      for (const name of names) countChange(name)
    },
  }
}

/** The initial content of a project without a seed. */
export function createProject({ clock, behaviors }: Pick<State, 'clock' | 'behaviors'>): Project {
  return { users: [], paymentLinks: [], scheduledPayments: [], clock, behaviors }
}

export function filterExisting<R extends ModelRecord>(records: readonly R[]): readonly R[] {
  return records.filter(({ isDeleted }) => !isDeleted)
}

/** Closes a link and drops its scheduled payments. Assumed: the earliest time of closing is its creation. */
export function close(project: Project, link: PaymentLink, status: 'canceled' | 'completed', at: number): void {
  link.status = status
  link[status === 'canceled' ? 'canceledAt' : 'completedAt'] = Math.max(at, link.createdAt)
  removeScheduledPayments(project, link.id)
}

export function removeScheduledPayments(project: Project, paymentLink: string): void {
  project.scheduledPayments = project.scheduledPayments.filter((scheduled) => scheduled.paymentLink !== paymentLink)
}

/** Counts a retrieve by a client, which completes a payment that was scheduled for it. */
export function countRead(project: Project, paymentLink: string, now: number): void {
  const counted = project.scheduledPayments.map((scheduled) =>
    scheduled.paymentLink === paymentLink && 'reads' in scheduled.when
      ? { ...scheduled, when: { reads: scheduled.when.reads - 1 } }
      : scheduled,
  )
  const isDue = ({ when }: ScheduledPayment) => 'reads' in when && when.reads === 0
  project.scheduledPayments = counted.filter((scheduled) => !isDue(scheduled))
  for (const scheduled of counted.filter(isDue)) completeScheduled(project, scheduled, now)
}

/** Completes due payments in order, with their scheduled times. Returns whether any was due. */
function runDuePayments(project: Project, now: number): boolean {
  const instant = ({ when }: ScheduledPayment) => ('at' in when ? when.at : Infinity)
  const due = project.scheduledPayments
    .filter((scheduled) => instant(scheduled) <= now)
    .toSorted((a, b) => instant(a) - instant(b))
  project.scheduledPayments = project.scheduledPayments.filter((scheduled) => instant(scheduled) > now)
  for (const scheduled of due) completeScheduled(project, scheduled, instant(scheduled))
  return due.length > 0
}

function completeScheduled(project: Project, { paymentLink, outcome }: ScheduledPayment, at: number): void {
  const link = filterExisting(project.paymentLinks).find(({ id }) => id === paymentLink)
  if (link?.status === 'active' && outcome === 'succeeded') close(project, link, 'completed', at)
}

/** A copy that shares no record. Field values are never mutated. */
export function copyProject(project: Project): Project {
  const { users, paymentLinks, scheduledPayments } = project
  return {
    ...project,
    users: users.map((user) => ({ ...user })),
    paymentLinks: paymentLinks.map((link) => ({ ...link })),
    scheduledPayments: [...scheduledPayments],
  }
}

export function copyState({ clock, behaviors, projects }: State): State {
  return { clock, behaviors, projects: new Map([...projects].map(([name, project]) => [name, copyProject(project)])) }
}

/** Whether two projects have the same data: records, and the number of scheduled payments. */
function isSameData(one: Project, other: Project): boolean {
  const dataOf = ({ users, paymentLinks, scheduledPayments: { length } }: Project) => [users, paymentLinks, length]
  return JSON.stringify(dataOf(one)) === JSON.stringify(dataOf(other))
}
