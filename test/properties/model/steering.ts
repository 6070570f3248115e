/** The commands of the control API, design §6, for one project or (null) for all. */
import type { Faults, FaultRule } from './faults.ts'
import type { Json } from './formats.ts'
import type { Readings } from './behaviors.ts'
import { answer, MockError, refuse } from './errors.ts'
import { activeIn, cancelLink, linkIn, metadataOf, renderLink, renderUser, timestamp, userIn } from './service.ts'
import {
  alive,
  type Clock,
  close,
  copyOf,
  copyOfAll,
  removeScheduledPayments,
  fresh,
  newProject,
  type PaymentLink,
  type ScheduledPayment,
  type Project,
  type State,
  type Store,
  timeOf,
  type User,
} from './state.ts'
import type { Answer } from './model.ts'
import type { Token, Tokens } from './tokens.ts'

type Fields = { readonly [field: string]: Json }

/** A call of the control API. */
export interface SteeringCall {
  readonly verb: Verb
  readonly project: string | null
  /** The record, fault or snapshot in the path; empty without one. */
  readonly id: string
  readonly body: Json
}

interface Steering {
  readonly store: Store
  readonly faults: Faults
  readonly tokens: Tokens
  readonly origin: string
  readonly systemNow: () => number
  readonly draw: (name: string, project: Project, prefix: 'usr' | 'pml') => string
  /** The id of a fault that was set. */
  readonly faultId: () => string
}

type Handle = (call: { project: string; id: string; body: Fields; scope: string | null }) => Answer

export type Verb = keyof ReturnType<typeof steeringVerbs>

/** The commands and their routes. `project` is empty in a call for all. */
export function steeringVerbs({ store, faults, tokens, origin, systemNow, draw, faultId }: Steering) {
  const { read, write, adjust } = store
  const snapshots = new Map<string, { readonly shown: Json; readonly state: Project | State }>()

  const shownUser = (user: User) => renderUser(user)
  const shownLink = (project: string, link: PaymentLink): Json => ({
    ...renderLink(link, { project, origin }),
    payer: link.payer,
  })
  const summary = (name: string): Json => {
    const { users, paymentLinks, preferredLocale, clock } = read(name)
    return {
      object: 'project',
      id: name,
      revision: store.revisionOf(name),
      users: alive(users).length,
      paymentLinks: alive(paymentLinks).length,
      preferredLocale,
      clock: shownClock(clock, systemNow),
    }
  }
  const summaries = (): Json => ({ object: 'list', items: store.names().map(summary) })
  const summaryOf = (scope: string | null): Json => (scope === null ? summaries() : summary(scope))

  /** Replaces the state of one project, or of all. */
  const replace = (scope: string | null, next: Project | State): Answer => {
    if (scope === null) store.replaceAll(next as State)
    else store.replace(scope, next as Project)
    faults.replaced(scope)
    return answer(200, summaryOf(scope))
  }
  const inAll = (scope: string | null, change: (one: Project | State) => void) => {
    if (scope !== null) return adjust(scope, change)
    const { projects } = store.all()
    for (const project of projects.values()) change(project)
    change(store.all())
  }
  /** Named copies of the state: snapshots, and documents of the test. */
  const kept = (scope: string | null, name: string) => `${scope ?? ''} ${name}`
  const keep = (scope: string | null, key: string, shown: Json) => {
    const state = scope === null ? copyOfAll(store.all()) : copyOf(read(scope))
    snapshots.set(key, { shown, state })
  }

  return {
    readSummary: on('GET', '', ({ project }) => answer(200, summary(project))),
    readSummaries: on('GET', '/projects', () => answer(200, summaries())),
    setLocale: on('PATCH', '', ({ project: name, body }) => {
      write(name, (project) => void (project.preferredLocale = body['preferredLocale'] as string))
      return answer(200, summary(name))
    }),
    deleteProject: on('DELETE', '', ({ project }) => {
      if (!store.names().includes(project)) refuse('projectNotFound')
      store.replace(project, undefined)
      faults.replaced(project)
      faults.removeAll(project)
      tokens.forget(project)
      return answer(204, null)
    }),
    reset: on('POST', '/reset', ({ scope }) => {
      const next = scope === null ? fresh : newProject(fresh)
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
          gone: false,
          createdAt: instantIn(body, 'createdAt') ?? now,
          email: body['email'] as string,
          emailVerified: (body['emailVerified'] ?? true) as boolean,
          birthday: (body['birthday'] ?? null) as string | null,
          fullName: (body['fullName'] ?? null) as string | null,
          preferredLocale: (body['preferredLocale'] ?? project.preferredLocale) as string,
          metadata: metadataOf(new Map(Object.entries(body))),
        }
        project.users.push(made)
        return made
      })
      return answer(201, shownUser(user))
    }),
    patchUser: on('PATCH', '/users/{id}', ({ project: name, id, body }) => {
      const user = write(name, (project) => {
        const { createdAt, metadata, ...rest } = body
        const one = userIn(project, id)
        if (createdAt !== undefined) moveTo(project.users, one, instantIn(body, 'createdAt')!)
        if (metadata !== undefined) one.metadata = metadataOf(new Map(Object.entries(body)))
        return Object.assign(one, rest)
      })
      return answer(200, shownUser(user))
    }),
    deleteUser: on('DELETE', '/users/{id}', ({ project: name, id }) =>
      answer(200, shownUser(write(name, (project) => Object.assign(userIn(project, id), { gone: true })))),
    ),
    createPaymentLink: on('POST', '/paymentLinks', ({ project: name, body }) => {
      const link = write(name, (project, now) => {
        rejectTaken(project.paymentLinks, body)
        project.paymentLinks = project.paymentLinks.filter(({ id }) => id !== body['id'])
        const createdAt = instantIn(body, 'createdAt') ?? now
        const status = (body['status'] ?? 'active') as PaymentLink['status']
        const made: PaymentLink = {
          id: (body['id'] as string | undefined) ?? draw(name, project, 'pml'),
          gone: false,
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
      return answer(201, shownLink(name, link))
    }),
    patchPaymentLink: on('PATCH', '/paymentLinks/{id}', ({ project: name, id, body }) => {
      const link = write(name, (project, now) => patchLink(project, linkIn(project, id), body, now))
      return answer(200, shownLink(name, link))
    }),
    deletePaymentLink: on('DELETE', '/paymentLinks/{id}', ({ project: name, id }) => {
      const link = write(name, (project) => {
        const gone = Object.assign(linkIn(project, id), { gone: true })
        removeScheduledPayments(project, id)
        return gone
      })
      return answer(200, shownLink(name, link))
    }),

    // --- Payments
    pay: on('POST', '/paymentLinks/{id}/pay', ({ project: name, id, body }) => {
      const outcome = (body['outcome'] ?? 'succeeded') as ScheduledPayment['outcome']
      const when = body['when'] as Fields | undefined
      if (when !== undefined) {
        const plan = write(name, (project, now) => {
          const made: ScheduledPayment = { paymentLink: activeIn(project, id).id, outcome, when: whenOf(when, now) }
          project.scheduledPayments.push(made)
          return made
        })
        return answer(202, shownScheduledPayment(plan))
      }
      const link = write(name, (project, now) => {
        const active = activeIn(project, id)
        if (outcome === 'succeeded') close(project, active, 'completed', now)
        return active
      })
      return answer(200, shownLink(name, link))
    }),
    cancel: on('POST', '/paymentLinks/{id}/cancel', ({ project: name, id }) =>
      answer(
        200,
        shownLink(
          name,
          write(name, (project, now) => cancelLink(project, id, now)),
        ),
      ),
    ),
    listScheduledPayments: on('GET', '/scheduledPayments', ({ scope }) => {
      const names = scope === null ? store.names() : [scope]
      return answer(200, {
        object: 'list',
        items: names.flatMap((name) => read(name).scheduledPayments.map(shownScheduledPayment)),
      })
    }),
    cancelScheduledPayments: on('DELETE', '/scheduledPayments', ({ scope }) => {
      for (const name of scope === null ? store.names() : [scope])
        write(name, (project) => void (project.scheduledPayments = []))
      return answer(204, null)
    }),
    cancelScheduledPaymentsOf: on('DELETE', '/scheduledPayments/{id}', ({ scope, id }) => {
      const has = (name: string) => read(name).scheduledPayments.some(({ paymentLink }) => paymentLink === id)
      const names = (scope === null ? store.names() : [scope]).filter(has)
      if (names.length === 0) refuse('scheduledPaymentNotFound')
      for (const name of names) write(name, (project) => removeScheduledPayments(project, id))
      return answer(204, null)
    }),

    // --- The clock
    readClock: on('GET', '/clock', ({ scope }) => answer(200, clockOf(scope))),
    setClock: on('PUT', '/clock', ({ scope, body }) => {
      inAll(scope, (one) => void (one.clock = nextClock(body, timeOf(one.clock, systemNow))))
      return answer(200, clockOf(scope))
    }),
    advanceClock: on('POST', '/clock/advance', ({ scope, body }) => {
      inAll(scope, (one) => void (one.clock = advanced(one.clock, body['milliseconds'] as number)))
      return answer(200, clockOf(scope))
    }),

    // --- Copies of the state
    saveSnapshot: on('POST', '/snapshots', ({ scope, body }) => {
      // A write, though not of records: it creates the project.
      if (scope !== null) store.enter(scope)
      const name = body['name'] as string
      const rows = (scope === null ? [...store.all().projects.values()] : [read(scope)]).map((project) => ({
        users: alive(project.users).length,
        paymentLinks: alive(project.paymentLinks).length,
      }))
      const shown = {
        name,
        createdAt: timestamp(store.now(scope ?? undefined)),
        users: rows.reduce((sum, { users }) => sum + users, 0),
        paymentLinks: rows.reduce((sum, { paymentLinks }) => sum + paymentLinks, 0),
      }
      keep(scope, kept(scope, name), shown)
      return answer(201, shown)
    }),
    listSnapshots: on('GET', '/snapshots', ({ scope }) => {
      const items = [...snapshots].filter(([key]) => key.startsWith(kept(scope, ''))).map(([, { shown }]) => shown)
      return answer(200, { object: 'list', items })
    }),
    restoreSnapshot: on('POST', '/snapshots/{id}/restore', ({ scope, id }) =>
      replace(scope, (snapshots.get(kept(scope, id)) ?? refuse('snapshotNotFound')).state),
    ),
    deleteSnapshot: on('DELETE', '/snapshots/{id}', ({ scope, id }) => {
      if (!snapshots.delete(kept(scope, id))) refuse('snapshotNotFound')
      return answer(204, null)
    }),
    // An export is kept like a snapshot, and can be loaded at any time.
    exportState: on('GET', '/state', ({ scope }) => {
      keep(scope, `document ${kept(scope, '')}`, null)
      return answer(200, 'document')
    }),
    loadState: on('PUT', '/state', ({ scope }) => replace(scope, snapshots.get(`document ${kept(scope, '')}`)!.state)),
    loadWrong: on('PUT', '/state', () => refuse('invalidBody', 'unspecified')),

    // --- Faults
    addFault: on('POST', '/faults', ({ scope, body }) => {
      // A write, though not of records: it creates the project.
      if (scope !== null) store.enter(scope)
      return answer(201, faults.add(body as unknown as FaultRule, scope, faultId()))
    }),
    listFaults: on('GET', '/faults', ({ scope }) => answer(200, faults.list(scope))),
    removeFault: on('DELETE', '/faults/{id}', ({ scope, id }) => {
      faults.remove(id, scope)
      return answer(204, null)
    }),
    removeFaults: on('DELETE', '/faults', ({ scope }) => {
      faults.removeAll(scope)
      return answer(204, null)
    }),

    // --- Tokens and behaviors
    setTokens: on('PUT', '/tokens', ({ scope, body }) => {
      tokens.set(body['tokens'] as unknown as readonly Token[], scope)
      if (scope !== null) store.enter(scope)
      return answer(200, tokens.list(scope))
    }),
    setBehaviors: on('PATCH', '/behaviors', ({ scope, body }) => {
      inAll(scope, (one) => void (one.readings = { ...one.readings, ...(body as Partial<Readings>) }))
      return answer(200, scope === null ? { ...store.all().readings } : { ...read(scope).readings })
    }),
  }

  function clockOf(scope: string | null): Json {
    return shownClock(scope === null ? store.all().clock : read(scope).clock, systemNow)
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

function rejectTaken(rows: readonly { readonly id: string; readonly gone: boolean }[], body: Fields): void {
  if (rows.some(({ id, gone }) => id === body['id'] && !gone)) refuse('idTaken')
}

/** Sets the given fields and the times of a new status; the time of another status is impossible. */
function patchLink(project: Project, link: PaymentLink, body: Fields, now: number): PaymentLink {
  const { createdAt, status = link.status, canceledAt, completedAt, invoice = link.invoice } = body
  const born = instantIn(body, 'createdAt') ?? link.createdAt
  const timeIn = (of: PaymentLink['status'], old: number | null, given: Json | undefined) => {
    if (given !== undefined) return given === null ? null : Date.parse(given as string)
    if (status === link.status) return old
    return status === of ? Math.max(now, born) : null
  }
  const times = {
    canceledAt: timeIn('canceled', link.canceledAt, canceledAt),
    completedAt: timeIn('completed', link.completedAt, completedAt),
  }
  if ((times.canceledAt === null) === (status === 'canceled')) throw new MockError('invalidBody', 'unspecified')
  if ((times.completedAt === null) === (status === 'completed')) throw new MockError('invalidBody', 'unspecified')
  if ((times.canceledAt ?? times.completedAt ?? born) < born) throw new MockError('invalidBody', 'unspecified')
  if (createdAt !== undefined) moveTo(project.paymentLinks, link, instantIn(body, 'createdAt')!)
  Object.assign(link, { ...times, status, invoice })
  if (status !== 'active') removeScheduledPayments(project, link.id)
  return link
}

/** A record with a changed creation time is the newest of that instant. */
function moveTo<R extends { createdAt: number }>(rows: R[], row: R, createdAt: number): void {
  if (row.createdAt === createdAt) return
  rows.splice(rows.indexOf(row), 1)
  rows.push(row)
  row.createdAt = createdAt
}

function instantIn(body: Fields, name: string): number | undefined {
  return body[name] === undefined ? undefined : Date.parse(body[name] as string)
}

function whenOf(when: Fields, now: number): ScheduledPayment['when'] {
  if (when['reads'] !== undefined) return { reads: when['reads'] as number }
  return { at: when['in'] === undefined ? instantIn(when, 'at')! : now + (when['in'] as number) }
}

function shownScheduledPayment({ when, ...plan }: ScheduledPayment): Json {
  return { ...plan, when: 'at' in when ? { at: timestamp(when.at) } : when }
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

function shownClock(clock: Clock, systemNow: () => number): Json {
  const { mode } = clock
  return { mode, now: timestamp(timeOf(clock, systemNow)), ...(mode === 'stepping' && { step: clock.step }) }
}
