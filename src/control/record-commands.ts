import {
  cancelPaymentLink,
  listPaymentLinks,
  attemptPayment,
  cancelScheduledPayments,
  schedulePayment,
} from '../domain/payment-links.ts'
import { type Transaction } from '../domain/transaction.ts'
import { listPage } from '../domain/pagination.ts'
import { searchUsers } from '../domain/users.ts'
import { rejectLargeRecords } from '../domain/record-size.ts'
import type { Store } from '../domain/store.ts'
import { errors } from '../schema/error.ts'
import { type Page, createUnpagedList } from '../schema/list.ts'
import type { StoredPaymentLink, PaymentLinkView } from '../schema/payment-link.ts'
import type { recordCommands } from '../schema/commands/record-definitions.ts'
import type { ControlOptions, Handlers } from './handlers.ts'
import { formatPaymentUrl } from '../domain/kinds.ts'

/** The project of a call, and the origin of the payment URLs in its response. */
interface LinkCall {
  readonly project: string
  readonly origin: string | undefined
}

/** Creates the handlers of users, payment links and payments. They read and write read-only fields too. */
export const createRecordHandlers = ({
  store,
  payUrl,
  bodyLimit,
}: ControlOptions): Handlers<keyof typeof recordCommands> => {
  const write: Store['update'] = (project, operation) =>
    store.update(project, (tx) => {
      const result = operation(tx)
      rejectLargeRecords(tx.changes, bodyLimit)
      return result
    })
  const addPaymentUrl = (link: StoredPaymentLink, { project, origin }: LinkCall): PaymentLinkView => ({
    ...link,
    paymentUrl: formatPaymentUrl(payUrl(project, origin), link),
  })
  const writeLink = (call: LinkCall, operation: (tx: Transaction) => StoredPaymentLink) =>
    addPaymentUrl(write(call.project, operation), call)
  const listProjects = (project: string | undefined) => (project === undefined ? store.projects.listNames() : [project])
  return {
    listUsers: ({ project, query: { limit = Infinity, email, ...cursors } }) =>
      toList(
        store.read(project, (tx) =>
          email === undefined
            ? listPage(tx, 'users', { limit, ...cursors })
            : searchUsers(tx, { email }, { limit, ...cursors }),
        ),
      ),
    createUser: ({ project, body }) => write(project, (tx) => tx.insert('users', body)),
    retrieveUser: ({ project, params }) => store.read(project, (tx) => tx.require('users', params.user)),
    patchUser: ({ project, params, body }) => write(project, (tx) => tx.patch('users', params.user, body)),
    deleteUser: ({ project, params }) => write(project, (tx) => tx.delete('users', params.user)),

    listPaymentLinks: (call) => {
      const { limit = Infinity, ...query } = call.query
      const page = store.read(call.project, (tx) => listPaymentLinks(tx, { limit, ...query }))
      return toList({ ...page, items: page.items.map((link) => addPaymentUrl(link, call)) })
    },
    createPaymentLink: (call) => writeLink(call, (tx) => tx.insert('paymentLinks', call.body)),
    retrievePaymentLink: (call) =>
      addPaymentUrl(
        store.read(call.project, (tx) => tx.require('paymentLinks', call.params.paymentLink)),
        call,
      ),
    patchPaymentLink: (call) => writeLink(call, (tx) => tx.patch('paymentLinks', call.params.paymentLink, call.body)),
    deletePaymentLink: (call) => writeLink(call, (tx) => tx.delete('paymentLinks', call.params.paymentLink)),

    payPaymentLink: (call) => {
      const { outcome, when } = call.body ?? {}
      const id = call.params.paymentLink
      if (when === undefined) return writeLink(call, (tx) => attemptPayment(tx, id, outcome))
      return write(call.project, (tx) => schedulePayment(tx, id, { outcome, when }))
    },
    cancelPaymentLink: (call) => writeLink(call, (tx) => cancelPaymentLink(tx, call.params.paymentLink)),
    listScheduledPayments: ({ project }) =>
      createUnpagedList(
        listProjects(project).flatMap((name) => store.read(name, ({ state }) => state.scheduledPayments)),
      ),
    cancelScheduledPayments: ({ project }) => {
      for (const name of listProjects(project)) write(name, (tx) => cancelScheduledPayments(tx))
    },
    cancelScheduledPaymentsOf: ({ project, params: { paymentLink } }) => {
      if (project !== undefined) return write(project, (tx) => cancelScheduledPayments(tx, paymentLink))
      const scheduled = store.projects
        .listNames()
        .filter((name) =>
          store.read(name, ({ state }) => state.scheduledPayments.some((one) => one.paymentLink === paymentLink)),
        )
      if (scheduled.length === 0) throw errors.scheduledPaymentNotFound({ paymentLink })
      for (const name of scheduled) write(name, (tx) => cancelScheduledPayments(tx, paymentLink))
    },
  }
}

const toList = <T>(page: Page<T>) => ({ object: 'list' as const, ...page, items: [...page.items] })
