import { cancelPaymentLink, deletePaymentLink, listPaymentLinks, paymentLinkOf } from '../domain/payment-links.ts'
import { attemptPayment, cancelScheduledPayments, schedulePayment } from '../domain/scheduled-payments.ts'
import { insertPaymentLink, insertUser, patchPaymentLink, patchUser } from '../domain/rows.ts'
import { deleteUser, listUsers, searchUsers, userOf } from '../domain/users.ts'
import type { Transaction } from '../domain/transaction.ts'
import { MockError } from '../schema/error.ts'
import { type Page, unpagedList } from '../schema/list.ts'
import type { PaymentLinkRow, PaymentLinkView } from '../schema/payment-link.ts'
import type { recordCommands } from '../schema/record-commands.ts'
import type { ControlOptions, Handlers } from './types.ts'

/** The project of a call, and the origin of the payment URLs in its response. */
interface LinkCall {
  readonly project: string
  readonly origin: string | undefined
}

/** Users and payment links with their read-only fields, and payments. None of it needs a token of the mocked API. */
export const recordHandlers = ({ world, payUrl }: ControlOptions): Handlers<keyof typeof recordCommands> => {
  const write = world.update
  const view = (link: PaymentLinkRow, { project, origin }: LinkCall): PaymentLinkView => ({
    ...link,
    paymentUrl: `${payUrl(project, origin)}/${encodeURIComponent(link.id)}`,
  })
  const writeLink = (call: LinkCall, operation: (work: Transaction) => PaymentLinkRow) =>
    view(write(call.project, operation), call)
  const projectsOf = (project: string | undefined) => (project === undefined ? world.names() : [project])
  return {
    listUsers: ({ project, query: { limit = Infinity, email, ...cursors } }) =>
      pageOf(
        world.look(project, (work) =>
          email === undefined
            ? listUsers(work, { limit, ...cursors })
            : searchUsers(work, { email }, { limit, ...cursors }),
        ),
      ),
    createUser: ({ project, body }) => write(project, (work) => insertUser(work, body)),
    retrieveUser: ({ project, params }) => world.look(project, (work) => userOf(work, params.user)),
    patchUser: ({ project, params, body }) => write(project, (work) => patchUser(work, params.user, body)),
    deleteUser: ({ project, params }) => write(project, (work) => deleteUser(work, params.user)),

    listPaymentLinks: (call) => {
      const { limit = Infinity, ...query } = call.query
      const page = world.look(call.project, (work) => listPaymentLinks(work, { limit, ...query }))
      return pageOf({ ...page, items: page.items.map((link) => view(link, call)) })
    },
    createPaymentLink: (call) => writeLink(call, (work) => insertPaymentLink(work, call.body)),
    retrievePaymentLink: (call) =>
      view(
        world.look(call.project, (work) => paymentLinkOf(work, call.params.paymentLink)),
        call,
      ),
    patchPaymentLink: (call) => writeLink(call, (work) => patchPaymentLink(work, call.params.paymentLink, call.body)),
    deletePaymentLink: (call) => writeLink(call, (work) => deletePaymentLink(work, call.params.paymentLink)),

    payPaymentLink: (call) => {
      const { outcome, when } = call.body ?? {}
      const id = call.params.paymentLink
      if (when === undefined) return writeLink(call, (work) => attemptPayment(work, id, outcome))
      return write(call.project, (work) => schedulePayment(work, id, { outcome, when }))
    },
    cancelPaymentLink: (call) => writeLink(call, (work) => cancelPaymentLink(work, call.params.paymentLink)),
    listScheduledPayments: ({ project }) =>
      unpagedList(projectsOf(project).flatMap((name) => world.read(name).scheduledPayments)),
    cancelScheduledPayments: ({ project }) => {
      for (const name of projectsOf(project)) write(name, (work) => cancelScheduledPayments(work))
    },
    cancelScheduledPaymentsOf: ({ project, params: { paymentLink } }) => {
      if (project !== undefined) return write(project, (work) => cancelScheduledPayments(work, paymentLink))
      const scheduled = world
        .names()
        .filter((name) => world.read(name).scheduledPayments.some((scheduled) => scheduled.paymentLink === paymentLink))
      if (scheduled.length === 0)
        throw new MockError('scheduledPaymentNotFound', `No scheduled payment for payment link '${paymentLink}'.`)
      for (const name of scheduled) write(name, (work) => cancelScheduledPayments(work, paymentLink))
    },
  }
}

const pageOf = <T>(page: Page<T>) => ({ object: 'list' as const, ...page, items: [...page.items] })
