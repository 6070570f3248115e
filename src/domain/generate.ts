import type { PaymentLinkSeed, PaymentLinkStatus } from '../schema/payment-link.ts'
import type { Generate } from '../schema/seed.ts'
import type { UserSeed } from '../schema/user.ts'
import { createDraws } from './ids.ts'

/** Generated seeds. They are created during the iteration: an array of them would need as much memory as the records. */
export interface GeneratedSeeds<S> {
  readonly count: number
  readonly seeds: Iterable<S>
}

const firstNames = 'Ada Bruno Chiara Dinesh Elif Farid Greta Hana Igor Joana Kofi Lena Mateus Noor Olga Pavel'.split(
  ' ',
)
const lastNames = 'Almeida Brandt Costa Dogan Eriksen Fischer Gupta Haddad Ivanov Jensen Kaya Lopes Mensah'.split(' ')

/** The generated names and payers, which records share. */
const people = firstNames.flatMap((first, row) =>
  lastNames.map((last, column) => {
    const fullName = `${first} ${last}`
    const mailbox = `${first}.${last}`.toLowerCase()
    const taxNumber = `1000000${10 + row}${10 + column}`
    return { mailbox, payer: { fullName, email: `${mailbox}@example.com`, taxNumber } }
  }),
)

const getPerson = (first: number, last: number) =>
  people[(first % firstNames.length) * lastNames.length + (last % lastNames.length)]!

/** Generates users. The same seed results in the same users. */
export const generateUsers = (count: number, seed: string): GeneratedSeeds<UserSeed> => ({
  count,
  seeds: createUserSeeds(count, seed),
})

function* createUserSeeds(count: number, seed: string): Generator<UserSeed, void, undefined> {
  const draw = createDraws(`users ${seed}`)
  for (let index = 1; index <= count; index++) {
    const { mailbox, payer } = getPerson(draw(), draw())
    // Joined: a concatenated string would keep its parts in memory.
    const email = [mailbox, '.', index, '@example.com'].join('')
    yield { email, fullName: payer.fullName, emailVerified: draw() % 4 !== 0 }
  }
}

/** Generates payment links in mixed states. */
export const generatePaymentLinks = (
  counts: Generate['paymentLinks'],
  seed: string,
): GeneratedSeeds<PaymentLinkSeed> => {
  const left = { active: counts?.active ?? 0, completed: counts?.completed ?? 0, canceled: counts?.canceled ?? 0 }
  return { count: left.active + left.completed + left.canceled, seeds: createPaymentLinkSeeds(left, seed) }
}

function* createPaymentLinkSeeds(
  left: Record<PaymentLinkStatus, number>,
  seed: string,
): Generator<PaymentLinkSeed, void, undefined> {
  const draw = createDraws(`paymentLinks ${seed}`)
  const total = left.active + left.completed + left.canceled
  for (let index = 1; index <= total; index++) {
    const { payer } = getPerson(draw(), draw())
    const status = takeStatus(left, draw())
    yield { invoice: ['inv_generated', index].join('_'), status, payer }
  }
}

/** Takes one of the remaining statuses. Its probability is its share of the remaining links. */
const takeStatus = (left: Record<PaymentLinkStatus, number>, draw: number): PaymentLinkStatus => {
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
