/** The state of the model as plain values, which are easy to copy, and the rules of every change. */

/** A deleted record keeps its position, because it may be a cursor. */
export interface ModelRecord {
  readonly id: string
  createdAt: number
  isDeleted: boolean
  /** An earlier state does not have it yet: it is only the position of a cursor. */
  readonly isLater?: boolean
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

/** The behaviors that change the order or the age of a list. */
export interface Behaviors {
  readonly deletedCursor: 'reject' | 'resume' | 'empty'
  readonly paymentLinkOrder: 'newestFirst' | 'oldestFirst'
  readonly listFreshness: 'immediate' | 'delayed'
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

/** An earlier state: some changes ago, or some milliseconds ago by the clock of the project. With both, the older one. */
export interface Past {
  readonly changes?: number
  readonly milliseconds?: number
}

export const fresh: State = {
  clock: { mode: 'real', offset: 0 },
  behaviors: { deletedCursor: 'reject', paymentLinkOrder: 'newestFirst', listFreshness: 'immediate' },
  projects: new Map(),
}

export function createStore(systemNow: () => number) {
  let state = copyState(fresh)
  const revisions = new Map<string, number>()
  /** By project: the states before each change of a record, oldest first. */
  const history = new Map<string, { readonly revision: number; readonly at: number; readonly before: Project }[]>()

  const getRevision = (name: string): number => revisions.get(name) ?? 0
  const countChange = (name: string) => revisions.set(name, getRevision(name) + 1)
  const getTime = ({ clock }: { readonly clock: Clock }): number =>
    clock.mode === 'real' ? systemNow() + clock.offset : clock.now
  /** Keeps the state before a change that leads to the next revision. Sequences are shorter than the limit of the mock. */
  const keep = (name: string, before: Project, at: number) =>
    history.set(name, [...(history.get(name) ?? []), { revision: getRevision(name) + 1, at, before }])

  /** A project, or its future content if it does not exist. Completes due payments. */
  const read = (name: string): Project => {
    const project = state.projects.get(name)
    if (project === undefined) return createProject(state)
    if (runDuePayments(project, getTime(project), (before, at) => keep(name, before, at))) countChange(name)
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
    /** A project with the records of an earlier state. Completes due payments first. */
    readPast: (name: string, { changes = 0, milliseconds }: Past): Project => {
      const current = read(name)
      const kept = history.get(name) ?? []
      const isSince = kept.findIndex(({ revision }) => revision > getRevision(name) - changes)
      // From the newest on: a clock that was set back does not change the order of the states.
      const lastBefore =
        milliseconds === undefined ? -1 : kept.findLastIndex(({ at }) => at <= getTime(current) - milliseconds)
      const starts = [isSince, ...(milliseconds === undefined ? [] : [lastBefore + 1])].filter((index) => index >= 0)
      const { users, paymentLinks } = kept[Math.min(...starts)]?.before ?? current
      return {
        ...current,
        users: withLater(users, current.users),
        paymentLinks: withLater(paymentLinks, current.paymentLinks),
      }
    },
    /** Runs `change` on a copy, which is dropped on errors. A stepping clock steps when data has changed. */
    write: <T>(name: string, change: (project: Project, now: number) => T): T => {
      const before = read(name)
      const next = copyProject(before)
      const result = change(next, getTime(next))
      state.projects.set(name, next)
      if (isSameData(next, before)) return result
      if (!hasSameRecords(next, before)) keep(name, before, getTime(before))
      countChange(name)
      if (next.clock.mode === 'stepping') next.clock = { ...next.clock, now: next.clock.now + next.clock.step }
      return result
    },
    ensureProject: (name: string) => void state.projects.set(name, read(name)),
    replace: (name: string, next: Project | undefined): void => {
      if (next === undefined) state.projects.delete(name)
      else state.projects.set(name, copyProject(next))
      history.delete(name)
      countChange(name)
    },
    replaceAll: (next: State): void => {
      const names = new Set([...state.projects.keys(), ...next.projects.keys()])
      state = copyState(next)
      history.clear()
      for (const name of names) countChange(name)
    },
  }
}

/** The initial content of a project without a seed. */
export function createProject({ clock, behaviors }: Pick<State, 'clock' | 'behaviors'>): Project {
  return { users: [], paymentLinks: [], scheduledPayments: [], clock, behaviors }
}

/** Adds the records that an earlier state does not have yet. They were inserted later than its own. */
function withLater<R extends ModelRecord>(records: readonly R[], current: readonly R[]): R[] {
  const later = current.filter(({ id }) => !records.some((record) => record.id === id))
  return [...records, ...later.map((record) => ({ ...record, isDeleted: true, isLater: true }))]
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
function runDuePayments(project: Project, now: number, keepBefore: (before: Project, at: number) => void): boolean {
  const instant = ({ when }: ScheduledPayment) => ('at' in when ? when.at : Infinity)
  const due = project.scheduledPayments
    .filter((scheduled) => instant(scheduled) <= now)
    .toSorted((a, b) => instant(a) - instant(b))
  project.scheduledPayments = project.scheduledPayments.filter((scheduled) => instant(scheduled) > now)
  for (const scheduled of due) {
    const before = copyProject(project)
    completeScheduled(project, scheduled, instant(scheduled))
    if (!hasSameRecords(project, before)) keepBefore(before, instant(scheduled))
  }
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
  return one.scheduledPayments.length === other.scheduledPayments.length && hasSameRecords(one, other)
}

function hasSameRecords(one: Project, other: Project): boolean {
  return JSON.stringify([one.users, one.paymentLinks]) === JSON.stringify([other.users, other.paymentLinks])
}
