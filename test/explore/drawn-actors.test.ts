// The same outcomes with `isolated` and without it, for actors of all features.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namedEffects } from '../../src/explore/effects/named-effects.ts'
import type { Flow, InterleaveOptions } from '../../src/explore/index.ts'
import { commands } from '../../src/core/mock/extension.ts'
import { behaviorKeys, behaviorRegistry, profiles } from '../../src/core/schema/behavior.ts'
import { operationIds } from '../../src/core/schema/operation-routes.ts'
import { createSeed } from './support/drawn-calls.ts'
import {
  type Actors,
  drawnActors,
  drawnPairs,
  features,
  lateSignal,
  listFeatures,
  methods,
  toFlow,
} from './support/drawn-actors.ts'
import { interleave } from './support/searches.ts'

// EXPLORE_RUNS=500 for a longer run; a failure prints its seed and path. EXPLORE_LOG=1 prints the counts.
const numRuns = Number(process.env.EXPLORE_RUNS ?? 6)
/** Actors with more orders are skipped. */
const maxRuns = process.env.EXPLORE_RUNS === undefined ? 12 : 60

const options = fc
  .record({
    profile: fc.constantFrom(...(Object.keys(profiles) as (keyof typeof profiles)[])),
    behaviors: fc.option(
      fc.constantFrom(...behaviorKeys).chain((key) => {
        const values: readonly unknown[] = behaviorRegistry[key].values
        return fc.constantFrom(...values).map((value) => ({ [key]: value }))
      }),
      { nil: {} },
    ),
    scheduled: fc.constantFrom([], [], [{ reads: 1 }], [{ at: '2024-12-31T00:00:00.000Z' }]),
    mode: fc.constantFrom<('frozen' | 'stepping')[]>('frozen', 'frozen', 'stepping'),
  })
  .map(({ scheduled, mode, ...given }) => ({ ...given, seed: createSeed(mode, scheduled) }))

type Given = Omit<InterleaveOptions, 'actors' | 'invariant'>

const effects: Given['effects'][] = [
  { late: { delay: { milliseconds: 1500 } } },
  { hang: { connection: 'hang' } },
  ...(Object.keys(namedEffects) as (keyof typeof namedEffects)[]).map((name) => [name]),
]
const drawnEffects: fc.Arbitrary<Given> = fc.record({
  effects: fc.constantFrom(...effects),
  faults: fc.constantFrom(1, 1, 2),
  payAfterReads: fc.constantFrom(undefined, undefined, 1),
})

/** Runs a search. Returns its result, and what the callers and the state show at the end of its runs, or how these fail. */
const search = async (actors: Actors, given: Given) => {
  const outcomes = new Set<string>()
  const result = await interleave({
    ...given,
    actors: Object.fromEntries(Object.entries(actors).map(([name, actions]) => [name, toFlow(name, actions)])),
    maxRuns,
    maxFailures: Number.MAX_SAFE_INTEGER,
    invariant: async ({ mock, results }) => {
      outcomes.add(JSON.stringify([results, await mock.state.get()], null, 1))
    },
  }).catch((error: Error) => {
    if (/made no call to the mock/.test(error.message)) return undefined
    throw error
  })
  for (const { error } of result?.failures ?? []) outcomes.add(String(error))
  return { result, outcomes: [...outcomes].toSorted() }
}

/** Requires that `isolated: true` reaches the same outcomes as all orders, and makes the same claim. */
const compareSearches = async (drawn: fc.Arbitrary<Actors>, effect: fc.Arbitrary<Given>, count: number) => {
  const counts = { drawn: 0, compared: 0, all: 0, isolated: 0 }
  const property = fc.asyncProperty(drawn, effect, options, async (actors, given, mockOptions) => {
    counts.drawn++
    const all = await search(actors, { ...given, options: mockOptions })
    fc.pre(all.result?.endedBy === 'complete')
    const isolated = await search(actors, { ...given, options: mockOptions, isolated: true })
    counts.compared++
    counts.all += all.result.runs
    counts.isolated += isolated.result?.runs ?? 0
    expect(isolated.outcomes).toEqual(all.outcomes)
    expect(all.outcomes.filter((outcome) => outcome.includes(lateSignal))).toEqual([])
    // Runs that were given up count for the limit, too.
    if (isolated.result?.endedBy === 'complete') expect(isolated.result.exhausted).toBe(all.result.exhausted)
  })
  await fc.assert(property, { numRuns: count })
  if (process.env.EXPLORE_LOG !== undefined) console.log(JSON.stringify(counts))
}

describe('the generator', () => {
  const actors = fc.sample(drawnActors, { numRuns: 4000, seed: 1 })
  const drawn = new Set(actors.flatMap((one) => Object.values(one).flat().flatMap(listFeatures)))
  it.each<[what: string, names: readonly string[]]>([
    ['feature', features],
    ['operation', operationIds],
    ['command', Object.keys(commands)],
    ['method of a project', methods.project.map((name) => `project.${name}`)],
    ['method of a mock', methods.mock.map((name) => `mock.${name}`)],
  ])('draws each %s', (_, names) => {
    expect(names.filter((name) => !drawn.has(name))).toEqual([])
  })

  it('draws each effect, and each method of a client', async () => {
    const names = fc.sample(drawnEffects, { numRuns: 400, seed: 1 }).map((one) => one.effects)
    expect(new Set(names)).toEqual(new Set(effects))
    let members: string[] = []
    const flow: Flow = (client) => {
      members = Object.keys(client)
      return client.mock.project('one').summary()
    }
    await interleave({ actors: { flow }, invariant: () => {} })
    expect(members.toSorted()).toEqual(['fetch', 'mock', 'now', 'sleep'])
  })
})

describe('isolated', () => {
  it('reaches the outcomes of all orders', () => compareSearches(drawnActors, fc.constant({}), numRuns))
  it('reaches the outcomes of all orders with effects', () => compareSearches(drawnPairs, drawnEffects, numRuns / 2))
})
