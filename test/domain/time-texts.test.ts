import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTimeTexts } from '../../src/domain/time-texts.ts'
import { earliest, latest } from '../../src/schema/clock.ts'

it('writes times as the language does, in any order, from the first to the last there is', () => {
  const near = fc.constantFrom(-60_000, -1000, -1, 0, 1, 999, 1000, 59_000, 59_999, 60_000)
  const times = fc
    .tuple(fc.oneof(fc.integer({ min: earliest, max: latest }), fc.constantFrom(0, earliest, latest)), fc.array(near))
    .map(([start, steps]) => [0, ...steps].map((step) => Math.min(Math.max(start + step, earliest), latest)))
  fc.assert(
    fc.property(times, (all) => {
      expect(all.map(createTimeTexts())).toEqual(all.map((time) => new Date(time).toISOString()))
    }),
  )
})

it('takes no minute for the one before it', () => {
  const minute = Date.parse('2025-01-01T00:01:00.000Z')
  expect([minute, minute - 30_000].map(createTimeTexts())).toEqual([
    '2025-01-01T00:01:00.000Z',
    '2025-01-01T00:00:30.000Z',
  ])
})
