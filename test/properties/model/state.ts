/** The state of the model as plain values, which are easy to copy, and the rules of every change. */
import type { Json } from './formats.ts'
import { defaults, type Readings } from './behaviors.ts'

/** A deleted record keeps its position, because it may be a cursor. */
export interface Row {
  readonly id: string
  createdAt: number
  gone: boolean
}

export interface User extends Row {
  email: string
  emailVerified: boolean
  birthday: string | null
  fullName: string | null
  preferredLocale: string
  /** A map, because `__proto__` is a valid key. */
  metadata: Map<string, Json>
}

export interface PaymentLink extends Row {
  invoice: string
  redirectUrl: string | null
  status: 'active' | 'canceled' | 'completed'
  canceledAt: number | null
  completedAt: number | null
  payer: { readonly [field: string]: Json }
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

/** Records are in creation order. */
export interface Project {
  preferredLocale: string
  users: User[]
  paymentLinks: PaymentLink[]
  scheduledPayments: ScheduledPayment[]
  readonly drawn: { usr: number; pml: number }
  clock: Clock
  readings: Readings
}

/** The clock and the behaviors are those of new projects. */
export interface State {
  clock: Clock
  readings: Readings
  readonly projects: Map<string, Project>
}

/** Keeps the state of all projects, and how often each has changed. */
export interface Store {
  /** The whole state, after due payments. */
  all(): State
  /** The names of all projects, in order. */
  names(): readonly string[]
  /** A project, or its future content if it does not exist. Completes due payments. */
  readonly read: (name: string) => Project
  readingsOf(name: string): Readings
  now(name?: string): number
  revisionOf(name: string): number
  /** Runs `change` on a copy, which is dropped on errors. A stepping clock steps when data has changed. */
  readonly write: <T>(name: string, change: (project: Project, now: number) => T) => T
  /** Sets clocks and behaviors, which are not data. */
  readonly adjust: (name: string, change: (project: Project) => void) => void
  /** Creates a project. */
  enter(name: string): void
  replace(name: string, next: Project | undefined): void
  replaceAll(next: State): void
}

export const fresh: State = { clock: { mode: 'real', offset: 0 }, readings: defaults, projects: new Map() }

export function createStore(systemNow: () => number): Store {
  let state = copyOfAll(fresh)
  const revisions = new Map<string, number>()

  const touched = (name: string) => revisions.set(name, store.revisionOf(name) + 1)
  const unborn = (): Project => newProject(state)

  const store: Store = {
    all: () => {
      for (const name of state.projects.keys()) store.read(name)
      return state
    },
    names: () => [...state.projects.keys()].toSorted((a, b) => (a < b ? -1 : 1)),
    read: (name) => {
      const project = state.projects.get(name)
      if (project === undefined) return unborn()
      if (settle(project, timeOf(project.clock, systemNow))) touched(name)
      return project
    },
    readingsOf: (name) => (state.projects.get(name) ?? state).readings,
    now: (name) => timeOf(((name === undefined ? undefined : state.projects.get(name)) ?? state).clock, systemNow),
    revisionOf: (name) => revisions.get(name) ?? 0,
    write: (name, change) => {
      const before = store.read(name)
      const next = copyOf(before)
      const result = change(next, timeOf(next.clock, systemNow))
      state.projects.set(name, next)
      if (isSameData(next, before)) return result
      touched(name)
      if (next.clock.mode === 'stepping') next.clock = { ...next.clock, now: next.clock.now + next.clock.step }
      return result
    },
    adjust: (name, change) => {
      store.enter(name)
      change(store.read(name))
    },
    enter: (name) => void state.projects.set(name, store.read(name)),
    replace: (name, next) => {
      if (next === undefined) state.projects.delete(name)
      else state.projects.set(name, copyOf(next))
      touched(name)
    },
    replaceAll: (next) => {
      const names = new Set([...state.projects.keys(), ...next.projects.keys()])
      state = copyOfAll(next)
      for (const name of names) touched(name)
    },
  }
  return store
}

/** The initial content of a project without a seed. */
export function newProject({ clock, readings }: Pick<State, 'clock' | 'readings'>): Project {
  return {
    preferredLocale: 'en-US',
    users: [],
    paymentLinks: [],
    scheduledPayments: [],
    drawn: { usr: 0, pml: 0 },
    clock,
    readings,
  }
}

export function timeOf(clock: Clock, systemNow: () => number): number {
  return clock.mode === 'real' ? systemNow() + clock.offset : clock.now
}

export function alive<R extends Row>(rows: readonly R[]): readonly R[] {
  return rows.filter(({ gone }) => !gone)
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
function settle(project: Project, now: number): boolean {
  const instant = ({ when }: ScheduledPayment) => ('at' in when ? when.at : Infinity)
  const due = project.scheduledPayments
    .filter((scheduled) => instant(scheduled) <= now)
    .toSorted((a, b) => instant(a) - instant(b))
  project.scheduledPayments = project.scheduledPayments.filter((scheduled) => instant(scheduled) > now)
  for (const scheduled of due) completeScheduled(project, scheduled, instant(scheduled))
  return due.length > 0
}

function completeScheduled(project: Project, { paymentLink, outcome }: ScheduledPayment, at: number): void {
  const link = alive(project.paymentLinks).find(({ id }) => id === paymentLink)
  if (link?.status === 'active' && outcome === 'succeeded') close(project, link, 'completed', at)
}

/** A copy that shares no record. Field values are never mutated. */
export function copyOf(project: Project): Project {
  const { users, paymentLinks, scheduledPayments, drawn } = project
  return {
    ...project,
    users: users.map((user) => ({ ...user })),
    paymentLinks: paymentLinks.map((link) => ({ ...link })),
    scheduledPayments: [...scheduledPayments],
    drawn: { ...drawn },
  }
}

export function copyOfAll({ clock, readings, projects }: State): State {
  return { clock, readings, projects: new Map([...projects].map(([name, project]) => [name, copyOf(project)])) }
}

/** Whether two projects have the same data: records, the locale, and the number of scheduled payments. */
function isSameData(one: Project, other: Project): boolean {
  return (
    one.preferredLocale === other.preferredLocale &&
    one.scheduledPayments.length === other.scheduledPayments.length &&
    areSameRows(one.users, other.users) &&
    areSameRows(one.paymentLinks, other.paymentLinks)
  )
}

function areSameRows<R extends Row>(rows: readonly R[], others: readonly R[]): boolean {
  return rows.length === others.length && rows.every((row, index) => isSameRow(row, others[index]!))
}

function isSameRow<R extends Row>(row: R, other: R): boolean {
  const isSame = (value: unknown, also: unknown) =>
    value instanceof Map && also instanceof Map && value !== also
      ? JSON.stringify([...(value as Map<string, Json>)]) === JSON.stringify([...(also as Map<string, Json>)])
      : value === also
  return (Object.keys(row) as (keyof R)[]).every((key) => isSame(row[key], other[key]))
}
