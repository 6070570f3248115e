// Simulates third parties in a run: between calls, a customer pays a payment link, or somebody else cancels a link.
import type { Core } from '../core/mock/extension.ts'
import { isRecord, parseJsonIfValid } from '../core/schema/json-value.ts'
import type { Seed } from '../core/schema/seed.ts'
import { decodePart } from '../core/schema/url.ts'
import type { Effects } from './effects/effect.ts'
import type { SentRequest } from './steps.ts'

/** The records of each project, by project id, in the format of a seed. */
export type RecordsByProject = NonNullable<Seed['projects']>

interface ActiveLink {
  readonly id: string
  readonly invoice: string
  readonly project: string
}

/** Pays and cancels payment links during a run. If an effect acts on links, tracks which links each actor knows. */
export const createCustomers = (
  { control, getRecords }: Core,
  { effects, payAfterReads }: { readonly effects: Effects; readonly payAfterReads?: number | undefined },
) => {
  const watchesLinks = Object.values(effects).some(({ actsOnLink }) => actsOnLink)
  const knownTexts = new Map<string, Set<string>>()
  const touched = new Set<string>()
  const noteTouched = ({ id, invoice, project }: ActiveLink): void => {
    const { users = [], paymentLinks = [] } = getRecords()[project] ?? {}
    const text = JSON.stringify(paymentLinks.find((link) => link.id === id))
    const emails = users.flatMap(({ id: user = '', email }) =>
      text.includes(JSON.stringify(user)) || text.includes(JSON.stringify(email)) ? [email] : [],
    )
    for (const name of [invoice, ...emails]) touched.add(getSubjectKey(project, name))
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
  const schedulePayments = async (reads: number): Promise<void> => {
    for (const { id, project } of listActive()) {
      if (scheduledLinks.has(id)) continue
      scheduledLinks.add(id)
      await control.project(project).paymentLinks.pay(id, { when: { reads } })
    }
  }
  return {
    /** Call this after a command, to schedule payments of the links that it created. Undefined without `payAfterReads`. */
    noteCommand: payAfterReads === undefined ? undefined : () => schedulePayments(payAfterReads),
    /** Whether the outcome of a call depends on which links are active. */
    readsLinks: watchesLinks || payAfterReads !== undefined,
    /** Keys from `getSubjectKey`: the invoices whose links a third party paid or canceled, and the users in these links. */
    touched: touched as ReadonlySet<string>,
    /** Records ids and invoices in a request. Returns how many active links the actor knows, or 0 if no effect needs them. */
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
    /** Records the invoices in a response to an actor. With `payAfterReads`, schedules the payment of each new link. */
    noteResponse: async (actor: string, text: string | null): Promise<void> => {
      const parsedResponse = watchesLinks ? parseJsonIfValid(text ?? '') : undefined
      const records =
        isRecord(parsedResponse) && Array.isArray(parsedResponse.items) ? parsedResponse.items : [parsedResponse]
      for (const record of records) if (isRecord(record)) noteTexts(actor, record.invoice)
      if (payAfterReads !== undefined) await schedulePayments(payAfterReads)
    },
    /** Pays or cancels the actor's nth oldest active link. Returns the event as text, or undefined if there are fewer links. */
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

/** Returns a key for an invoice or a user. `name` is the invoice, or the email of the user. */
export const getSubjectKey = (project: string, name: string): string => JSON.stringify([project, name])

export type Customers = ReturnType<typeof createCustomers>
