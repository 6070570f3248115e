// A service that contradicts itself gets no value of a behavior that it does not have.
import { expect, it, onTestFinished } from 'vitest'
import type { CalibrationReport, ProbeKey } from '../../../src/extensions/calibrate/calibrate.ts'
import { createMock, type Mock } from '../../../src/index.ts'
import type { BehaviorChoices } from '../../../src/schema/behavior.ts'
import { calibrateMock } from './support/calibrate-mock.ts'

const start = (behaviors: BehaviorChoices) => {
  const mock = createMock({ behaviors })
  onTestFinished(() => mock.close())
  return mock
}

/** The results of the probes by key: a value, or that there is none. */
const resultsOf = ({ findings }: CalibrationReport) =>
  Object.fromEntries(findings.map((one) => [one.key, one.outcome === 'observed' ? one.value : one.outcome]))

/** A service with a clock of its own. Deleted users stay readable, everywhere, for 1.5 seconds. */
const deleteLate = (mock: Mock, latency: number): Pick<Mock, 'fetch'> => {
  let time = 0
  const deletions: { at: number; run: () => Promise<unknown> }[] = []
  return {
    fetch: async (input, init) => {
      time += latency
      for (const deletion of deletions.splice(0))
        if (deletion.at <= time) await deletion.run()
        else deletions.push(deletion)
      const url = input instanceof Request ? input.url : input
      if (init?.method !== 'DELETE') return mock.fetch(input, init)
      const { method: _, ...reading } = init
      const found = await mock.fetch(url, reading)
      if (found.ok) deletions.push({ at: time + 1500, run: async () => mock.fetch(url, init) })
      return found
    },
  }
}

it.each(['reject', 'resume', 'empty'] as const)(
  'a service whose deleted records stay readable for 1.5 seconds has deletedCursor=%s or no value',
  async (deletedCursor) => {
    const results = []
    // A request takes from a millisecond to a second and a half.
    for (const latency of [1, 200, 500, 700, 760, 1000, 1400, 1499, 1500]) {
      const service = deleteLate(start({ deletedCursor }), latency)
      const report = await calibrateMock(service, { keys: ['deletedCursor'] })
      results.push(resultsOf(report)['deletedCursor'])
      // Where the user can still be read, the report says so.
      if (latency < 1500)
        expect(report.findings, String(latency)).toMatchObject([
          { outcome: 'inconclusive', why: expect.stringMatching(/^the deleted user can still be retrieved: /) },
        ])
    }
    expect(results).toEqual([...Array(8).fill('inconclusive'), deletedCursor])
  },
)

/** A service whose searches find nothing, at the given ones. */
const flap = (mock: Mock, isEmpty: (search: number) => boolean): Pick<Mock, 'fetch'> => {
  let searches = 0
  return {
    fetch: async (input, init) => {
      const response = await mock.fetch(input, init)
      if (
        !new URL(input instanceof Request ? input.url : input).pathname.endsWith('/users/search') ||
        !response.ok ||
        !isEmpty(searches++)
      )
        return response
      return Response.json({ object: 'list', items: [], moreItemsAfter: null, moreItemsBefore: null })
    },
  }
}

const searchKeys: readonly ProbeKey[] = ['searchMatch']

it.each(['contains', 'exact'] as const)('a flapping search has searchMatch=%s or no value', async (searchMatch) => {
  const real = resultsOf(await calibrateMock(start({ searchMatch }), { keys: searchKeys }))
  expect(real['searchMatch']).toBe(searchMatch)
  const results = new Set<unknown>()
  for (let period = 2; period <= 5; period++)
    for (let phase = 0; phase < period; phase++)
      for (const isMostlyEmpty of [false, true]) {
        const service = flap(start({ searchMatch }), (search) => (search % period === phase) !== isMostlyEmpty)
        const result = resultsOf(await calibrateMock(service, { keys: searchKeys }))['searchMatch']
        // `unknown` is no value: it quotes a search that found a part twice, and capitals never.
        expect(['inconclusive', 'unknown', searchMatch], `${period} ${phase} ${isMostlyEmpty}`).toContain(result)
        results.add(result)
      }
  // Every second search is enough to see it.
  for (const phase of [0, 1]) {
    const service = flap(start({ searchMatch }), (search) => search % 2 === phase)
    expect(resultsOf(await calibrateMock(service, { keys: searchKeys }))).toEqual({ searchMatch: 'inconclusive' })
  }
  expect(results).toContain('inconclusive')
})
