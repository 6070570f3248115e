import { cancelPaymentLink } from '../domain/payment-links.ts'
import { attemptPayment, dropPlans, planPayment } from '../domain/plans.ts'
import { Refusal } from '../schema/error.ts'
import type { Payment } from '../schema/plan.ts'
import { idIn, paymentLinkView } from './rows.ts'
import { type ControlOptions, type Handlers, list } from './task.ts'

type PaymentVerb = 'payPaymentLink' | 'cancelPaymentLink' | 'listPlans' | 'dropPlans' | 'dropPlansOf'

/** What happens to a link without its client: it is paid, now or as planned, or canceled. Spec §3. */
export const payments = (options: ControlOptions): Handlers<PaymentVerb> => {
  const { world } = options
  const write = world.update
  const show = paymentLinkView(options)
  const pay = (project: string, id: string, { outcome, when }: Payment) =>
    write(project, (work) =>
      when === undefined ? attemptPayment(work, id, outcome) : planPayment(work, id, { outcome, when }),
    )
  return {
    payPaymentLink: {
      one: (task) => {
        const paid = pay(task.project, idIn(task), task.body ?? {})
        return 'when' in paid ? paid : show(paid, task)
      },
    },
    cancelPaymentLink: {
      one: (task) =>
        show(
          write(task.project, (work) => cancelPaymentLink(work, idIn(task))),
          task,
        ),
    },
    listPlans: {
      one: ({ project }) => list(world.read(project).plans),
      all: () => list(world.names().flatMap((project) => world.read(project).plans)),
    },
    dropPlans: {
      one: ({ project }) => write(project, (work) => dropPlans(work)) as undefined,
      all: () => world.names().forEach((project) => write(project, (work) => dropPlans(work))) as undefined,
    },
    dropPlansOf: {
      one: (task) => write(task.project, (work) => dropPlans(work, idIn(task))) as undefined,
      all: ({ params }) => {
        const id = params.paymentLink!
        const planned = world.names().filter((name) => world.read(name).plans.some((plan) => plan.paymentLink === id))
        if (planned.length === 0) throw new Refusal('planNotFound', `No plan for payment link '${id}'.`)
        for (const project of planned) write(project, (work) => dropPlans(work, id))
        return undefined
      },
    },
  }
}
