/** Random concurrent calls of payment links, with the times of their starts and ends. */
import * as fc from 'fast-check'
import { createMock, type FaultHandle, type FaultRule, type Mock, type MockOptions } from '../../../src/node/index.ts'
import { readJson } from '../../support/read.ts'
import type { TimedCall } from '../../support/linearizability.ts'

/** A call of a link, with the status of the link that was read, or else the status of the response. */
export interface LinkCall {
  readonly link: string
  readonly does: 'read' | 'cancel' | 'pay'
  readonly result: string | number
}

interface PlannedCall {
  readonly link: string
  readonly does: LinkCall['does']
  /** Whether the call is held before it happens, or afterwards. */
  readonly isHeldAfter: boolean
  /** Among the calls that start, and those that are held, the one whose turn it is. */
  readonly turns: readonly [number, number]
}

/** How the clients of a case read. */
interface Reading {
  /** The way to read: by id, by a list, or one of both, which alternate. */
  readonly by: readonly ('retrieve' | 'list')[]
  /** The effect of each second read. */
  readonly stale?: FaultRule['effect']['stale']
  readonly behaviors?: MockOptions['behaviors']
}

export const linkCases = {
  'retrieves and lists': { by: ['retrieve', 'list'] },
  'stale retrieves': { by: ['retrieve'], stale: { changes: 1 } },
  'stale lists': { by: ['list'], stale: { changes: 1 } },
  'retrieves of some time ago': { by: ['retrieve'], stale: { milliseconds: 1000 } },
  'delayed lists': { by: ['list'], behaviors: { listFreshness: 'delayed' } },
} as const satisfies Record<string, Reading>

export type LinkCase = keyof typeof linkCases

const links = ['pml_a', 'pml_b'] as const

/** Calls of two links. Each of them is one register. */
export const histories = fc.array(
  fc.record<PlannedCall>({
    link: fc.constantFrom(...links),
    does: fc.constantFrom('read', 'read', 'read', 'cancel', 'pay'),
    isHeldAfter: fc.boolean(),
    turns: fc.tuple(fc.nat(), fc.nat()),
  }),
  { minLength: 5, maxLength: 8, size: 'max' },
)

const headers = { authorization: 'Bearer t', accept: 'application/json' }
const maxInFlight = 3

/** A mock whose projects have the two links. */
export const createLinks = ({ behaviors = {} }: Reading): Mock =>
  createMock({
    seed: { template: { paymentLinks: links.map((id) => ({ id, invoice: id })) } },
    behaviors,
    clock: { mode: 'stepping', step: 100 },
  })

/** Makes the calls, up to three at a time: each of them is held, and released when it is its turn. */
export const recordHistory = async (
  mock: Mock,
  { by, stale }: Reading,
  planned: readonly PlannedCall[],
): Promise<readonly TimedCall<LinkCall>[]> => {
  const acme = mock.project('acme')
  await acme.reset()
  const history: TimedCall<LinkCall>[] = []
  let time = 0
  let reads = 0

  const send = async ({ link, does }: PlannedCall, key: string): Promise<string | number> => {
    const marked = { ...headers, 'x-call': key }
    const ask = (path: string, method = 'GET') => mock.fetch(`/projects/acme${path}`, { method, headers: marked })
    if (does === 'cancel') return (await ask(`/paymentLinks/${link}/cancel`, 'POST')).status
    if (by[reads % by.length] === 'retrieve') return (await readJson(ask(`/paymentLinks/${link}`))).status
    return (await readJson(ask(`/paymentLinks?invoice=${link}`))).items[0].status
  }
  /** Starts a call, and returns the function that lets it end. A payment has no fault, so it is not held. */
  const start = async (call: PlannedCall, index: number): Promise<() => Promise<void>> => {
    const begun = ++time
    const { link, does, isHeldAfter } = call
    const note = (result: string | number) => history.push({ call: { link, does, result }, start: begun, end: ++time })
    if (does === 'pay') {
      const paid = await acme.paymentLinks.pay(link).then(
        () => 200,
        () => 409,
      )
      return async () => void note(paid)
    }
    if (does === 'read') reads++
    const isStale = stale !== undefined && does === 'read' && reads % 2 === 0
    const hold: FaultHandle = await acme.faults.add({
      match: { headers: { 'x-call': `${index}` } },
      phase: isHeldAfter && !isStale ? 'after' : 'before',
      effect: { hold: true, ...(isStale && { stale }) },
    })
    const response = send(call, `${index}`)
    await hold.waitForHeld(1)
    return async () => {
      await hold.release()
      note(await response)
    }
  }

  const inFlight: (() => Promise<void>)[] = []
  const endOne = async (turn: number) => {
    const [end] = inFlight.splice(turn % inFlight.length, 1)
    await end!()
  }
  for (const [index, call] of planned.entries()) {
    inFlight.push(await start(call, index))
    if (inFlight.length > call.turns[0] % maxInFlight) await endOne(call.turns[1])
  }
  while (inFlight.length > 0) await endOne(0)
  return history
}

/** Linearizability is local: a history is linearizable if that of each register is. */
export const splitByLink = (history: readonly TimedCall<LinkCall>[]): readonly TimedCall<LinkCall>[][] =>
  links.map((id) => history.filter(({ call }) => call.link === id))
