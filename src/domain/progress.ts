import type { Seed, Template } from '../schema/seed.ts'

/** Told how much of a long work is done since it was told last: rows that were made, and rows that were put into an order. */
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

// A row is made once, and stands in so many orders: by id, by place, and one for each group.
const perUser = 1 + 3
const perPaymentLink = 1 + 4

/** How much is told of in all, about, while a store is built from a seed. */
export const workOf = ({ projects = {} }: Seed): number =>
  Object.values(projects).reduce((sum, { users = [], paymentLinks = [], generate = {} }: Template) => {
    const { active = 0, completed = 0, canceled = 0 } = generate.paymentLinks ?? {}
    const links = paymentLinks.length + active + completed + canceled
    return sum + (users.length + (generate.users ?? 0)) * perUser + links * perPaymentLink
  }, 0)
