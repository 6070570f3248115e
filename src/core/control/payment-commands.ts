import * as z from 'zod/mini'
import { attemptPayment, cancelPaymentLink, cancelScheduledPayments, schedulePayment } from '../domain/payment-links.ts'
import { errors } from '../schema/error.ts'
import { buildUnpagedListSchema, createUnpagedList } from '../schema/list.ts'
import { Payment, PaymentLinkView, ScheduledPayment } from '../schema/payment-link.ts'
import { type CommandContext, defineCommand } from './command.ts'
import { write, writeLink } from './record-commands.ts'

export const paymentCommands = {
  payPaymentLink: defineCommand('project', 'POST', '/paymentLinks/{paymentLink}/pay', 'Pay a payment link', {
    description: 'Pays now, or schedules the payment with `when`.',
    body: z.optional(Payment),
    response: PaymentLinkView,
    accepted: ScheduledPayment,
    errors: ['paymentLinkNotActive'],
    examples: {
      now: { summary: 'Pay now', value: {} },
      failed: { summary: 'A failed attempt', value: { outcome: 'failed' } },
      reads: { summary: 'Pay with the third retrieve', value: { when: { reads: 3 } } },
      at: { summary: 'Pay at an instant of the mock clock', value: { when: { at: '2030-01-01T00:00:00.000Z' } } },
      in: { summary: 'Pay in 30 seconds of the mock clock', value: { when: { in: 30_000 } } },
    },
  }).handle((mock, call) => {
    const { outcome, when } = call.body ?? {}
    const id = call.params.paymentLink
    if (when === undefined) return writeLink(mock, call, (tx) => attemptPayment(tx, id, outcome))
    return write(mock, call.project, (tx) => schedulePayment(tx, id, { outcome, when }))
  }),

  cancelPaymentLink: defineCommand('project', 'POST', '/paymentLinks/{paymentLink}/cancel', 'Cancel a payment link', {
    response: PaymentLinkView,
    errors: ['paymentLinkNotActive'],
  }).handle((mock, call) => writeLink(mock, call, (tx) => cancelPaymentLink(tx, call.params.paymentLink))),

  listScheduledPayments: defineCommand('both', 'GET', '/scheduledPayments', 'List scheduled payments', {
    response: buildUnpagedListSchema(ScheduledPayment),
  }).handle((mock, { project }) =>
    createUnpagedList(
      listNames(mock, project).flatMap((name) => mock.store.read(name, ({ state }) => state.scheduledPayments)),
    ),
  ),

  cancelScheduledPayments: defineCommand(
    'both',
    'DELETE',
    '/scheduledPayments',
    'Cancel all scheduled payments',
  ).handle((mock, { project }) => {
    for (const name of listNames(mock, project)) write(mock, name, (tx) => cancelScheduledPayments(tx))
  }),

  cancelScheduledPaymentsOf: defineCommand(
    'both',
    'DELETE',
    '/scheduledPayments/{paymentLink}',
    'Cancel the scheduled payments of a link',
  ).handle((mock, { project, params: { paymentLink } }) => {
    if (project !== undefined) return write(mock, project, (tx) => cancelScheduledPayments(tx, paymentLink))
    const isScheduled = (name: string) =>
      mock.store.read(name, ({ state }) => state.scheduledPayments.some((one) => one.paymentLink === paymentLink))
    const names = mock.store.projects.listNames().filter(isScheduled)
    if (names.length === 0) throw errors.scheduledPaymentNotFound({ paymentLink })
    for (const name of names) write(mock, name, (tx) => cancelScheduledPayments(tx, paymentLink))
  }),
}

const listNames = ({ store }: CommandContext, project: string | undefined) =>
  project === undefined ? store.projects.listNames() : [project]
