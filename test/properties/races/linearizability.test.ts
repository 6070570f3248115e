// Proves: Races.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linearize, type TimedCall } from '../../support/linearizability.ts'
import {
  createLinks,
  histories,
  type LinkCall,
  type LinkCase,
  linkCases,
  recordHistory,
  splitByLink,
} from './link-histories.ts'

type Status = 'active' | 'canceled' | 'completed'

/** A payment link as a register. A cancel or a payment of a link that is not active is a conflict. */
const applyToLink = (status: Status, { does, result }: LinkCall): Status | undefined => {
  if (does === 'read') return result === status ? status : undefined
  const isActive = status === 'active'
  if (result !== (isActive ? 200 : 409)) return undefined
  return isActive ? (does === 'cancel' ? 'canceled' : 'completed') : status
}

describe('the checker', () => {
  type Access = { readonly write: number } | { readonly read: number }
  const apply = (value: number, access: Access) =>
    'write' in access ? access.write : access.read === value ? value : undefined
  const at = (start: number, end: number, call: Access): TimedCall<Access> => ({ call, start, end })
  const isLinearizable = (...history: TimedCall<Access>[]) => linearize(history, 0, apply) !== undefined

  it.each<[what: string, expected: boolean, history: TimedCall<Access>[]]>([
    ['no calls', true, []],
    ['a read of the initial value', true, [at(0, 1, { read: 0 })]],
    ['a read of a value that was never written', false, [at(0, 1, { read: 1 })]],
    ['a read after a write', true, [at(0, 1, { write: 1 }), at(2, 3, { read: 1 })]],
    ['a stale read after a write', false, [at(0, 1, { write: 1 }), at(2, 3, { read: 0 })]],
    ['a read of the old value during a write', true, [at(0, 3, { write: 1 }), at(1, 2, { read: 0 })]],
    ['a read of the new value during a write', true, [at(0, 3, { write: 1 }), at(1, 2, { read: 1 })]],
    ['new and then old', false, [at(0, 9, { write: 1 }), at(1, 2, { read: 1 }), at(3, 4, { read: 0 })]],
    ['new and old at once', true, [at(0, 9, { write: 1 }), at(1, 4, { read: 1 }), at(2, 3, { read: 0 })]],
    ['two writes in either order', true, [at(0, 3, { write: 1 }), at(1, 2, { write: 2 }), at(4, 5, { read: 1 })]],
    ['a value that was overwritten', false, [at(0, 1, { write: 1 }), at(2, 3, { write: 2 }), at(4, 5, { read: 1 })]],
    ['a write without a response that happened', true, [at(0, Infinity, { write: 1 }), at(1, 2, { read: 1 })]],
    ['a write without a response that did not', true, [at(0, Infinity, { write: 1 }), at(1, 2, { read: 0 })]],
    [
      'a write without a response that did and did not',
      false,
      [at(0, Infinity, { write: 1 }), at(1, 2, { read: 1 }), at(3, 4, { read: 0 })],
    ],
    ['a write before its start', false, [at(0, 1, { read: 1 }), at(2, Infinity, { write: 1 })]],
  ])('judges %s', (_, expected, history) => {
    expect(isLinearizable(...history)).toBe(expected)
    expect(isLinearizable(...history.toReversed())).toBe(expected)
  })

  it('returns the order', () => {
    const history = [at(0, 9, { write: 1 }), at(1, 4, { read: 1 }), at(2, 3, { read: 0 })]
    expect(linearize(history, 0, apply)).toEqual([{ read: 0 }, { write: 1 }, { read: 1 }])
  })

  it('accepts each order of calls that happened one at a time, and of calls that overlap them', () => {
    const moments = fc.array(fc.tuple(fc.boolean(), fc.nat(2), fc.nat(30), fc.nat(30)), { maxLength: 9 })
    fc.assert(
      fc.property(moments, (drawn) => {
        let value = 0
        const history = drawn.map(([isWrite, to, before, after], index) => {
          if (isWrite) value = to
          // The call happens at 10 for each index, and starts and ends around that instant.
          return at(index * 10 - before - 0.5, index * 10 + after + 0.5, isWrite ? { write: to } : { read: value })
        })
        expect(linearize(history, 0, apply)).toBeDefined()
      }),
    )
  })
})

const count = Number(process.env.RACE_HISTORIES ?? 100)

describe('a payment link, with random concurrent histories,', () => {
  /** Counts the histories that no order explains, up to a number that is enough. */
  const countRejected = async (name: LinkCase, enough = 1): Promise<number> => {
    await using mock = createLinks(linkCases[name])
    let rejected = 0
    for (const history of fc.sample(histories, { numRuns: count, seed: 35 })) {
      const recorded = await recordHistory(mock, linkCases[name], history)
      const isExplained = splitByLink(recorded).every((calls) => linearize(calls, 'active', applyToLink) !== undefined)
      if (!isExplained && ++rejected === enough) break
    }
    return rejected
  }

  it('is linearizable without a stale read', async () => {
    expect(await countRejected('retrieves and lists')).toBe(0)
  })

  it.each<LinkCase>(['stale retrieves', 'stale lists', 'retrieves of some time ago', 'delayed lists'])(
    'is not linearizable with %s, which at least 20 of them show',
    async (name) => {
      expect(await countRejected(name, 20)).toBe(20)
    },
  )
})
