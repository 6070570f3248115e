import type { PaymentLinkSeed, PaymentLinkStatus } from '../schema/payment-link.ts'
import type { Generate } from '../schema/seed.ts'
import type { UserSeed } from '../schema/user.ts'
import { createDraws } from './ids.ts'

const firstNames = 'Ada Bruno Chiara Dinesh Elif Farid Greta Hana Igor Joana Kofi Lena Mateus Noor Olga Pavel'.split(
  ' ',
)
const lastNames = 'Almeida Brandt Costa Dogan Eriksen Fischer Gupta Haddad Ivanov Jensen Kaya Lopes Mensah'.split(' ')

const pick = (values: readonly string[], draw: number) => values[draw % values.length]!

/** Users made up from the seed: the same for the same seed and project. */
export const generateUsers = (count: number, seed: string): UserSeed[] => {
  const draw = createDraws(`users ${seed}`)
  return Array.from({ length: count }, (_, index) => {
    const [first, last] = [pick(firstNames, draw()), pick(lastNames, draw())]
    return {
      email: `${first}.${last}.${index + 1}@example.com`.toLowerCase(),
      fullName: `${first} ${last}`,
      emailVerified: draw() % 4 !== 0,
    }
  })
}

/** Payment links made up from the seed, their states mixed. */
export const generatePaymentLinks = (counts: Generate['paymentLinks'], seed: string): PaymentLinkSeed[] => {
  const draw = createDraws(`paymentLinks ${seed}`)
  const left = { active: counts?.active ?? 0, completed: counts?.completed ?? 0, canceled: counts?.canceled ?? 0 }
  const total = left.active + left.completed + left.canceled
  return Array.from({ length: total }, (_, index) => {
    const [first, last] = [pick(firstNames, draw()), pick(lastNames, draw())]
    return {
      invoice: `inv_generated_${index + 1}`,
      status: takeOne(left, draw()),
      payer: { fullName: `${first} ${last}`, email: `${first}.${last}@example.com`.toLowerCase() },
    }
  })
}

/** Takes one of the states that are left, each as likely as it has members left. */
const takeOne = (left: Record<PaymentLinkStatus, number>, draw: number): PaymentLinkStatus => {
  let rest = draw % (left.active + left.completed + left.canceled)
  for (const status of ['active', 'completed', 'canceled'] as const) {
    if (rest < left[status]) {
      left[status]--
      return status
    }
    rest -= left[status]
  }
  return 'active'
}
