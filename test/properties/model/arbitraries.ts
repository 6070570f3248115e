/** Combinators for arbitraries. */
import * as fc from 'fast-check'

export const one = fc.constant
export const oneOf = fc.constantFrom

/** One value of several lists. */
export const oneOfAll = <T>(...lines: readonly (readonly T[])[]) => fc.constantFrom(...lines.flat())

export const weighted = <T>(...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** The odds of a value: present to absent. */
type Odds = readonly [present: number, absent: number]
export const nearlyAlways: Odds = [80, 1]
export const often: Odds = [1, 1]
export const sometimes: Odds = [1, 3]
export const seldom: Odds = [1, 12]
export const hardlyEver: Odds = [1, 60]

export const maybe = <T>([present, absent]: Odds, arbitrary: fc.Arbitrary<T>) =>
  weighted<T | undefined>([absent, one(undefined)], [present, arbitrary])

export const named = <T>(name: string, odds: Odds, value: fc.Arbitrary<T>) =>
  maybe(
    odds,
    value.map((drawn) => [name, drawn] as const),
  )
