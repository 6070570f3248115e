import { deletePaymentLink, listPaymentLinks, paymentLinkOf } from '../domain/payment-links.ts'
import { insertPaymentLink, insertUser, patchPaymentLink, patchUser } from '../domain/rows.ts'
import { deleteUser, listUsers, searchUsers, userOf } from '../domain/users.ts'
import type { Page } from '../schema/list.ts'
import type { PaymentLinkRow } from '../schema/payment-link.ts'
import type { ControlOptions, Handlers, Task } from './task.ts'

type UserVerb = 'listUsers' | 'createUser' | 'retrieveUser' | 'patchUser' | 'deleteUser'
type PaymentLinkVerb =
  'listPaymentLinks' | 'createPaymentLink' | 'retrievePaymentLink' | 'patchPaymentLink' | 'deletePaymentLink'

/** Reading and writing rows without a client's token, read-only fields included. */
export const rows = (options: ControlOptions): Handlers<UserVerb | PaymentLinkVerb> => {
  const { world } = options
  const write = world.update
  const show = paymentLinkView(options)
  return {
    listUsers: {
      one: ({ project, query: { limit = Infinity, email, ...cursors } }) =>
        listed(
          world.look(project, (work) =>
            email === undefined
              ? listUsers(work, { limit, ...cursors })
              : searchUsers(work, { email }, { limit, ...cursors }),
          ),
        ),
    },
    createUser: { one: ({ project, body }) => write(project, (work) => insertUser(work, body)) },
    retrieveUser: { one: ({ project, params }) => world.look(project, (work) => userOf(work, params.user!)) },
    patchUser: { one: ({ project, params, body }) => write(project, (work) => patchUser(work, params.user!, body)) },
    deleteUser: { one: ({ project, params }) => write(project, (work) => deleteUser(work, params.user!)) },

    listPaymentLinks: {
      one: (task) => {
        const { limit = Infinity, ...query } = task.query
        const page = world.look(task.project, (work) => listPaymentLinks(work, { limit, ...query }))
        return listed({ ...page, items: page.items.map((link) => show(link, task)) })
      },
    },
    createPaymentLink: {
      one: (task) =>
        show(
          write(task.project, (work) => insertPaymentLink(work, task.body)),
          task,
        ),
    },
    retrievePaymentLink: {
      one: (task) =>
        show(
          world.look(task.project, (work) => paymentLinkOf(work, idIn(task))),
          task,
        ),
    },
    patchPaymentLink: {
      one: (task) =>
        show(
          write(task.project, (work) => patchPaymentLink(work, idIn(task), task.body)),
          task,
        ),
    },
    deletePaymentLink: {
      one: (task) =>
        show(
          write(task.project, (work) => deletePaymentLink(work, idIn(task))),
          task,
        ),
    },
  }
}

type Where = Pick<Task<'retrievePaymentLink'>, 'project' | 'params' | 'origin'>

/** A link as the control plane shows it: with its payer, and with where it can be paid. */
export const paymentLinkView =
  ({ payUrl }: ControlOptions) =>
  (link: PaymentLinkRow, { project, origin }: Where) => ({
    ...link,
    paymentUrl: `${payUrl(project, origin)}/${encodeURIComponent(link.id)}`,
  })

export const idIn = ({ params }: Where): string => params.paymentLink!

const listed = <T>(page: Page<T>) => ({ object: 'list' as const, ...page, items: [...page.items] })
