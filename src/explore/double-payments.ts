import { getSubjectKey, type RecordsByProject } from './customers.ts'
import type { FinishedRun } from './options.ts'

/**
 * An invariant for `explore` and `interleave`. Rejects if an invoice was paid twice, or was paid and still has an active link.
 *
 * @example
 * await explore({ flow, invariant: paidOnce, effects: ['default', 'paid'] })
 */
export const paidOnce = async ({ mock }: Pick<FinishedRun, 'mock'>): Promise<void> => {
  const { projects = {} } = await mock.state.get()
  const problem = findDoublePayment(projects, [], false)
  if (problem !== undefined) throw new Error(problem)
}

/**
 * Describes the first invoice that was paid twice, or that was paid but still has an active link (unless `allowActiveLink`).
 * Skips invoices that have several links in any of `states`, the final records of the runs without faults.
 */
export const findDoublePayment = (
  projects: RecordsByProject,
  states: readonly RecordsByProject[],
  allowActiveLink: boolean,
): string | undefined => {
  const countsOfStates = states.map(countLinksByInvoice)
  for (const [key, { invoice, links, completed }] of countLinksByInvoice(projects)) {
    const mayHaveSeveral = countsOfStates.some((counts) => (counts.get(key)?.links ?? 0) > 1)
    if (mayHaveSeveral || completed === 0) continue
    if (completed > 1) return `${invoice} is paid twice.`
    if (links > completed && !allowActiveLink) return `${invoice} is paid, and still has a link to pay.`
  }
  return undefined
}

/** Describes each invoice that gained a link and now has several, such as `inv_7 has 2 links`. Ignores canceled links. */
export const listSecondLinks = (start: RecordsByProject, end: RecordsByProject): string[] => {
  const startCounts = countLinksByInvoice(start)
  return [...countLinksByInvoice(end)].flatMap(([key, { invoice, links }]) =>
    links > 1 && links > (startCounts.get(key)?.links ?? 0) ? [`${invoice} has ${links} links`] : [],
  )
}

const countLinksByInvoice = (projects: RecordsByProject) => {
  const counts = new Map<string, { readonly invoice: string; links: number; completed: number }>()
  for (const [project, { paymentLinks = [] }] of Object.entries(projects))
    for (const { invoice, status = 'active' } of paymentLinks) {
      const key = getSubjectKey(project, invoice)
      const count = counts.get(key) ?? { invoice, links: 0, completed: 0 }
      counts.set(key, count)
      if (status !== 'canceled') count.links++
      if (status === 'completed') count.completed++
    }
  return counts
}
