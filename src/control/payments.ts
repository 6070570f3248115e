import { cancelPaymentLink, completePaymentLink } from '../domain/payment-links.ts'
import { type ControlOptions, type Handlers, writeTo } from './task.ts'
import { idIn, paymentLinkView } from './rows.ts'

/** What happens to a link without its client: it is paid, or canceled. Spec §3. */
export const payments = (options: ControlOptions): Handlers<'payPaymentLink' | 'cancelPaymentLink'> => {
  const write = writeTo(options.world)
  const show = paymentLinkView(options)
  return {
    payPaymentLink: (task) =>
      show(
        write(task.project, (work) => completePaymentLink(work, idIn(task))),
        task,
      ),
    cancelPaymentLink: (task) =>
      show(
        write(task.project, (work) => cancelPaymentLink(work, idIn(task))),
        task,
      ),
  }
}
