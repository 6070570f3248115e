import type { PaymentLinkSeed, PaymentLinkStatus } from '../schema/payment-link.ts'
import type { Generate } from '../schema/seed.ts'
import type { UserSeed } from '../schema/user.ts'
import { createDraws } from './ids.ts'

const firstNames = 'Ada Bruno Chiara Dinesh Elif Farid Greta Hana Igor Joana Kofi Lena Mateus Noor Olga Pavel'.split(
  ' ',
)
const lastNames = 'Almeida Brandt Costa Dogan Eriksen Fischer Gupta Haddad Ivanov Jensen Kaya Lopes Mensah'.split(' ')

/** Shared by the generated records, of which there may be many. */
const people = firstNames.flatMap((first, firstIndex) =>
  lastNames.map((last, lastIndex) => {
    const fullName = `${first} ${last}`
    const mailbox = `${first}.${last}`.toLowerCase()
    const taxNumber = `1000000${10 + firstIndex}${10 + lastIndex}`
    return { mailbox, payer: { fullName, email: `${mailbox}@example.com`, taxNumber } }
  }),
)

const getPerson = (first: number, last: number) =>
  people[(first % firstNames.length) * lastNames.length + (last % lastNames.length)]!

export const generateUsers = (count: number, seed: string): UserSeed[] => {
  const draw = createDraws(`users ${seed}`)
  return Array.from({ length: count }, (_, index) => {
    const { mailbox, payer } = getPerson(draw(), draw())
    return { email: `${mailbox}.${index + 1}@example.com`, fullName: payer.fullName, emailVerified: draw() % 4 !== 0 }
  })
}

export const generatePaymentLinks = (
  { active = 0, completed = 0, canceled = 0 }: NonNullable<Generate['paymentLinks']>,
  seed: string,
): PaymentLinkSeed[] => {
  const remainingLinks = { active, completed, canceled }
  const draw = createDraws(`paymentLinks ${seed}`)
  return Array.from({ length: active + completed + canceled }, (_, index) => {
    const { payer } = getPerson(draw(), draw())
    return { invoice: `inv_generated_${index + 1}`, status: takeStatus(remainingLinks, draw()), payer }
  })
}

/** Draws a status. Its probability is its share of the remaining links. */
const takeStatus = (remainingLinks: Record<PaymentLinkStatus, number>, draw: number): PaymentLinkStatus => {
  const { active, completed, canceled } = remainingLinks
  const drawnPosition = draw % (active + completed + canceled)
  const status = drawnPosition < active ? 'active' : drawnPosition < active + completed ? 'completed' : 'canceled'
  remainingLinks[status]--
  return status
}
