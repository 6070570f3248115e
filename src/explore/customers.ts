// The other people in a run: a customer pays a link, or somebody cancels it, between two calls of the code under test. And
// the invoices that a customer has paid twice, or could pay again.
import type { Core } from '../core/mock/extension.ts'
import { isRecord, parseJsonIfValid } from '../core/schema/json-value.ts'
import type { Seed } from '../core/schema/seed.ts'
import { decodePart } from '../core/schema/url.ts'
import type { Effects } from './effects/effect.ts'
import type { FinishedRun } from './options.ts'
import type { SentRequest } from './steps.ts'

/** The projects of a state. */
export type RecordsByProject = NonNullable<Seed['projects']>

interface ActiveLink {
  readonly id: string
  readonly invoice: string
  readonly project: string
}

/** Creates the customers of a run. Which links the code has named is noted only if an effect needs it. */
export const createCustomers = (
  { control, getRecords }: Core,
  { effects, payAfterReads }: { readonly effects: Effects; readonly payAfterReads?: number | undefined },
) => {
  const watchesLinks = Object.values(effects).some(({ actsOnLink }) => actsOnLink)
  const knownTexts = new Map<string, Set<string>>()
  const touched = new Set<string>()
  /** Notes the invoice of a link and its user. */
  const noteTouched = ({ id, invoice, project }: ActiveLink): void => {
    const { users = [], paymentLinks = [] } = getRecords()[project] ?? {}
    const text = JSON.stringify(paymentLinks.find((link) => link.id === id))
    const emails = users.flatMap(({ id: user = '', email }) =>
      text.includes(JSON.stringify(user)) || text.includes(JSON.stringify(email)) ? [email] : [],
    )
    for (const name of [invoice, ...emails]) touched.add(nameSubject(project, name))
  }
  const listActive = (): ActiveLink[] =>
    Object.entries(getRecords()).flatMap(([project, { paymentLinks = [] }]) =>
      paymentLinks
        .filter(({ status = 'active' }) => status === 'active')
        .map(({ id = '', invoice }) => ({ id, invoice, project })),
    )
  const scheduledLinks = new Set(payAfterReads === undefined ? [] : listActive().map(({ id }) => id))
  const noteTexts = (actor: string, ...texts: readonly unknown[]) => {
    const set = knownTexts.get(actor) ?? new Set()
    knownTexts.set(actor, set)
    for (const text of texts) if (typeof text === 'string') set.add(text)
  }
  const listKnown = (actor: string): ActiveLink[] =>
    listActive().filter(({ id, invoice }) => knownTexts.get(actor)?.has(id) || knownTexts.get(actor)?.has(invoice))
  return {
    /** Whether what happens at a call depends on the active links. */
    readsLinks: watchesLinks || payAfterReads !== undefined,
    /** The invoices that others have paid or canceled, and their users. */
    touched: touched as ReadonlySet<string>,
    /** Notes the ids and invoices that an actor names in a request. Returns how many of its links a customer could pay now. */
    noteRequest: (actor: string, { path, body }: Pick<SentRequest, 'path' | 'body'>): number => {
      if (!watchesLinks) return 0
      const url = new URL(path, 'http://mock')
      noteTexts(
        actor,
        ...url.pathname.split('/').map((part) => decodePart(part) ?? part),
        url.searchParams.get('invoice'),
      )
      const parsedBody = parseJsonIfValid(body ?? '')
      if (isRecord(parsedBody)) noteTexts(actor, parsedBody.invoice)
      return listKnown(actor).length
    },
    /** Notes the invoices that a response shows to an actor, and schedules the payment of each new link. */
    noteResponse: async (actor: string, text: string | null): Promise<void> => {
      const parsedResponse = watchesLinks ? parseJsonIfValid(text ?? '') : undefined
      const records =
        isRecord(parsedResponse) && Array.isArray(parsedResponse.items) ? parsedResponse.items : [parsedResponse]
      for (const record of records) if (isRecord(record)) noteTexts(actor, record.invoice)
      if (payAfterReads === undefined) return
      for (const { id, project } of listActive()) {
        if (scheduledLinks.has(id)) continue
        scheduledLinks.add(id)
        await control.project(project).paymentLinks.pay(id, { when: { reads: payAfterReads } })
      }
    },
    /** Pays or cancels the link at a position, the oldest first. Returns what happened; undefined if there is no such link. */
    act: async (action: 'pay' | 'cancel', actor: string, position: number): Promise<string | undefined> => {
      const link = listKnown(actor)[position - 1]
      if (link === undefined) return undefined
      const { id, invoice, project } = link
      const { paymentLinks } = control.project(project)
      noteTouched(link)
      await paymentLinks[action](id)
      return action === 'pay' ? `the customer pays ${id} of ${invoice}` : `somebody else cancels ${id} of ${invoice}`
    },
  }
}

/** Names an invoice or the email of a user in a project. */
export const nameSubject = (project: string, name: string): string => JSON.stringify([project, name])

export type Customers = ReturnType<typeof createCustomers>

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
  projects: RecordsByProject,
  states: readonly RecordsByProject[],
  allowRest: boolean,
): string | undefined => {
  const openLinksOfStates = states.map(countOpenLinks)
  for (const [key, { invoice, completed, active }] of countOpenLinks(projects)) {
    const mayHaveSeveral = openLinksOfStates.some((state) => {
      const counts = state.get(key)
      return counts !== undefined && counts.completed + counts.active > 1
    })
    if (mayHaveSeveral || completed === 0) continue
    if (completed > 1) return `${invoice} is paid twice.`
    if (active > 0 && !allowRest) return `${invoice} is paid, and still has a link to pay.`
  }
  return undefined
}

/** Lists the invoices for which a run has created a second link and has not canceled it: `inv_7 has 2 links`. */
export const listSecondLinks = (start: RecordsByProject, end: RecordsByProject): string[] => {
  const startLinks = countOpenLinks(start)
  return [...countOpenLinks(end)].flatMap(([key, { invoice, completed, active }]) => {
    const count = completed + active
    const startCount = startLinks.get(key)
    const isNew = count > (startCount?.completed ?? 0) + (startCount?.active ?? 0)
    return isNew && count > 1 ? [`${invoice} has ${count} links`] : []
  })
}

/** Counts the links of each invoice that are not canceled. */
const countOpenLinks = (projects: RecordsByProject) => {
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
