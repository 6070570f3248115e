import { describe, expect, it } from 'vitest'
import { behaviorKeys, behaviorRegistry } from '../../../src/schema/behavior.ts'
import { carefulProgram, parallelProgram } from './program.ts'
import { compareProgram, type Reply, type Sent, withOtherErrors } from './service.ts'

const nothing = { learned: [], different: [], notCompared: [] }

describe('a service like the mock', () => {
  it('has no differences', async () => {
    const { observed, comparison: _, ...report } = await compareProgram(carefulProgram)
    expect(report).toMatchObject(nothing)
    expect(Object.keys(observed).length).toBeGreaterThan(17)
  })

  it('has none for calls at the same time', async () => {
    const report = await compareProgram(parallelProgram)
    expect(report.different).toEqual([])
    expect(report.learned).toEqual([])
    expect(report.same).toBeGreaterThan(80)
  })
})

// `prefix` and `seeded` reject the same invoice.
const ambiguous = 'invoiceIds=prefix'

describe('a behavior of the service', () => {
  const cases = behaviorKeys.flatMap((key) =>
    behaviorRegistry[key].values.slice(1).map((value) => [`${key}=${value}`, { [key]: value }] as const),
  )
  it.each(cases)('%s is learned', async (name, behaviors) => {
    const token = 'wrongProjectToken' in behaviors ? { token: 'secret-a', projects: ['sandbox'] } : undefined
    const { learned, different } = await compareProgram(carefulProgram, {
      behaviors,
      change: withOtherErrors,
      ...(token && { token }),
    })
    if (name === ambiguous) return expect(different[0]?.candidates).toEqual([ambiguous, 'invoiceIds=seeded'])
    expect(learned.map(({ behavior, value }) => `${behavior}=${value}`)).toEqual([name])
    expect(different).toEqual([])
  })

  it('is learned by the code of an error if several values explain it', async () => {
    const { learned } = await compareProgram(carefulProgram, { behaviors: { invoiceIds: 'prefix' } })
    expect(learned).toMatchObject([{ behavior: 'invoiceIds', value: 'prefix' }])
  })

  it('that is not the expected one is marked', async () => {
    const { learned } = await compareProgram(carefulProgram, { expected: { createStatus: 200 } })
    expect(learned).toMatchObject([{ behavior: 'createStatus', value: 201, was: 200, isExpected: true }])
  })
})

type Change = (sent: Sent, deliver: (sent: Sent) => Promise<Reply>) => Promise<Reply>

const changeBody =
  (change: (body: any, sent: Sent) => void): Change =>
  async (sent, deliver) => {
    const reply = await deliver(sent)
    if (reply.body !== undefined) change(reply.body, sent)
    return reply
  }

const changePath =
  (from: RegExp, to: string): Change =>
  (sent, deliver) =>
    deliver({ ...sent, path: sent.path.replace(from, to) })

const broken: Readonly<Record<string, Change>> = {
  'goes the wrong way from a cursor': changePath(/after=/, 'before='),
  'ignores the limit': changePath(/limit=[23]/, 'limit=50'),
  'ignores the filter of an invoice': changePath(/invoice=\w+/, 'limit=10'),
  'leaves out a field': changeBody((body) => delete body.emailVerified),
  'sorts users by email': changeBody((body, { path }) => {
    if (path.includes('users')) body.items?.sort((a: any, b: any) => (a.email < b.email ? -1 : 1))
  }),
  'never has more items': changeBody((body) => 'moreItemsAfter' in body && (body.moreItemsAfter = null)),
  'forgets metadata': changeBody((body) => body.object === 'user' && (body.metadata = {})),
  'does not set canceledAt': changeBody((body) => 'canceledAt' in body && (body.canceledAt = null)),
  'loses an item of each page': changeBody((body) => body.items?.length > 2 && body.items.splice(1, 1)),
  'sends 400 for an unknown id': async (sent, deliver) => {
    const reply = await deliver(sent)
    return reply.status === 404 ? { ...reply, status: 400 } : reply
  },
  'loses updates': async (sent, deliver) => {
    if (sent.method !== 'PATCH') return deliver(sent)
    const { method: _, body, ...rest } = sent
    const reply = await deliver({ ...rest, method: 'GET' })
    return { ...reply, body: { ...reply.body, ...(body as object) } }
  },
  'cancels a completed link': async (sent, deliver) => {
    const reply = await deliver(sent)
    if (!sent.path.endsWith('/cancel') || reply.status !== 409) return reply
    const link = await deliver({ ...sent, method: 'GET', path: sent.path.replace('/cancel', '') })
    return { ...link, body: { ...link.body, status: 'canceled' } }
  },
}

describe('a service that', () => {
  it.each(Object.entries(broken))('%s is reported', async (_, change) => {
    const { different } = await compareProgram(carefulProgram, { change })
    expect(different.length).toBeGreaterThan(0)
  })
})
