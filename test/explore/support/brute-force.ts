// Properties of the search over programs: what it finds is what brute force finds.
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { exploreProgram } from '../../../src/extensions/explore/programs/explore-program.ts'
import { ProgramError } from '../../../src/extensions/explore/programs/program-verdict.ts'
import type { MockOptions } from '../../../src/index.ts'
import {
  type BruteRun,
  drawnOptions,
  drawnProgram,
  isFailure,
  type Place,
  type Program,
  runByBruteForce,
  searchInProcess,
} from './drawn-programs.ts'

/** Draws programs, and requires that a search finds the failures of each: with one fault, and with two if the program is short. */
export const compareWithBruteForce = (numRuns: number, given: fc.Parameters<unknown> = {}): Promise<void> =>
  fc.assert(
    fc.asyncProperty(drawnProgram, drawnOptions, async (program, options) => {
      const undisturbed = await runByBruteForce([program], options)
      const search = searchInProcess({ '': program }, options)
      if (undisturbed.exitCodes[0] !== 0 || undisturbed.calls.length === 0) {
        await expect(exploreProgram(search)).rejects.toThrow(ProgramError)
        return
      }
      const faults = undisturbed.calls.length < 4 ? 2 : 1
      const report = await exploreProgram({ ...search, faults })
      const found = report.failures.map(({ requests }) => listPlaces(requests))
      const expected = await findByBruteForce(program, options, undisturbed, faults)
      expect({ exhausted: report.exhausted, found: found.toSorted() }).toEqual({
        exhausted: true,
        found: expected.toSorted(),
      })
    }),
    { ...given, numRuns },
  )

const format = (places: readonly Place[]): string =>
  places.map(({ call, phase, effect }) => `${call}.${phase}.${effect}`).join('+')

/** The faults of a failure by their place in its run. The numbers of a schedule are those of the undisturbed run. */
const listPlaces = (requests: readonly { readonly fault: string | null }[]): string =>
  requests
    .flatMap(({ fault }, index) => {
      const [, effect, phase] = /^(\w+) (before|after) /.exec(fault ?? '') ?? []
      return phase === undefined ? [] : `${index + 1}.${phase}.${effect}`
    })
    .join('+')

/** A run with a fault more than `places` at one of its later calls. */
interface Tried {
  readonly places: readonly Place[]
  readonly run: BruteRun
  readonly isFailure: boolean
}

/** Tries each fault before and after each call, and again after each that is no failure. */
const findByBruteForce = async (program: Program, options: MockOptions, undisturbed: BruteRun, faults: number) => {
  const tryMore = async (places: readonly Place[], { calls }: BruteRun): Promise<Tried[]> => {
    const tried: Tried[] = []
    for (let call = (places.at(-1)?.call ?? 0) + 1; call <= calls.length; call++)
      for (const phase of ['before', 'after'] as const)
        for (const effect of ['crash', 'reset'] as const) {
          const more = [...places, { call, phase, effect }]
          const run = await runByBruteForce([program], options, more)
          tried.push({ places: more, run, isFailure: isFailure(run, [undisturbed]) })
        }
    return tried
  }
  const single = await tryMore([], undisturbed)
  const failed = single.filter((one) => one.isFailure)
  const found = failed.map(({ places }) => format(places))
  if (faults === 1) return found
  for (const one of single.filter((other) => !other.isFailure))
    for (const pair of await tryMore(one.places, one.run)) {
      if (pair.isFailure && !failed.some((smaller) => contains(pair, smaller))) found.push(format(pair.places))
    }
  return found
}

/** Whether the second fault of a pair fails in the same way alone. */
const contains = ({ places, run }: Tried, smaller: Tried): boolean => {
  const [last, alone] = [places.at(-1)!, smaller.places[0]!]
  const isSameCall = run.calls[last.call - 1] === smaller.run.calls[alone.call - 1]
  const hasSameEnd = run.exitCodes[0] === smaller.run.exitCodes[0] && hasSameOpenLinks(run, smaller.run)
  return isSameCall && hasSameEnd && last.phase === alone.phase && last.effect === alone.effect
}

const hasSameOpenLinks = (a: BruteRun, b: BruteRun): boolean => {
  const list = ({ counts }: BruteRun) => [...counts].filter(([key]) => key.endsWith('open')).toSorted()
  return JSON.stringify(list(a)) === JSON.stringify(list(b))
}
