import * as z from 'zod/mini'
import { formatPaymentUrl, resolvePartner } from '../domain/kinds.ts'
import { listPage } from '../domain/pagination.ts'
import { listPaymentLinks } from '../domain/payment-links.ts'
import { rejectLargeRecords } from '../domain/record-size.ts'
import type { Transaction } from '../domain/transaction.ts'
import { searchUsers } from '../domain/users.ts'
import {
  buildListSchema,
  ListQuery,
  onlyOneCursor,
  optionalLimit,
  type Page,
  PaymentLinkListQuery,
} from '../schema/list.ts'
import { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView, type StoredPaymentLink } from '../schema/payment-link.ts'
import { User, UserPatch, UserSeed } from '../schema/user.ts'
import { described } from '../schema/zod-helpers.ts'
import { type Caller, type CommandContext, defineCommand } from './command.ts'

const RecordsQuery = z
  .object({
    after: ListQuery.shape.after,
    before: ListQuery.shape.before,
    limit: optionalLimit('The maximum number of records. Default: all.'),
  })
  .check(onlyOneCursor)

export const UserRecordsQuery = z.extend(RecordsQuery, {
  email: described(z.optional(z.string()), 'Only users with this email. `searchMatch` defines how it is compared.'),
})

const { invoice, status } = PaymentLinkListQuery.shape
export const PaymentLinkRecordsQuery = z.extend(RecordsQuery, { invoice, status })

const cursorErrors = ['cursorNotFound', 'cursorDeleted'] as const

/** No command needs a token of the mocked API. Read-only fields can be written too. */
export const recordCommands = {
  listUsers: defineCommand('project', 'GET', '/users', 'List users', {
    query: UserRecordsQuery,
    response: buildListSchema(User),
    errors: cursorErrors,
  }).handle(({ store }, { project, query: { limit = Infinity, email, ...cursors } }) => {
    const query = { limit, ...cursors }
    const page = store.read(project, (tx) =>
      email === undefined ? listPage(tx, 'users', query) : searchUsers(tx, { email }, query),
    )
    return toRecordList(page)
  }),

  createUser: defineCommand('project', 'POST', '/users', 'Create a user', {
    status: 201,
    body: UserSeed,
    response: User,
    errors: ['idTaken'],
    examples: {
      minimal: { summary: 'Only required fields', value: { email: 'hedy@example.com' } },
      complete: {
        summary: 'Read-only fields too',
        value: {
          id: 'usr_katherine',
          email: 'katherine@example.com',
          emailVerified: false,
          fullName: 'Katherine Johnson',
          createdAt: '2025-01-01T00:00:00.000Z',
        },
      },
    },
  }).handle((mock, { project, body }) => write(mock, project, (tx) => tx.insert('users', body))),

  retrieveUser: defineCommand('project', 'GET', '/users/{user}', 'Retrieve a user', { response: User }).handle(
    ({ store }, { project, params }) => store.read(project, (tx) => tx.require('users', params.user)),
  ),

  patchUser: defineCommand('project', 'PATCH', '/users/{user}', 'Update a user', {
    description: 'Sets any fields, including read-only ones.',
    body: UserPatch,
    response: User,
    examples: { unverified: { summary: 'A read-only field', value: { emailVerified: false } } },
  }).handle((mock, { project, params, body }) => write(mock, project, (tx) => tx.patch('users', params.user, body))),

  deleteUser: defineCommand('project', 'DELETE', '/users/{user}', 'Delete a user', { response: User }).handle(
    (mock, { project, params }) => write(mock, project, (tx) => tx.delete('users', params.user)),
  ),

  listPaymentLinks: defineCommand('project', 'GET', '/paymentLinks', 'List payment links', {
    query: PaymentLinkRecordsQuery,
    response: buildListSchema(PaymentLinkView),
    errors: cursorErrors,
  }).handle((mock, call) => {
    const { limit = Infinity, ...query } = call.query
    const page = mock.store.read(call.project, (tx) => listPaymentLinks(tx, { limit, ...query }))
    return toRecordList({ ...page, items: page.items.map((link) => createLinkView(mock, call, link)) })
  }),

  createPaymentLink: defineCommand('project', 'POST', '/paymentLinks', 'Create a payment link', {
    status: 201,
    body: PaymentLinkSeed,
    response: PaymentLinkView,
    errors: ['idTaken'],
    examples: {
      minimal: { summary: 'Only required fields', value: { invoice: 'inv_100' } },
      completed: {
        summary: 'A link that was paid',
        value: {
          invoice: 'inv_100',
          status: 'completed',
          payer: { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: 'GB123456789' },
        },
      },
    },
  }).handle((mock, call) => writeLink(mock, call, (tx) => tx.insert('paymentLinks', call.body))),

  retrievePaymentLink: defineCommand('project', 'GET', '/paymentLinks/{paymentLink}', 'Retrieve a payment link', {
    response: PaymentLinkView,
  }).handle((mock, call) => {
    const link = mock.store.read(call.project, (tx) => tx.require('paymentLinks', call.params.paymentLink))
    return createLinkView(mock, call, link)
  }),

  patchPaymentLink: defineCommand('project', 'PATCH', '/paymentLinks/{paymentLink}', 'Update a payment link', {
    description: 'Sets any fields, including read-only ones.',
    body: PaymentLinkPatch,
    response: PaymentLinkView,
    examples: { canceled: { summary: 'Another status', value: { status: 'canceled' } } },
  }).handle((mock, call) =>
    writeLink(mock, call, (tx) => tx.patch('paymentLinks', call.params.paymentLink, call.body)),
  ),

  deletePaymentLink: defineCommand('project', 'DELETE', '/paymentLinks/{paymentLink}', 'Delete a payment link', {
    response: PaymentLinkView,
  }).handle((mock, call) => writeLink(mock, call, (tx) => tx.delete('paymentLinks', call.params.paymentLink))),
}

export const write = <T>({ store, bodyLimit }: CommandContext, project: string, operation: (tx: Transaction) => T): T =>
  store.update(project, (tx) => {
    const writeResult = operation(tx)
    rejectLargeRecords(tx.changes, bodyLimit)
    return writeResult
  })

/** `origin` is the origin of the payment URLs in the response. */
export type LinkCall = { readonly project: string } & Pick<Caller, 'origin'>

export const writeLink = (mock: CommandContext, call: LinkCall, operation: (tx: Transaction) => StoredPaymentLink) =>
  createLinkView(mock, call, write(mock, call.project, operation))

export const createLinkView = (
  { payUrl }: CommandContext,
  { project, origin }: LinkCall,
  link: StoredPaymentLink,
): PaymentLinkView => {
  const projectUrl = payUrl(project, origin)
  return { ...link, partner: resolvePartner(projectUrl, link), paymentUrl: formatPaymentUrl(projectUrl, link) }
}

const toRecordList = <T>(page: Page<T>) => ({ object: 'list' as const, ...page, items: [...page.items] })
