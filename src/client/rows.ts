import type { Send } from '../schema/verbs.ts'
import type { PaymentLinkRows, UserRows } from './control.ts'

/** The rows of a project, over anything that carries calls. */
export const createRows = (
  send: Send,
  project: string,
): { readonly users: UserRows; readonly paymentLinks: PaymentLinkRows } => {
  const params = { project }
  return {
    users: {
      list: (query = {}) => send.one('listUsers', { params, query }),
      create: (body) => send.one('createUser', { params, body }),
      get: (user) => send.one('retrieveUser', { params: { project, user } }),
      patch: (user, body) => send.one('patchUser', { params: { project, user }, body }),
      delete: (user) => send.one('deleteUser', { params: { project, user } }),
    },
    paymentLinks: {
      list: (query = {}) => send.one('listPaymentLinks', { params, query }),
      create: (body) => send.one('createPaymentLink', { params, body }),
      get: (paymentLink) => send.one('retrievePaymentLink', { params: { project, paymentLink } }),
      patch: (paymentLink, body) => send.one('patchPaymentLink', { params: { project, paymentLink }, body }),
      delete: (paymentLink) => send.one('deletePaymentLink', { params: { project, paymentLink } }),
      // Whether it is the link or a plan that comes back follows from `when`, as the overloads say.
      pay: ((paymentLink: string, body: object = {}) =>
        send.one('payPaymentLink', { params: { project, paymentLink }, body })) as PaymentLinkRows['pay'],
      cancel: (paymentLink) => send.one('cancelPaymentLink', { params: { project, paymentLink } }),
    },
  }
}
