import type { Seed, Template } from '../schema/seed.ts'

/** Is called with the number of records that were created or sorted since the last call. */
export type OnProgress = (rows: number) => void

/** Telling at each row would cost more than the row. */
const often = 10_000

/** Counts one by one, and tells now and then. */
export const counting = (onProgress: OnProgress | undefined): (() => void) => {
  if (onProgress === undefined) return () => {}
  let count = 0
  return () => {
    if (++count % often === 0) onProgress(often)
  }
}

// A record is created once, and sorted by id, by position and by each group.
const perUser = 1 + 3
const perPaymentLink = 1 + 4

/** About the total of all calls while a store is built from a seed. */
export const workOf = ({ projects = {} }: Seed): number =>
  Object.values(projects).reduce((sum, { users = [], paymentLinks = [], generate = {} }: Template) => {
    const { active = 0, completed = 0, canceled = 0 } = generate.paymentLinks ?? {}
    const links = paymentLinks.length + active + completed + canceled
    return sum + (users.length + (generate.users ?? 0)) * perUser + links * perPaymentLink
  }, 0)
