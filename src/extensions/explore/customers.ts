// The other people in a run: a customer pays a link, or somebody cancels it, between two calls of the code under test.
import type { ServerControl } from '../../client/control.ts'
import { isRecord, parseJsonIfValid } from '../../schema/json-value.ts'
import type { Seed } from '../../schema/seed.ts'
import { decodePart } from '../../schema/url.ts'
import type { CustomerEffect } from './explored-faults.ts'

/** The projects of a state. */
export type ProjectRecords = NonNullable<Seed['projects']>

/** A request of the code under test, or of an actor. */
interface Named {
  /** The path with its query. */
  readonly path: string
  readonly body: string | null
}

interface Link {
  readonly id: string
  readonly invoice: string
  readonly project: string
}

/** Creates the customers of a run. `getRecords` returns the current records, `getProject` the commands of a project. */
export const createCustomers = (
  getRecords: () => ProjectRecords,
  getProject: ServerControl['project'],
  payAfterReads: number | undefined,
) => {
  const known = new Map<string, Set<string>>()
  const listActive = (): Link[] =>
    Object.entries(getRecords()).flatMap(([project, { paymentLinks = [] }]) =>
      paymentLinks
        .filter(({ status = 'active' }) => status === 'active')
        .map(({ id = '', invoice }) => ({ id, invoice, project })),
    )
  const awaited = new Set(payAfterReads === undefined ? [] : listActive().map(({ id }) => id))
  const add = (actor: string, ...texts: readonly unknown[]) => {
    const set = known.get(actor) ?? new Set()
    known.set(actor, set)
    for (const text of texts) if (typeof text === 'string') set.add(text)
  }
  const listKnown = (actor: string): Link[] =>
    listActive().filter(({ id, invoice }) => known.get(actor)?.has(id) || known.get(actor)?.has(invoice))
  return {
    /** Notes the ids and invoices that an actor names in a request. */
    noteRequest: (actor: string, { path, body }: Named): void => {
      const url = new URL(path, 'http://mock')
      add(actor, ...url.pathname.split('/').map((part) => decodePart(part) ?? part), url.searchParams.get('invoice'))
      const value = parseJsonIfValid(body ?? '')
      if (isRecord(value)) add(actor, value.invoice)
    },
    /** Notes the invoices that a response shows to an actor. */
    noteResponse: (actor: string, text: string | null): void => {
      const value = parseJsonIfValid(text ?? '')
      if (!isRecord(value)) return
      const records = Array.isArray(value.items) ? value.items : [value]
      for (const record of records) if (isRecord(record)) add(actor, record.invoice)
    },
    /** How many links of an actor a customer could pay now. */
    countLinks: (actor: string): number => listKnown(actor).length,
    /** Pays or cancels the link at a position, the oldest first. Returns what happened; undefined if there is no such link. */
    act: async (effect: CustomerEffect, actor: string, position: number): Promise<string | undefined> => {
      const link = listKnown(actor)[position - 1]
      if (link === undefined) return undefined
      const { id, invoice, project } = link
      const { paymentLinks } = getProject(project)
      await (effect === 'paid' ? paymentLinks.pay(id) : paymentLinks.cancel(id))
      return effect === 'paid' ? `the customer pays ${id} of ${invoice}` : `somebody else cancels ${id} of ${invoice}`
    },
    /** Schedules the payment of each new link. */
    scheduleNew: async (): Promise<void> => {
      if (payAfterReads === undefined) return
      for (const { id, project } of listActive()) {
        if (awaited.has(id)) continue
        awaited.add(id)
        await getProject(project).paymentLinks.pay(id, { when: { reads: payAfterReads } })
      }
    },
  }
}

export type Customers = ReturnType<typeof createCustomers>
