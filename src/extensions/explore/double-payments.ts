// Invoices that a customer has paid twice, or could pay again.
import type { ProjectRecords } from './customers.ts'
import type { FinishedRun } from './options.ts'

/**
 * An invariant of `explore` and `interleave`: throws if an invoice is paid twice, or is paid and still has a link to pay.
 *
 * @example
 * await explore({ flow, invariant: paidOnce, effects: ['default', 'paid'] })
 */
export const paidOnce = async ({ mock }: Pick<FinishedRun, 'mock'>): Promise<void> => {
  const { projects = {} } = await mock.state.get()
  const problem = findDoublePayment(projects, [], false)
  if (problem !== undefined) throw new Error(problem)
}

/** Describes an invoice that a customer pays twice, or could pay again. Runs without a fault may have several links of it. */
export const findDoublePayment = (
  projects: ProjectRecords,
  states: readonly ProjectRecords[],
  allowRest: boolean,
): string | undefined => {
  const usual = states.map(countOpenLinks)
  for (const [key, { invoice, completed, active }] of countOpenLinks(projects)) {
    const mayHaveSeveral = usual.some((state) => {
      const counts = state.get(key)
      return counts !== undefined && counts.completed + counts.active > 1
    })
    if (mayHaveSeveral || completed === 0) continue
    if (completed > 1) return `${invoice} is paid twice.`
    if (active > 0 && !allowRest) return `${invoice} is paid, and still has a link to pay.`
  }
  return undefined
}

/** Counts the links of each invoice that are not canceled. */
const countOpenLinks = (projects: ProjectRecords) => {
  const counts = new Map<string, { readonly invoice: string; completed: number; active: number }>()
  for (const [project, { paymentLinks = [] }] of Object.entries(projects))
    for (const { invoice, status = 'active' } of paymentLinks) {
      const key = JSON.stringify([project, invoice])
      const count = counts.get(key) ?? { invoice, completed: 0, active: 0 }
      counts.set(key, count)
      if (status !== 'canceled') count[status]++
    }
  return counts
}
