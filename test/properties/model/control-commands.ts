/** The commands of the control API for one project or (null) for all. */
import type { Faults, FaultRule } from './faults.ts'
import type { Json } from './formats.ts'
import type { BehaviorValues } from './behaviors.ts'
import { pickNullable } from './nullable-fields.ts'
import { createResponse, MockError, reject } from './errors.ts'
import {
  requireActiveLink,
  cancelLink,
  linkIn,
  getMetadata,
  renderLink,
  renderUser,
  timestamp,
  requireUser,
} from './service.ts'
import {
  filterExisting,
  type Clock,
  close,
  copyProject,
  copyState,
  removeScheduledPayments,
  fresh,
  createProject,
  type PaymentLink,
  type ScheduledPayment,
  type Project,
  type State,
  type Store,
  getTime,
  type User,
} from './state.ts'
import type { ModelResponse } from './model.ts'
import type { Token, Tokens } from './tokens.ts'

type Fields = { readonly [field: string]: Json }

/** A call of the control API. */
export interface ControlCall {
  readonly command: Command
  readonly project: string | null
  /** The record, fault or snapshot in the path; empty without one. */
  readonly id: string
  readonly body: Json
}

interface CommandContext {
  readonly store: Store
  readonly faults: Faults
  readonly tokens: Tokens
  readonly origin: string
  readonly systemNow: () => number
  readonly draw: (name: string, project: Project, prefix: 'usr' | 'pml') => string
  /** The id of a fault that was set. */
  readonly faultId: () => string
}

type Handle = (call: { project: string; id: string; body: Fields; scope: string | null }) => ModelResponse

export type Command = keyof ReturnType<typeof createCommands>

/** The commands and their routes. `project` is empty in a call for all. */
export function createCommands({ store, faults, tokens, origin, systemNow, draw, faultId }: CommandContext) {
  const { read, write, adjust } = store
  const snapshots = new Map<string, { readonly shown: Json; readonly state: Project | State }>()

  const toUserView = (user: User) => renderUser(user)
  const shownLink = (project: string, link: PaymentLink): Json => ({
    ...renderLink(link, { project, origin }),
    payer: link.payer,
  })
  const summary = (name: string): Json => {
    const { users, paymentLinks, preferredLocale, clock } = read(name)
    return {
      object: 'project',
      id: name,
      revision: store.getRevision(name),
      users: filterExisting(users).length,
      paymentLinks: filterExisting(paymentLinks).length,
      preferredLocale,
      clock: toClockView(clock, systemNow),
    }
  }
  const summaries = (): Json => ({ object: 'list', items: store.names().map(summary) })
  const getSummary = (scope: string | null): Json => (scope === null ? summaries() : summary(scope))

  /** Replaces the state of one project, or of all. */
  const replace = (scope: string | null, next: Project | State): ModelResponse => {
    if (scope === null) store.replaceAll(next as State)
    else store.replace(scope, next as Project)
    faults.replaced(scope)
    return createResponse(200, getSummary(scope))
  }
  const changeAll = (scope: string | null, change: (one: Project | State) => void) => {
    if (scope !== null) return adjust(scope, change)
    const { projects } = store.all()
    for (const project of projects.values()) change(project)
    change(store.all())
  }
  /** Named copies of the state: snapshots, and documents of the test. */
  const keepProject = (scope: string | null, name: string) => `${scope ?? ''} ${name}`
  const keep = (scope: string | null, key: string, shown: Json) => {
    const state = scope === null ? copyState(store.all()) : copyProject(read(scope))
    // One that is saved again is listed last.
    snapshots.delete(key)
    snapshots.set(key, { shown, state })
  }

  return {
    readSummary: on('GET', '', ({ project }) => createResponse(200, summary(project))),
    readSummaries: on('GET', '/projects', () => createResponse(200, summaries())),
    setLocale: on('PATCH', '', ({ project: name, body }) => {
      write(name, (project) => void (project.preferredLocale = body['preferredLocale'] as string))
      return createResponse(200, summary(name))
    }),
    deleteProject: on('DELETE', '', ({ project }) => {
      if (!store.names().includes(project)) reject('projectNotFound')
      store.replace(project, undefined)
      for (const key of snapshots.keys()) if (key.startsWith(keepProject(project, ''))) snapshots.delete(key)
      faults.replaced(project)
      faults.removeAll(project)
      tokens.forget(project)
      return createResponse(204, null)
    }),
    reset: on('POST', '/reset', ({ scope }) => {
      const next = scope === null ? fresh : createProject(fresh)
      const replaced = replace(scope, next)
      faults.removeAll(scope)
      tokens.reset(scope)
      return replaced
    }),

    // --- Records: any field, also read-only ones. Impossible records are rejected.
    createUser: on('POST', '/users', ({ project: name, body }) => {
      const user = write(name, (project, now) => {
        rejectTaken(project.users, body)
        project.users = project.users.filter(({ id }) => id !== body['id'])
        const made: User = {
          id: (body['id'] as string | undefined) ?? draw(name, project, 'usr'),
          isDeleted: false,
          createdAt: getInstant(body, 'createdAt') ?? now,
          email: body['email'] as string,
          emailVerified: (body['emailVerified'] ?? true) as boolean,
          ...pickNullable((field) => body[field]),
          preferredLocale: (body['preferredLocale'] ?? project.preferredLocale) as string,
          metadata: getMetadata(new Map(Object.entries(body))),
        }
        project.users.push(made)
        return made
      })
      return createResponse(201, toUserView(user))
    }),
    patchUser: on('PATCH', '/users/{id}', ({ project: name, id, body }) => {
      const user = write(name, (project) => {
        const { createdAt, metadata, ...rest } = body
        const one = requireUser(project, id)
        if (createdAt !== undefined) moveTo(project.users, one, getInstant(body, 'createdAt')!)
        if (metadata !== undefined) one.metadata = getMetadata(new Map(Object.entries(body)))
        return Object.assign(one, rest)
      })
      return createResponse(200, toUserView(user))
    }),
    deleteUser: on('DELETE', '/users/{id}', ({ project: name, id }) =>
      createResponse(
        200,
        toUserView(write(name, (project) => Object.assign(requireUser(project, id), { isDeleted: true }))),
      ),
    ),
    createPaymentLink: on('POST', '/paymentLinks', ({ project: name, body }) => {
      const link = write(name, (project, now) => {
        rejectTaken(project.paymentLinks, body)
        project.paymentLinks = project.paymentLinks.filter(({ id }) => id !== body['id'])
        const createdAt = getInstant(body, 'createdAt') ?? now
        const status = (body['status'] ?? 'active') as PaymentLink['status']
        const made: PaymentLink = {
          id: (body['id'] as string | undefined) ?? draw(name, project, 'pml'),
          isDeleted: false,
          createdAt,
          invoice: body['invoice'] as string,
          redirectUrl: null,
          status,
          // Assumed: a link that is created as closed was closed at its creation.
          canceledAt: status === 'canceled' ? createdAt : null,
          completedAt: status === 'completed' ? createdAt : null,
          payer: (body['payer'] ?? {}) as PaymentLink['payer'],
        }
        project.paymentLinks.push(made)
        return made
      })
      return createResponse(201, shownLink(name, link))
    }),
    patchPaymentLink: on('PATCH', '/paymentLinks/{id}', ({ project: name, id, body }) => {
      const link = write(name, (project, now) => patchLink(project, linkIn(project, id), body, now))
      return createResponse(200, shownLink(name, link))
    }),
    deletePaymentLink: on('DELETE', '/paymentLinks/{id}', ({ project: name, id }) => {
      const link = write(name, (project) => {
        const deleted = Object.assign(linkIn(project, id), { isDeleted: true })
        removeScheduledPayments(project, id)
        return deleted
      })
      return createResponse(200, shownLink(name, link))
    }),

    // --- Payments
    pay: on('POST', '/paymentLinks/{id}/pay', ({ project: name, id, body }) => {
      const outcome = (body['outcome'] ?? 'succeeded') as ScheduledPayment['outcome']
      const when = body['when'] as Fields | undefined
      if (when !== undefined) {
        const scheduled = write(name, (project, now) => {
          const made: ScheduledPayment = {
            paymentLink: requireActiveLink(project, id).id,
            outcome,
            when: toWhen(when, now),
          }
          project.scheduledPayments.push(made)
          return made
        })
        return createResponse(202, toScheduledView(scheduled))
      }
      const link = write(name, (project, now) => {
        const active = requireActiveLink(project, id)
        if (outcome === 'succeeded') close(project, active, 'completed', now)
        return active
      })
      return createResponse(200, shownLink(name, link))
    }),
    cancel: on('POST', '/paymentLinks/{id}/cancel', ({ project: name, id }) =>
      createResponse(
        200,
        shownLink(
          name,
          write(name, (project, now) => cancelLink(project, id, now)),
        ),
      ),
    ),
    listScheduledPayments: on('GET', '/scheduledPayments', ({ scope }) => {
      const names = scope === null ? store.names() : [scope]
      return createResponse(200, {
        object: 'list',
        items: names.flatMap((name) => read(name).scheduledPayments.map(toScheduledView)),
      })
    }),
    cancelScheduledPayments: on('DELETE', '/scheduledPayments', ({ scope }) => {
      for (const name of scope === null ? store.names() : [scope])
        write(name, (project) => void (project.scheduledPayments = []))
      return createResponse(204, null)
    }),
    cancelScheduledPaymentsOf: on('DELETE', '/scheduledPayments/{id}', ({ scope, id }) => {
      const has = (name: string) => read(name).scheduledPayments.some(({ paymentLink }) => paymentLink === id)
      const names = (scope === null ? store.names() : [scope]).filter(has)
      if (names.length === 0) reject('scheduledPaymentNotFound')
      for (const name of names) write(name, (project) => removeScheduledPayments(project, id))
      return createResponse(204, null)
    }),

    // --- The clock
    readClock: on('GET', '/clock', ({ scope }) => createResponse(200, getClock(scope))),
    setClock: on('PUT', '/clock', ({ scope, body }) => {
      changeAll(scope, (one) => void (one.clock = nextClock(body, getTime(one.clock, systemNow))))
      return createResponse(200, getClock(scope))
    }),
    advanceClock: on('POST', '/clock/advance', ({ scope, body }) => {
      changeAll(scope, (one) => void (one.clock = advanced(one.clock, body['milliseconds'] as number)))
      return createResponse(200, getClock(scope))
    }),

    // --- Copies of the state
    saveSnapshot: on('POST', '/snapshots', ({ scope, body }) => {
      // A write, though not of records: it creates the project.
      if (scope !== null) store.ensureProject(scope)
      const name = body['name'] as string
      const records = (scope === null ? [...store.all().projects.values()] : [read(scope)]).map((project) => ({
        users: filterExisting(project.users).length,
        paymentLinks: filterExisting(project.paymentLinks).length,
      }))
      const shown = {
        name,
        createdAt: timestamp(store.now(scope ?? undefined)),
        users: records.reduce((sum, { users }) => sum + users, 0),
        paymentLinks: records.reduce((sum, { paymentLinks }) => sum + paymentLinks, 0),
      }
      keep(scope, keepProject(scope, name), shown)
      return createResponse(201, shown)
    }),
    listSnapshots: on('GET', '/snapshots', ({ scope }) => {
      const items = [...snapshots]
        .filter(([key]) => key.startsWith(keepProject(scope, '')))
        .map(([, { shown }]) => shown)
      return createResponse(200, { object: 'list', items })
    }),
    restoreSnapshot: on('POST', '/snapshots/{id}/restore', ({ scope, id }) =>
      replace(scope, (snapshots.get(keepProject(scope, id)) ?? reject('snapshotNotFound')).state),
    ),
    deleteSnapshot: on('DELETE', '/snapshots/{id}', ({ scope, id }) => {
      if (!snapshots.delete(keepProject(scope, id))) reject('snapshotNotFound')
      return createResponse(204, null)
    }),
    // An export is kept like a snapshot, and can be loaded at any time.
    exportState: on('GET', '/state', ({ scope }) => {
      keep(scope, `document ${keepProject(scope, '')}`, null)
      return createResponse(200, 'document')
    }),
    loadState: on('PUT', '/state', ({ scope }) =>
      replace(scope, snapshots.get(`document ${keepProject(scope, '')}`)!.state),
    ),
    loadWrong: on('PUT', '/state', () => reject('invalidBody', 'unspecified')),

    // --- Faults
    addFault: on('POST', '/faults', ({ scope, body }) => {
      // A write, though not of records: it creates the project.
      if (scope !== null) store.ensureProject(scope)
      return createResponse(201, faults.add(body as unknown as FaultRule, scope, faultId()))
    }),
    listFaults: on('GET', '/faults', ({ scope }) => createResponse(200, faults.list(scope))),
    removeFault: on('DELETE', '/faults/{id}', ({ scope, id }) => {
      faults.remove(id, scope)
      return createResponse(204, null)
    }),
    removeFaults: on('DELETE', '/faults', ({ scope }) => {
      faults.removeAll(scope)
      return createResponse(204, null)
    }),

    // --- Tokens and behaviors
    setTokens: on('PUT', '/tokens', ({ scope, body }) => {
      tokens.set(body['tokens'] as unknown as readonly Token[], scope)
      if (scope !== null) store.ensureProject(scope)
      return createResponse(200, tokens.list(scope))
    }),
    setBehaviors: on('PATCH', '/behaviors', ({ scope, body }) => {
      changeAll(scope, (one) => void (one.behaviors = { ...one.behaviors, ...(body as Partial<BehaviorValues>) }))
      return createResponse(200, scope === null ? { ...store.all().behaviors } : { ...read(scope).behaviors })
    }),
  }

  function getClock(scope: string | null): Json {
    return toClockView(scope === null ? store.all().clock : read(scope).clock, systemNow)
  }
}

interface Place {
  readonly method: string
  /** Below `/__admin`, or below `/__admin/projects/{project}`. */
  readonly path: string
}

function on(method: string, path: string, handle: Handle): Place & { readonly handle: Handle } {
  return { method, path, handle }
}

function rejectTaken(records: readonly { readonly id: string; readonly isDeleted: boolean }[], body: Fields): void {
  if (records.some(({ id, isDeleted }) => id === body['id'] && !isDeleted)) reject('idTaken')
}

/** Sets the given fields and the times of a new status; the time of another status is impossible. */
function patchLink(project: Project, link: PaymentLink, body: Fields, now: number): PaymentLink {
  const { createdAt, status = link.status, canceledAt, completedAt, invoice = link.invoice } = body
  const born = getInstant(body, 'createdAt') ?? link.createdAt
  const getTimeIn = (of: PaymentLink['status'], old: number | null, given: Json | undefined) => {
    if (given !== undefined) return given === null ? null : Date.parse(given as string)
    if (status === link.status) return old
    return status === of ? Math.max(now, born) : null
  }
  const times = {
    canceledAt: getTimeIn('canceled', link.canceledAt, canceledAt),
    completedAt: getTimeIn('completed', link.completedAt, completedAt),
  }
  if ((times.canceledAt === null) === (status === 'canceled')) throw new MockError('invalidBody', 'unspecified')
  if ((times.completedAt === null) === (status === 'completed')) throw new MockError('invalidBody', 'unspecified')
  if ((times.canceledAt ?? times.completedAt ?? born) < born) throw new MockError('invalidBody', 'unspecified')
  if (createdAt !== undefined) moveTo(project.paymentLinks, link, getInstant(body, 'createdAt')!)
  Object.assign(link, { ...times, status, invoice })
  if (status !== 'active') removeScheduledPayments(project, link.id)
  return link
}

/** A record with a changed creation time is the newest of that instant. */
function moveTo<R extends { createdAt: number }>(records: R[], record: R, createdAt: number): void {
  if (record.createdAt === createdAt) return
  records.splice(records.indexOf(record), 1)
  records.push(record)
  record.createdAt = createdAt
}

function getInstant(body: Fields, name: string): number | undefined {
  return body[name] === undefined ? undefined : Date.parse(body[name] as string)
}

function toWhen(when: Fields, now: number): ScheduledPayment['when'] {
  if (when['reads'] !== undefined) return { reads: when['reads'] as number }
  return { at: when['in'] === undefined ? getInstant(when, 'at')! : now + (when['in'] as number) }
}

function toScheduledView({ when, ...scheduled }: ScheduledPayment): Json {
  return { ...scheduled, when: 'at' in when ? { at: timestamp(when.at) } : when }
}

/** Without `now` a clock starts at the time it shows. */
function nextClock({ mode, now, offset, step }: Fields, current: number): Clock {
  if (mode === 'real') return { mode, offset: (offset ?? 0) as number }
  const start = now === undefined ? current : Date.parse(now as string)
  return mode === 'frozen' ? { mode, now: start } : { mode: 'stepping', now: start, step: (step ?? 1000) as number }
}

function advanced(clock: Clock, milliseconds: number): Clock {
  return clock.mode === 'real'
    ? { ...clock, offset: clock.offset + milliseconds }
    : { ...clock, now: clock.now + milliseconds }
}

function toClockView(clock: Clock, systemNow: () => number): Json {
  const { mode } = clock
  return { mode, now: timestamp(getTime(clock, systemNow)), ...(mode === 'stepping' && { step: clock.step }) }
}
