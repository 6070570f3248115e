/**
 * What examples cannot show of the mock, as the specification and the docs describe it: paging and order, payments that are
 * scheduled, and going back to a snapshot. It exists to be compared with the mock: simple arrays and linear scans, without
 * imports from `src`. Calls are well formed: other tests send invalid ones.
 */
import type { Behaviors, Clock, ModelRecord, PaymentLink, Project, ScheduledPayment, State, User } from './state.ts'
import {
  close,
  copyProject,
  copyState,
  countRead,
  createProject,
  createStore,
  filterExisting,
  fresh,
  removeScheduledPayments,
} from './state.ts'

type Fields = Readonly<Record<string, any>>

export interface Call {
  readonly command: Command
  /** Null: all projects. */
  readonly project: string | null
  /** The record or snapshot in the path; empty without one. */
  readonly id: string
  readonly query: Readonly<Record<string, string>>
  readonly body: Fields
}

/** A status below 400 has a body, and another one a code. */
export interface Expected {
  readonly status: number
  readonly code?: string
  readonly body?: unknown
}

/** Returns the id that the mock gave to a new record. */
export type LearnId = (prefix: 'usr' | 'pml') => string

/** The method and path of each call. Those of the control API begin with `/__admin`; `@` is the project, or nothing for all. */
export const routes = {
  createUser: 'POST /projects@/users',
  listUsers: 'GET /projects@/users',
  searchUsers: 'POST /projects@/users/search',
  retrieveUser: 'GET /projects@/users/{id}',
  updateUser: 'PATCH /projects@/users/{id}',
  deleteUser: 'DELETE /projects@/users/{id}',
  createPaymentLink: 'POST /projects@/paymentLinks',
  listPaymentLinks: 'GET /projects@/paymentLinks',
  retrievePaymentLink: 'GET /projects@/paymentLinks/{id}',
  cancelPaymentLink: 'POST /projects@/paymentLinks/{id}/cancel',
  insertUser: 'POST /__admin/projects@/users',
  patchUser: 'PATCH /__admin/projects@/users/{id}',
  insertPaymentLink: 'POST /__admin/projects@/paymentLinks',
  patchPaymentLink: 'PATCH /__admin/projects@/paymentLinks/{id}',
  removePaymentLink: 'DELETE /__admin/projects@/paymentLinks/{id}',
  pay: 'POST /__admin/projects@/paymentLinks/{id}/pay',
  listScheduledPayments: 'GET /__admin/projects@/scheduledPayments',
  cancelScheduledPayments: 'DELETE /__admin/projects@/scheduledPayments/{id}',
  setClock: 'PUT /__admin/projects@/clock',
  advanceClock: 'POST /__admin/projects@/clock/advance',
  saveSnapshot: 'POST /__admin/projects@/snapshots',
  restoreSnapshot: 'POST /__admin/projects@/snapshots/{id}/restore',
  listSnapshots: 'GET /__admin/projects@/snapshots',
  reset: 'POST /__admin/projects@/reset',
  deleteProject: 'DELETE /__admin/projects@',
  listProjects: 'GET /__admin/projects@',
  setBehaviors: 'PATCH /__admin/projects@/behaviors',
} as const

export type Command = keyof typeof routes

const statuses = {
  userNotFound: 404,
  paymentLinkNotFound: 404,
  projectNotFound: 404,
  snapshotNotFound: 404,
  scheduledPaymentNotFound: 404,
  cursorNotFound: 400,
  cursorDeleted: 400,
  paymentLinkNotActive: 409,
  idTaken: 409,
}

class Rejection extends Error {
  readonly code: keyof typeof statuses
  constructor(code: keyof typeof statuses) {
    super(code)
    this.code = code
  }
}

function reject(code: keyof typeof statuses): never {
  throw new Rejection(code)
}

export type Model = ReturnType<typeof createModel>

/** `now` is in epoch milliseconds, and `origin` that of payment pages. */
export function createModel({ now: systemNow, origin }: { readonly now: () => number; readonly origin: string }) {
  const store = createStore(systemNow)
  const { read, write } = store
  const snapshots = new Map<string, { readonly shown: unknown; readonly state: Project | State }>()
  let learn: LearnId = () => ''

  const toLinkView = (project: string, link: PaymentLink) => ({
    object: 'paymentLink',
    id: link.id,
    canceledAt: toTimestamp(link.canceledAt),
    completedAt: toTimestamp(link.completedAt),
    createdAt: toTimestamp(link.createdAt),
    partner: { redirectUrl: null },
    invoice: link.invoice,
    paymentUrl: `${origin}/pay/${encodeURIComponent(project)}/${link.id}`,
    status: link.status,
    type: 'partner',
  })
  const toAdminView = (project: string, link: PaymentLink) => ({ ...toLinkView(project, link), payer: {} })
  const toClockView = ({ clock }: Pick<Project, 'clock'>) => ({
    mode: clock.mode,
    now: toTimestamp(store.getTime({ clock })),
    ...(clock.mode === 'stepping' && { step: clock.step }),
  })
  const summarize = (name: string) => {
    // Completes due payments, which count.
    const { users, paymentLinks, clock } = read(name)
    return {
      object: 'project',
      id: name,
      revision: store.getRevision(name),
      users: filterExisting(users).length,
      paymentLinks: filterExisting(paymentLinks).length,
      preferredLocale: 'en-US',
      clock: toClockView({ clock }),
    }
  }
  const summarizeAll = () => ({ object: 'list', items: store.names().map(summarize) })

  const insertUser = (name: string, body: Fields): User =>
    write(name, (project, now) => {
      rejectTaken(project.users, body)
      // A record with the id of a deleted one takes its place.
      project.users = project.users.filter(({ id }) => id !== body['id'])
      const user: User = {
        id: body['id'] ?? learn('usr'),
        isDeleted: false,
        createdAt: toInstant(body['createdAt']) ?? now,
        email: body['email'],
        fullName: body['fullName'] ?? null,
        metadata: body['metadata'] ?? {},
      }
      project.users.push(user)
      return user
    })
  const insertLink = (name: string, body: Fields): PaymentLink =>
    write(name, (project, now) => {
      rejectTaken(project.paymentLinks, body)
      project.paymentLinks = project.paymentLinks.filter(({ id }) => id !== body['id'])
      const createdAt = toInstant(body['createdAt']) ?? now
      const status: PaymentLink['status'] = body['status'] ?? 'active'
      const link: PaymentLink = {
        id: body['id'] ?? learn('pml'),
        isDeleted: false,
        createdAt,
        invoice: body['invoice'],
        status,
        canceledAt: status === 'canceled' ? createdAt : null,
        completedAt: status === 'completed' ? createdAt : null,
      }
      project.paymentLinks.push(link)
      return link
    })
  /** Replaces the state of one project, or of all. */
  const replace = (scope: string | null, next: Project | State) => {
    if (scope === null) store.replaceAll(next as State)
    else store.replace(scope, next as Project)
    return [200, scope === null ? summarizeAll() : summarize(scope)] as const
  }
  const changeAll = (scope: string | null, change: (one: Project | State) => void) => {
    if (scope !== null) {
      store.ensureProject(scope)
      return change(read(scope))
    }
    const all = store.all()
    for (const project of all.projects.values()) change(project)
    change(all)
  }
  /** Keeps a snapshot. One that is saved again is listed last. */
  const keep = (scope: string | null, name: string, shown: unknown) => {
    const key = `${scope ?? ''} ${name}`
    snapshots.delete(key)
    snapshots.set(key, { shown, state: scope === null ? copyState(store.all()) : copyProject(read(scope)) })
  }
  const listKept = (scope: string | null) => [...snapshots.keys()].filter((key) => key.startsWith(`${scope ?? ''} `))
  const listNames = (scope: string | null) => (scope === null ? store.names() : [scope])

  type Handled = Omit<Call, 'project'> & {
    /** Empty in a call for all. */
    readonly name: string
    readonly scope: string | null
  }

  const handlers: Record<Command, (call: Handled) => readonly [status: number, body?: unknown]> = {
    createUser: ({ name, body }) => [201, toUserView(insertUser(name, body))],
    listUsers: ({ name, query }) => [
      200,
      getPage(read(name).users, () => true, query, read(name).behaviors, toUserView),
    ],
    searchUsers: ({ name, query, body: { email } }) => {
      const isFound = (user: User) => email === null || user.email.toLowerCase() === email.toLowerCase()
      return [200, getPage(read(name).users, isFound, query, read(name).behaviors, toUserView)]
    },
    retrieveUser: ({ name, id }) => [200, toUserView(requireUser(read(name), id))],
    updateUser: ({ name, id, body: { metadata, ...body } }) => {
      const user = write(name, (project) => {
        const user = requireUser(project, id)
        return Object.assign(user, body, metadata && { metadata: { ...user.metadata, ...metadata } })
      })
      return [200, toUserView(user)]
    },
    deleteUser: ({ name, id }) => [
      200,
      toUserView(write(name, (project) => Object.assign(requireUser(project, id), { isDeleted: true }))),
    ],
    createPaymentLink: ({ name, body }) => [201, toLinkView(name, insertLink(name, { invoice: body['invoice'] }))],
    listPaymentLinks: ({ name, query: { invoice, status, ...query } }) => {
      const { paymentLinks, behaviors } = read(name)
      const matches = (link: PaymentLink) =>
        (invoice === undefined || link.invoice === invoice) &&
        (status === undefined || status.split(',').includes(link.status))
      const show = (link: PaymentLink) => toLinkView(name, link)
      return [200, getPage(paymentLinks, matches, query, behaviors, show, behaviors.paymentLinkOrder)]
    },
    retrievePaymentLink: ({ name, id }) => {
      requireLink(read(name), id)
      write(name, (project, now) => countRead(project, id, now))
      return [200, toLinkView(name, requireLink(read(name), id))]
    },
    cancelPaymentLink: ({ name, id }) => {
      const link = write(name, (project, now) => {
        const active = requireActiveLink(project, id)
        close(project, active, 'canceled', now)
        return active
      })
      return [200, toLinkView(name, link)]
    },

    insertUser: ({ name, body }) => [201, toUserView(insertUser(name, body))],
    patchUser: ({ name, id, body }) => {
      const user = write(name, (project) => {
        const user = requireUser(project, id)
        moveTo(project.users, user, body)
        return Object.assign(user, { email: body['email'] ?? user.email })
      })
      return [200, toUserView(user)]
    },
    insertPaymentLink: ({ name, body }) => [201, toAdminView(name, insertLink(name, body))],
    patchPaymentLink: ({ name, id, body }) => {
      const link = write(name, (project, now) => {
        const link = requireLink(project, id)
        moveTo(project.paymentLinks, link, body)
        const { status = link.status } = body
        if (status === link.status) return link
        Object.assign(link, { canceledAt: null, completedAt: null, status })
        if (status === 'active') return link
        close(project, link, status, now)
        return link
      })
      return [200, toAdminView(name, link)]
    },
    removePaymentLink: ({ name, id }) => {
      const link = write(name, (project) => {
        removeScheduledPayments(project, id)
        return Object.assign(requireLink(project, id), { isDeleted: true })
      })
      return [200, toAdminView(name, link)]
    },
    pay: ({ name, id, body: { outcome = 'succeeded', when } }) => {
      if (when !== undefined) {
        const scheduled = write(name, (project, now): ScheduledPayment => {
          const { id: paymentLink } = requireActiveLink(project, id)
          const scheduled = { paymentLink, outcome, when: 'in' in when ? { at: now + when.in } : when }
          project.scheduledPayments.push(scheduled)
          return scheduled
        })
        return [202, toScheduledView(scheduled)]
      }
      const link = write(name, (project, now) => {
        const active = requireActiveLink(project, id)
        if (outcome === 'succeeded') close(project, active, 'completed', now)
        return active
      })
      return [200, toAdminView(name, link)]
    },
    listScheduledPayments: ({ scope }) => {
      const items = listNames(scope).flatMap((name) => read(name).scheduledPayments.map(toScheduledView))
      return [200, { object: 'list', items }]
    },
    cancelScheduledPayments: ({ scope, id }) => {
      const has = (name: string) => read(name).scheduledPayments.some(({ paymentLink }) => paymentLink === id)
      const names = listNames(scope).filter(has)
      if (names.length === 0) reject('scheduledPaymentNotFound')
      for (const name of names) write(name, (project) => removeScheduledPayments(project, id))
      return [204]
    },
    setClock: ({ scope, body }) => {
      changeAll(scope, (one) => void (one.clock = toClock(body, store.getTime(one))))
      return [200, toClockView(scope === null ? store.all() : read(scope))]
    },
    advanceClock: ({ scope, body: { milliseconds } }) => {
      changeAll(scope, (one) => void (one.clock = advance(one.clock, milliseconds)))
      return [200, toClockView(scope === null ? store.all() : read(scope))]
    },
    saveSnapshot: ({ scope, body: { name } }) => {
      // A write, though not of records: it creates the project.
      if (scope !== null) store.ensureProject(scope)
      const projects = listNames(scope).map(summarize)
      const count = (of: 'users' | 'paymentLinks') => projects.reduce((sum, project) => sum + project[of], 0)
      const createdAt = toTimestamp(store.getTime(scope === null ? store.all() : read(scope)))
      const shown = { name, createdAt, users: count('users'), paymentLinks: count('paymentLinks') }
      keep(scope, name, shown)
      return [201, shown]
    },
    restoreSnapshot: ({ scope, id }) =>
      replace(scope, (snapshots.get(`${scope ?? ''} ${id}`) ?? reject('snapshotNotFound')).state),
    listSnapshots: ({ scope }) => {
      const items = listKept(scope).map((key) => snapshots.get(key)!.shown)
      return [200, { object: 'list', items }]
    },
    reset: ({ scope }) => replace(scope, scope === null ? fresh : createProject(fresh)),
    deleteProject: ({ name }) => {
      if (!store.names().includes(name)) reject('projectNotFound')
      store.replace(name, undefined)
      for (const key of listKept(name)) snapshots.delete(key)
      return [204]
    },
    listProjects: () => [200, summarizeAll()],
    setBehaviors: ({ scope, body }) => {
      changeAll(scope, (one) => void (one.behaviors = { ...one.behaviors, ...body }))
      return [200]
    },
  }

  return {
    respond: ({ project: scope, command, ...call }: Call, learnId: LearnId): Expected => {
      learn = learnId
      const name = scope ?? ''
      const isOperation = !routes[command].includes('/__admin')
      try {
        const [status, body] = handlers[command]({ ...call, command, name, scope })
        if (isOperation) store.ensureProject(name)
        return { status, body }
      } catch (thrown) {
        if (!(thrown instanceof Rejection)) throw thrown
        const status = statuses[thrown.code]
        // A request creates its project, except with 404.
        if (isOperation && status !== 404) store.ensureProject(name)
        return { status, code: thrown.code }
      }
    },
    /** The ids of a project, the oldest first. */
    idsOf: (name: string, kind: 'users' | 'paymentLinks', isDeleted = false): readonly string[] =>
      (read(name)[kind] as readonly ModelRecord[]).filter((one) => one.isDeleted === isDeleted).map(({ id }) => id),
  }
}

// --- Records

function rejectTaken(records: readonly ModelRecord[], { id }: Fields): void {
  if (filterExisting(records).some((record) => record.id === id)) reject('idTaken')
}

function requireUser({ users }: Project, id: string): User {
  return filterExisting(users).find((user) => user.id === id) ?? reject('userNotFound')
}

function requireLink({ paymentLinks }: Project, id: string): PaymentLink {
  return filterExisting(paymentLinks).find((link) => link.id === id) ?? reject('paymentLinkNotFound')
}

function requireActiveLink(project: Project, id: string): PaymentLink {
  const link = requireLink(project, id)
  return link.status === 'active' ? link : reject('paymentLinkNotActive')
}

/** A record with a changed creation time is the newest of that instant. */
function moveTo<R extends ModelRecord>(records: R[], record: R, { createdAt }: Fields): void {
  if (createdAt === undefined || record.createdAt === toInstant(createdAt)) return
  records.splice(records.indexOf(record), 1)
  records.push(record)
  record.createdAt = toInstant(createdAt)!
}

// --- Lists: §2.4 and §4.1

function getPage<R extends ModelRecord>(
  records: readonly R[],
  matches: (record: R) => boolean,
  { after, before, limit = '10' }: Readonly<Record<string, string>>,
  { deletedCursor }: Behaviors,
  show: (record: R) => unknown,
  order: Behaviors['paymentLinkOrder'] = 'newestFirst',
) {
  const cursor = after ?? before
  const record = records.find(({ id }) => id === cursor)
  if (cursor !== undefined && record === undefined) reject('cursorNotFound')
  if (record?.isDeleted === true) {
    if (deletedCursor === 'reject') reject('cursorDeleted')
    if (deletedCursor === 'empty') return { object: 'list', items: [], moreItemsAfter: null, moreItemsBefore: null }
  }
  // Of two records of the same instant the later one is newer: sorting is stable, so reverse the records first.
  const newestFirst = records.toReversed().toSorted((one, other) => other.createdAt - one.createdAt)
  const inOrder = order === 'newestFirst' ? newestFirst : newestFirst.toReversed()
  const matching = filterExisting(inOrder).filter(matches)
  // A cursor is a position in the whole list, whether its record matches or not.
  const position = inOrder.findIndex(({ id }) => id === cursor)
  const beyond =
    before === undefined
      ? filterExisting(inOrder.slice(position + 1)).filter(matches)
      : filterExisting(inOrder.slice(0, position)).filter(matches)
  const count = Number(limit)
  const batch = before === undefined ? beyond.slice(0, count) : beyond.slice(Math.max(0, beyond.length - count))
  // Without records in the page, the given cursor is returned.
  const returned = (given: string | undefined) => (count === 0 && beyond.length > 0 ? (given ?? null) : null)
  const [first, last] = [batch.at(0), batch.at(-1)]
  return {
    object: 'list',
    items: batch.map(show),
    moreItemsAfter: last === undefined ? returned(after) : last === matching.at(-1) ? null : last.id,
    moreItemsBefore: first === undefined ? returned(before) : first === matching.at(0) ? null : first.id,
  }
}

// --- Views and times

function toUserView({ id, createdAt, email, fullName, metadata }: User) {
  return {
    object: 'user',
    id,
    metadata,
    birthday: null,
    createdAt: toTimestamp(createdAt),
    email,
    emailVerified: true,
    fullName,
    preferredLocale: 'en-US',
  }
}

function toScheduledView({ when, ...scheduled }: ScheduledPayment) {
  return { ...scheduled, when: 'at' in when ? { at: toTimestamp(when.at) } : when }
}

function toTimestamp(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString()
}

function toInstant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}

/** Without `now` a clock starts at the time it shows. */
function toClock({ mode, now, offset = 0, step = 1000 }: Fields, current: number): Clock {
  if (mode === 'real') return { mode, offset }
  const start = toInstant(now) ?? current
  return mode === 'frozen' ? { mode, now: start } : { mode, now: start, step }
}

function advance(clock: Clock, milliseconds: number): Clock {
  return clock.mode === 'real'
    ? { ...clock, offset: clock.offset + milliseconds }
    : { ...clock, now: clock.now + milliseconds }
}
