/** The ten operations of spec §4, with the behaviors of design §4. */
import {
  fieldsOf,
  hasUnknown,
  isWithinLimits,
  type Known,
  linkFields,
  linkProblems,
  problem,
  rejectUnreadable,
  searchFields,
  userFields,
  userProblems,
} from './bodies.ts'
import { isNullable, isString, type Json } from './formats.ts'
import { page, pageAskedFor, rejectUnknown } from './lists.ts'
import type { WireRequest } from './model.ts'
import type { Readings } from './behaviors.ts'
import { MockError, refuse, rejectProblems } from './errors.ts'
import { alive, close, countRead, type PaymentLink, type Project, type Store, type User } from './state.ts'

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly takesBody: boolean
  readonly handle: (call: Call) => { status: number; body: Json }
}

interface Call {
  readonly request: WireRequest
  readonly project: string
  /** The identifier in the path; empty where the path has none. */
  readonly id: string
  readonly query: URLSearchParams
  readonly readings: Readings
}

interface Service {
  readonly store: Store
  readonly origin: string
  /** Returns the next id, which is the id of the mock. */
  readonly draw: (name: string, project: Project, prefix: 'usr' | 'pml') => string
}

/** The two routes that match `users/search` differ in their methods. */
export function operationsOf({ store, origin, draw }: Service): readonly Operation[] {
  const { read, write } = store
  const shownLink = ({ project, readings }: Call, link: PaymentLink) => renderLink(link, { project, origin, readings })
  const user = (method: string, id: string, change: (call: Call) => User): Operation => ({
    id,
    method,
    path: '/projects/{project}/users/{user}',
    takesBody: method === 'PATCH',
    handle: (call) => {
      userIn(read(call.project), call.id)
      if (method !== 'PATCH') {
        rejectStray(call)
        rejectUnreadable(call.request)
      }
      return { status: 200, body: renderUser(change(call), call.readings) }
    },
  })

  return [
    user('GET', 'retrieveUser', ({ project, id }) => userIn(read(project), id)),
    user('DELETE', 'deleteUser', ({ project: name, id }) =>
      write(name, (project) => Object.assign(userIn(project, id), { gone: true })),
    ),
    user('PATCH', 'updateUser', (call) => {
      rejectStray(call)
      const fields = bodyOf(call, userFields, (all) => userProblems(all, { emailRequired: false }))
      return write(call.project, (project) => updateUser(project, userIn(project, call.id), fields, call.readings))
    }),
    {
      id: 'searchUsers',
      method: 'POST',
      path: '/projects/{project}/users/search',
      takesBody: true,
      handle: (call) => {
        const { query, readings } = call
        const { users } = read(call.project)
        const asked = pageAskedFor(query, users, readings)
        // Assumed: any string is a valid search, also one that is not an email.
        const fields = bodyOf(call, searchFields, (all) =>
          problem('email', isNullable(isString)(all.get('email') ?? null)),
        )
        const email = (fields.get('email') ?? null) as string | null
        const body = page(users, isFound(email, readings), asked, (one) => renderUser(one, readings))
        return { status: 200, body }
      },
    },
    {
      id: 'listUsers',
      method: 'GET',
      path: '/projects/{project}/users',
      takesBody: false,
      handle: ({ project, query, readings }) => {
        const { users } = read(project)
        const asked = pageAskedFor(query, users, readings)
        return {
          status: 200,
          body: page(
            users,
            () => true,
            asked,
            (one) => renderUser(one, readings),
          ),
        }
      },
    },
    {
      id: 'createUser',
      method: 'POST',
      path: '/projects/{project}/users',
      takesBody: true,
      handle: (call) => {
        const { readings, project: name } = call
        rejectStray(call)
        const fields = bodyOf(call, userFields, (all) => userProblems(all, { emailRequired: true }))
        const user = write(name, (project, now) => {
          const email = fields.get('email') as string
          const metadata = metadataOf(fields)
          rejectLarge(metadata, readings)
          rejectTaken(project, email, readings)
          const made: User = {
            id: draw(name, project, 'usr'),
            gone: false,
            createdAt: now,
            email,
            emailVerified: readings.emailVerifiedOnCreate,
            birthday: (fields.get('birthday') ?? null) as string | null,
            fullName: (fields.get('fullName') ?? null) as string | null,
            preferredLocale: (fields.get('preferredLocale') ?? project.preferredLocale) as string,
            metadata,
          }
          project.users.push(made)
          return made
        })
        return { status: readings.createStatus, body: renderUser(user, readings) }
      },
    },
    {
      id: 'cancelPaymentLink',
      method: 'POST',
      path: '/projects/{project}/paymentLinks/{paymentLink}/cancel',
      takesBody: false,
      handle: (call) => {
        linkIn(read(call.project), call.id)
        rejectStray(call)
        rejectUnreadable(call.request)
        const link = write(call.project, (project, now) => cancelLink(project, call.id, now))
        return { status: 200, body: shownLink(call, link) }
      },
    },
    {
      id: 'retrievePaymentLink',
      method: 'GET',
      path: '/projects/{project}/paymentLinks/{paymentLink}',
      takesBody: false,
      handle: (call) => {
        linkIn(read(call.project), call.id)
        rejectStray(call)
        const link = write(call.project, (project, now) => {
          // Assumed: a HEAD does not count as a retrieve.
          if (call.request.method !== 'HEAD') countRead(project, call.id, now)
          return linkIn(project, call.id)
        })
        return { status: 200, body: shownLink(call, link) }
      },
    },
    {
      id: 'listPaymentLinks',
      method: 'GET',
      path: '/projects/{project}/paymentLinks',
      takesBody: false,
      handle: (call) => {
        const { query, readings } = call
        const { paymentLinks } = read(call.project)
        const asked = pageAskedFor(query, paymentLinks, readings, ['invoice', 'status'])
        const invoice = query.get('invoice')
        const statuses = query.get('status')?.split(',')
        // Assumed: `invoice=` matches links with an empty invoice, which do not exist.
        const matches = (link: PaymentLink) =>
          (invoice === null || link.invoice === invoice) && (statuses === undefined || statuses.includes(link.status))
        const render = (link: PaymentLink) => shownLink(call, link)
        return { status: 200, body: page(paymentLinks, matches, asked, render, readings.paymentLinkOrder) }
      },
    },
    {
      id: 'createPaymentLink',
      method: 'POST',
      path: '/projects/{project}/paymentLinks',
      takesBody: true,
      handle: (call) => {
        const { readings, project: name } = call
        rejectStray(call)
        const fields = bodyOf(call, linkFields, linkProblems)
        const partner = fields.get('partner') as { readonly [field: string]: Json }
        const payer = payerIn(partner['user'] as { readonly [field: string]: Json })
        const invoice = fields.get('invoice') as string
        rejectLink(invoice, payer, readings)
        const link = write(name, (project, now) => {
          const made: PaymentLink = {
            id: draw(name, project, 'pml'),
            gone: false,
            createdAt: now,
            invoice,
            redirectUrl: (partner['redirectUrl'] ?? null) as string | null,
            status: 'active',
            canceledAt: null,
            completedAt: null,
            payer,
          }
          project.paymentLinks.push(made)
          return made
        })
        return { status: readings.createStatus, body: shownLink(call, link) }
      },
    },
  ]
}

// --- Rows

export function userIn({ users }: Project, id: string): User {
  return alive(users).find((user) => user.id === id) ?? refuse('userNotFound')
}

export function linkIn({ paymentLinks }: Project, id: string): PaymentLink {
  return alive(paymentLinks).find((link) => link.id === id) ?? refuse('paymentLinkNotFound')
}

export function activeIn(project: Project, id: string): PaymentLink {
  const link = linkIn(project, id)
  return link.status === 'active' ? link : refuse('paymentLinkNotActive')
}

export function cancelLink(project: Project, id: string, now: number): PaymentLink {
  const link = linkIn(project, id)
  if (link.status === 'canceled' && project.readings.cancelInactive === 'idempotent') return link
  close(project, activeIn(project, id), 'canceled', now)
  return link
}

function updateUser(project: Project, user: User, fields: Map<string, Json>, readings: Readings): User {
  // Null is a value for the nullable fields; for the email, which is not, it changes nothing.
  const email = (fields.get('email') ?? user.email) as string
  const metadata = nextMetadata(user, fields, readings)
  // Problems of the body come before conflicts with the state.
  if (fields.has('metadata')) rejectLarge(metadata, readings)
  if (email !== user.email) rejectTaken(project, email, readings, user)
  if (email !== user.email && readings.emailVerifiedOnChange === 'reset') user.emailVerified = false
  user.email = email
  user.metadata = metadata
  if (fields.has('birthday')) user.birthday = fields.get('birthday') as string | null
  if (fields.has('fullName')) user.fullName = fields.get('fullName') as string | null
  if (fields.has('preferredLocale'))
    user.preferredLocale = (fields.get('preferredLocale') as string | null) ?? project.preferredLocale
  return user
}

function nextMetadata(user: User, fields: Map<string, Json>, { metadataUpdate }: Readings): Map<string, Json> {
  if (!fields.has('metadata')) return user.metadata
  if (metadataUpdate === 'replace') return metadataOf(fields)
  const next = new Map(user.metadata)
  for (const [key, value] of Object.entries(fields.get('metadata') as { readonly [key: string]: Json })) {
    if (value === null) next.delete(key)
    else next.set(key, value)
  }
  return next
}

/** Assumed: only a null at the top level of metadata is dropped; a deeper null is part of its value. */
export function metadataOf(fields: Map<string, Json>): Map<string, Json> {
  const metadata = Object.entries((fields.get('metadata') ?? {}) as { readonly [key: string]: Json })
  return new Map(metadata.filter(([, value]) => value !== null))
}

/** The stored payer: only the fields of spec §2.5. */
function payerIn(user: { readonly [field: string]: Json }): PaymentLink['payer'] {
  const fields = new Map(Object.entries(user))
  const known = ['fullName', 'email', 'taxNumber'].filter((name) => fields.has(name))
  return Object.fromEntries(known.map((name) => [name, fields.get(name)!]))
}

function isFound(email: string | null, { searchMatch, searchWithoutEmail }: Readings): (user: User) => boolean {
  if (email === null) return () => searchWithoutEmail === 'all'
  const folded = email.toLowerCase()
  switch (searchMatch) {
    case 'exact':
      return (user) => user.email === email
    case 'contains':
      return (user) => user.email.toLowerCase().includes(folded)
    case 'ignoreCase':
      return (user) => user.email.toLowerCase() === folded
  }
}

// --- Errors

/** The fields of a valid body; throws otherwise. */
function bodyOf({ request, readings }: Call, known: Known, problemsIn: (fields: Map<string, Json>) => string[]) {
  const fields = fieldsOf(request)
  if (readings.unknownFields === 'reject' && hasUnknown(fields, known)) refuse('invalidBody', 'unspecified')
  rejectProblems('invalidBody', problemsIn(fields))
  return fields
}

/** Rejects parameters of an operation without parameters. */
function rejectStray({ query, readings }: Call): void {
  if (readings.unknownFields === 'reject') rejectUnknown(query)
}

function rejectLarge(metadata: Map<string, Json>, { metadataLimits }: Readings): void {
  if (metadataLimits === 'strings' && !isWithinLimits(metadata)) throw new MockError('invalidBody', 'unspecified')
}

/** The user's own email is not a conflict. */
function rejectTaken({ users }: Project, email: string, { duplicateEmail }: Readings, own?: User): void {
  const isTaken = alive(users).some((user) => user !== own && user.email.toLowerCase() === email.toLowerCase())
  if (isTaken && duplicateEmail === 'conflict') throw new MockError('emailTaken', ['email'])
}

function rejectLink(invoice: string, payer: PaymentLink['payer'], { payerFields, invoiceIds }: Readings): void {
  const missing = ['fullName', 'email', 'taxNumber'].filter((name) => payer[name] === undefined)
  rejectProblems('invalidBody', [
    ...(payerFields === 'required' ? missing.map((name) => `partner.user.${name}`) : []),
    ...problem('invoice', invoiceIds !== 'prefix' || invoice.startsWith('inv_')),
  ])
  // Nobody seeded any.
  if (invoiceIds === 'seeded') throw new MockError('invoiceNotFound', ['invoice'])
}

// --- Rendering: spec §2

export function renderUser(user: User, readings?: Readings): Json {
  return {
    object: 'user',
    id: user.id,
    metadata: Object.fromEntries(user.metadata),
    birthday: user.birthday,
    createdAt: timestamp(user.createdAt, readings),
    email: user.email,
    emailVerified: user.emailVerified,
    fullName: user.fullName,
    preferredLocale: user.preferredLocale,
  }
}

interface Where {
  readonly project: string
  readonly origin: string
  readonly readings?: Readings
}

export function renderLink(
  link: PaymentLink,
  { project, origin, readings }: Where,
): { readonly [field: string]: Json } {
  return {
    object: 'paymentLink',
    id: link.id,
    canceledAt: timestamp(link.canceledAt, readings),
    completedAt: timestamp(link.completedAt, readings),
    createdAt: timestamp(link.createdAt, readings),
    partner: { redirectUrl: link.redirectUrl },
    invoice: link.invoice,
    paymentUrl: `${origin}/pay/${encodeURIComponent(project)}/${link.id}`,
    status: link.status,
    type: 'partner',
  }
}

export function timestamp(milliseconds: number | null, readings?: Readings): string | null {
  if (milliseconds === null) return null
  const text = new Date(milliseconds).toISOString()
  return readings?.timestampPrecision === 'seconds' ? text.replace(/\.[0-9]+Z$/, 'Z') : text
}
