import * as fc from 'fast-check'
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import { behaviorMatrix, type BehaviorKey, createMock } from '../../src/node/index.ts'
import { behaviorKeys, behaviorRegistry, defaultBehaviors } from '../../src/schema/behavior.ts'

type Row = Readonly<Partial<Record<BehaviorKey, unknown>>>

const valuesOf = (key: BehaviorKey): readonly unknown[] => behaviorRegistry[key].values

/** The pairs of values that are in no combination. */
const missingPairs = (keys: readonly BehaviorKey[], rows: readonly Row[]): string[] =>
  keys.flatMap((one, index) =>
    keys.slice(index + 1).flatMap((other) =>
      valuesOf(one).flatMap((a) =>
        valuesOf(other)
          .filter((b) => !rows.some((row) => row[one] === a && row[other] === b))
          .map((b) => `${one}=${String(a)}, ${other}=${String(b)}`),
      ),
    ),
  )

/** The minimum for the two largest keys. */
const leastRows = (keys: readonly BehaviorKey[]): number => {
  const [most = 1, next = 1] = keys.map((key) => valuesOf(key).length).toSorted((a, b) => b - a)
  return most * next
}

const someKeys = fc.shuffledSubarray(behaviorKeys)

describe('behaviorMatrix', () => {
  it('covers every pair of values of all keys with fourteen combinations', () => {
    const rows = behaviorMatrix()
    expect(missingPairs(behaviorKeys, rows)).toEqual([])
    expect(rows).toHaveLength(14)
    for (const row of rows) expect(Object.keys(row)).toEqual(behaviorKeys)
  })

  it('covers every pair of values of any keys with few combinations', () => {
    fc.assert(
      fc.property(someKeys, (keys) => {
        const rows = behaviorMatrix(keys)
        expect(missingPairs(keys, rows)).toEqual([])
        for (const row of rows) expect(Object.keys(row)).toEqual(keys)
        expect(rows.length).toBeGreaterThanOrEqual(leastRows(keys))
        expect(rows.length).toBeLessThanOrEqual(14)
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    [['createStatus', 'cancelInactive'], 4],
    [['createStatus', 'cancelInactive', 'errorFormat'], 4],
    [['createStatus', 'cancelInactive', 'errorFormat', 'duplicateEmail'], 6],
    [['createStatus', 'searchMatch'], 6],
    [['createStatus', 'searchMatch', 'cancelInactive'], 6],
    [['deletedCursor', 'searchMatch'], 9],
    [['deletedCursor', 'searchMatch', 'invoiceIds', 'wrongProjectToken'], 11],
  ] as [BehaviorKey[], number][])('needs at most %i combinations for %j', (keys, count) => {
    expect(behaviorMatrix(keys)).toHaveLength(count)
  })

  it.each(behaviorKeys)('has each value of %s alone once', (key) => {
    expect(behaviorMatrix([key])).toEqual(valuesOf(key).map((value) => ({ [key]: value })))
  })

  it('begins with the defaults', () => {
    fc.assert(
      fc.property(someKeys, (keys) => {
        const [first] = behaviorMatrix(keys)
        expect(first).toEqual(Object.fromEntries(keys.map((key) => [key, defaultBehaviors[key]])))
      }),
      { numRuns: 20 },
    )
  })

  it('is one empty combination for no keys', () => {
    expect(behaviorMatrix([])).toEqual([{}])
  })

  it('is deterministic', () => {
    const first = behaviorMatrix()
    const draw = vi.spyOn(Math, 'random')
    onTestFinished(() => draw.mockRestore())
    expect(behaviorMatrix()).toEqual(first)
    expect(draw).not.toHaveBeenCalled()
  })

  it('ignores a duplicate key', () => {
    expect(behaviorMatrix(['createStatus', 'createStatus'])).toEqual([{ createStatus: 201 }, { createStatus: 200 }])
  })

  it('returns frozen combinations', () => {
    const rows = behaviorMatrix(['createStatus'])
    expect([rows, ...rows].map((value) => Object.isFrozen(value))).toEqual([true, true, true])
  })

  it('rejects an unknown key with the nearest known one', () => {
    const error = { code: 'invalidOptions', message: expect.stringContaining("did you mean 'cancelInactive'?") }
    expect(() => behaviorMatrix(['cancelInactiv' as BehaviorKey])).toThrow(expect.objectContaining(error))
    expect(() => behaviorMatrix(['x' as BehaviorKey])).toThrow(
      /^behaviorMatrix: there is no .* the keys are createStatus,/,
    )
  })
})

it.each([{}, 3, null])('behaviorMatrix rejects %j, which is not a list of keys', (keys) => {
  expect(() => behaviorMatrix(keys as never)).toThrow('behaviorMatrix: the keys must be an array of names.')
})

describe.each(behaviorMatrix(['cancelInactive', 'createStatus']))(
  'under $cancelInactive, $createStatus',
  (behaviors) => {
    it('a mock can be made', async () => {
      expectTypeOf(behaviors).toEqualTypeOf<{
        readonly cancelInactive: 'conflict' | 'idempotent'
        readonly createStatus: 201 | 200
      }>()
      expect((await createMock({ behaviors }).behaviors.get()).values).toMatchObject(behaviors)
    })
  },
)
