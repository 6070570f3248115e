/** The ten operations of §4, with the behaviors. */
import {
  readFields,
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
import { page, readPageQuery, rejectUnknown } from './lists.ts'
import type { WireRequest } from './model.ts'
import type { BehaviorValues } from './behaviors.ts'
import { MockError, reject, rejectProblems } from './errors.ts'
import { nullableNames, pickNullable } from './nullable-fields.ts'
import {
  filterExisting,
  close,
  countRead,
  type Past,
  type PaymentLink,
  type Project,
  type Store,
  type User,
} from './state.ts'

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly takesBody: boolean
  /** Whether it is a list or a search, which `listFreshness` delays. */
  readonly isList?: boolean
  readonly handle: (call: Call) => { status: number; body: Json }
}

interface Call {
  readonly request: WireRequest
  readonly project: string
  /** The identifier in the path; empty where the path has none. */
  readonly id: string
  readonly query: URLSearchParams
  readonly behaviors: BehaviorValues
  /** The earlier state that a reading operation shows. Null: the current one. */
  readonly past: Past | null
}

interface Service {
  readonly store: Store
  readonly origin: string
  /** Returns the next id, which is the id of the mock. */
  readonly draw: (name: string, project: Project, prefix: 'usr' | 'pml') => string
}

/** The two routes that match `users/search` differ in their methods. */
export function createOperations({ store, origin, draw }: Service): readonly Operation[] {
  const { read, write } = store
  /** The state that the client sees. */
  const see = ({ project, past }: Call) => (past === null ? read(project) : store.readPast(project, past))
  const toLinkView = ({ project, behaviors }: Call, link: PaymentLink) =>
    renderLink(link, { project, origin, behaviors })
  const user = (method: string, id: string, change: (call: Call) => User): Operation => ({
    id,
    method,
    path: '/projects/{project}/users/{user}',
    takesBody: method === 'PATCH',
    handle: (call) => {
      requireUser(see(call), call.id)
      if (method !== 'PATCH') {
        rejectStray(call)
        rejectUnreadable(call.request)
      }
      return { status: 200, body: renderUser(change(call), call.behaviors) }
    },
  })

  return [
    user('GET', 'retrieveUser', (call) => requireUser(see(call), call.id)),
    user('DELETE', 'deleteUser', ({ project: name, id }) =>
      write(name, (project) => Object.assign(requireUser(project, id), { isDeleted: true })),
    ),
    user('PATCH', 'updateUser', (call) => {
      rejectStray(call)
      const fields = readBody(call, userFields, (all) => userProblems(all, { emailRequired: false }))
      return write(call.project, (project) =>
        updateUser(project, requireUser(project, call.id), fields, call.behaviors),
      )
    }),
    {
      id: 'searchUsers',
      method: 'POST',
      path: '/projects/{project}/users/search',
      takesBody: true,
      isList: true,
      handle: (call) => {
        const { query, behaviors } = call
        const { users } = see(call)
        const asked = readPageQuery(query, users, behaviors)
        // Assumed: any string is a valid search, also one that is not an email.
        const fields = readBody(call, searchFields, (all) =>
          problem('email', isNullable(isString)(all.get('email') ?? null)),
        )
        const email = (fields.get('email') ?? null) as string | null
        const body = page(users, isFound(email, behaviors), asked, (one) => renderUser(one, behaviors))
        return { status: 200, body }
      },
    },
    {
      id: 'listUsers',
      method: 'GET',
      path: '/projects/{project}/users',
      takesBody: false,
      isList: true,
      handle: (call) => {
        const { query, behaviors } = call
        const { users } = see(call)
        const asked = readPageQuery(query, users, behaviors)
        return {
          status: 200,
          body: page(
            users,
            () => true,
            asked,
            (one) => renderUser(one, behaviors),
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
        const { behaviors, project: name } = call
        rejectStray(call)
        const fields = readBody(call, userFields, (all) => userProblems(all, { emailRequired: true }))
        const user = write(name, (project, now) => {
          const email = fields.get('email') as string
          const metadata = getMetadata(fields)
          rejectLarge(metadata, behaviors)
          rejectTaken(project, email, behaviors)
          const made: User = {
            id: draw(name, project, 'usr'),
            isDeleted: false,
            createdAt: now,
            email,
            emailVerified: behaviors.emailVerifiedOnCreate,
            ...pickNullable((field) => fields.get(field)),
            preferredLocale: (fields.get('preferredLocale') ?? project.preferredLocale) as string,
            metadata,
          }
          project.users.push(made)
          return made
        })
        return { status: behaviors.createStatus, body: renderUser(user, behaviors) }
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
        return { status: 200, body: toLinkView(call, link) }
      },
    },
    {
      id: 'retrievePaymentLink',
      method: 'GET',
      path: '/projects/{project}/paymentLinks/{paymentLink}',
      takesBody: false,
      handle: (call) => {
        const has = ({ paymentLinks }: Project) => filterExisting(paymentLinks).some(({ id }) => id === call.id)
        // A link that an earlier state does not have counts the read, if it exists by now.
        if (has(see(call))) rejectStray(call)
        else linkIn(read(call.project), call.id)
        write(call.project, (project, now) => {
          // Assumed: a HEAD does not count as a retrieve. A link that an earlier state shows may be deleted by now.
          if (call.request.method !== 'HEAD' && has(project)) countRead(project, call.id, now)
        })
        return { status: 200, body: toLinkView(call, linkIn(see(call), call.id)) }
      },
    },
    {
      id: 'listPaymentLinks',
      method: 'GET',
      path: '/projects/{project}/paymentLinks',
      takesBody: false,
      isList: true,
      handle: (call) => {
        const { query, behaviors } = call
        const { paymentLinks } = see(call)
        const asked = readPageQuery(query, paymentLinks, behaviors, ['invoice', 'status'])
        const invoice = query.get('invoice')
        const statuses = query.getAll('status').flatMap((list) => list.split(','))
        // Assumed: `invoice=` matches links with an empty invoice, which do not exist.
        const matches = (link: PaymentLink) =>
          (invoice === null || link.invoice === invoice) && (statuses.length === 0 || statuses.includes(link.status))
        const render = (link: PaymentLink) => toLinkView(call, link)
        return { status: 200, body: page(paymentLinks, matches, asked, render, behaviors.paymentLinkOrder) }
      },
    },
    {
      id: 'createPaymentLink',
      method: 'POST',
      path: '/projects/{project}/paymentLinks',
      takesBody: true,
      handle: (call) => {
        const { behaviors, project: name } = call
        rejectStray(call)
        const fields = readBody(call, linkFields, linkProblems)
        const partner = fields.get('partner') as { readonly [field: string]: Json }
        const payer = getPayer(partner['user'] as { readonly [field: string]: Json })
        const invoice = fields.get('invoice') as string
        rejectLink(invoice, payer, behaviors)
        const link = write(name, (project, now) => {
          const made: PaymentLink = {
            id: draw(name, project, 'pml'),
            isDeleted: false,
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
        return { status: behaviors.createStatus, body: toLinkView(call, link) }
      },
    },
  ]
}

// --- Records

export function requireUser({ users }: Project, id: string): User {
  return filterExisting(users).find((user) => user.id === id) ?? reject('userNotFound')
}

export function linkIn({ paymentLinks }: Project, id: string): PaymentLink {
  return filterExisting(paymentLinks).find((link) => link.id === id) ?? reject('paymentLinkNotFound')
}

export function requireActiveLink(project: Project, id: string): PaymentLink {
  const link = linkIn(project, id)
  return link.status === 'active' ? link : reject('paymentLinkNotActive')
}

export function cancelLink(project: Project, id: string, now: number): PaymentLink {
  const link = linkIn(project, id)
  if (link.status === 'canceled' && project.behaviors.cancelInactive === 'idempotent') return link
  close(project, requireActiveLink(project, id), 'canceled', now)
  return link
}

function updateUser(project: Project, user: User, fields: Map<string, Json>, behaviors: BehaviorValues): User {
  // Null is a value for the nullable fields; for the email, which is not, it changes nothing.
  const email = (fields.get('email') ?? user.email) as string
  const metadata = nextMetadata(user, fields, behaviors)
  // Problems of the body come before conflicts with the state.
  if (fields.has('metadata')) rejectLarge(metadata, behaviors)
  if (email !== user.email) rejectTaken(project, email, behaviors, user)
  if (email !== user.email && behaviors.emailVerifiedOnChange === 'reset') user.emailVerified = false
  user.email = email
  user.metadata = metadata
  for (const name of nullableNames) if (fields.has(name)) user[name] = fields.get(name) as string | null
  if (fields.has('preferredLocale'))
    user.preferredLocale = (fields.get('preferredLocale') as string | null) ?? project.preferredLocale
  return user
}

function nextMetadata(user: User, fields: Map<string, Json>, { metadataUpdate }: BehaviorValues): Map<string, Json> {
  if (!fields.has('metadata')) return user.metadata
  if (metadataUpdate === 'replace') return getMetadata(fields)
  const next = new Map(user.metadata)
  for (const [key, value] of Object.entries(fields.get('metadata') as { readonly [key: string]: Json })) {
    if (value === null) next.delete(key)
    else next.set(key, value)
  }
  return next
}

/** Assumed: only a null at the top level of metadata is dropped; a deeper null is part of its value. */
export function getMetadata(fields: Map<string, Json>): Map<string, Json> {
  const metadata = Object.entries((fields.get('metadata') ?? {}) as { readonly [key: string]: Json })
  return new Map(metadata.filter(([, value]) => value !== null))
}

/** The stored payer: only the fields of spec §2.5. */
function getPayer(user: { readonly [field: string]: Json }): PaymentLink['payer'] {
  const fields = new Map(Object.entries(user))
  const known = ['fullName', 'email', 'taxNumber'].filter((name) => fields.has(name))
  return Object.fromEntries(known.map((name) => [name, fields.get(name)!]))
}

function isFound(email: string | null, { searchMatch, searchWithoutEmail }: BehaviorValues): (user: User) => boolean {
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
function readBody({ request, behaviors }: Call, known: Known, problemsIn: (fields: Map<string, Json>) => string[]) {
  const fields = readFields(request)
  if (behaviors.unknownFields === 'reject' && hasUnknown(fields, known)) reject('invalidBody', 'unspecified')
  rejectProblems('invalidBody', problemsIn(fields))
  return fields
}

/** Rejects parameters of an operation without parameters. */
function rejectStray({ query, behaviors }: Call): void {
  if (behaviors.unknownFields === 'reject') rejectUnknown(query)
}

function rejectLarge(metadata: Map<string, Json>, { metadataLimits }: BehaviorValues): void {
  if (metadataLimits === 'strings' && !isWithinLimits(metadata)) throw new MockError('invalidBody', 'unspecified')
}

/** The user's own email is not a conflict. */
function rejectTaken({ users }: Project, email: string, { duplicateEmail }: BehaviorValues, own?: User): void {
  const isTaken = filterExisting(users).some((user) => user !== own && user.email.toLowerCase() === email.toLowerCase())
  if (isTaken && duplicateEmail === 'conflict') throw new MockError('emailTaken', ['email'])
}

function rejectLink(invoice: string, payer: PaymentLink['payer'], { payerFields, invoiceIds }: BehaviorValues): void {
  const missing = ['fullName', 'email', 'taxNumber'].filter((name) => payer[name] === undefined)
  rejectProblems('invalidBody', [
    ...(payerFields === 'required' ? missing.map((name) => `partner.user.${name}`) : []),
    ...problem('invoice', invoiceIds !== 'prefix' || invoice.startsWith('inv_')),
  ])
  // Nobody seeded any.
  if (invoiceIds === 'seeded') throw new MockError('invoiceNotFound', ['invoice'])
}

// --- Rendering: spec §2

export function renderUser(user: User, behaviors?: BehaviorValues): Json {
  return {
    object: 'user',
    id: user.id,
    metadata: Object.fromEntries(user.metadata),
    ...pickNullable((name) => user[name as keyof User]),
    createdAt: timestamp(user.createdAt, behaviors),
    email: user.email,
    emailVerified: user.emailVerified,
    preferredLocale: user.preferredLocale,
  }
}

interface Where {
  readonly project: string
  readonly origin: string
  readonly behaviors?: BehaviorValues
}

export function renderLink(
  link: PaymentLink,
  { project, origin, behaviors }: Where,
): { readonly [field: string]: Json } {
  return {
    object: 'paymentLink',
    id: link.id,
    canceledAt: timestamp(link.canceledAt, behaviors),
    completedAt: timestamp(link.completedAt, behaviors),
    createdAt: timestamp(link.createdAt, behaviors),
    partner: { redirectUrl: link.redirectUrl },
    invoice: link.invoice,
    paymentUrl: `${origin}/pay/${encodeURIComponent(project)}/${link.id}`,
    status: link.status,
    type: 'partner',
  }
}

export function timestamp(milliseconds: number | null, behaviors?: BehaviorValues): string | null {
  if (milliseconds === null) return null
  const text = new Date(milliseconds).toISOString()
  return behaviors?.timestampPrecision === 'seconds' ? text.replace(/\.[0-9]+Z$/, 'Z') : text
}
