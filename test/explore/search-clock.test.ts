import { expect, it, onTestFinished, vi } from 'vitest'
import { startClock } from '../../src/extensions/explore/search-clock.ts'

it('several runs at the same time settle', async () => {
  using clock = startClock({ signal: undefined, budget: null, maxRuns: 10, onProgress: undefined })
  await expect(Promise.all([clock.settle(), clock.settle(), clock.settle()])).resolves.toHaveLength(3)
})

/** A search whose timers and time are the same mocked clock: none of them can be skipped. */
const importWithFakeTime = async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.resetModules()
  onTestFinished(() => {
    vi.useRealTimers()
    vi.resetModules()
  })
  return import('../../src/extensions/explore/search-clock.ts')
}

it.each([
  ['its budget', 2000, 2000],
  ['the time that it was given, if that is shorter', 20_000, 10_000],
  ['the time that it was given, without a budget', null, 10_000],
])('a wait for a client that waits for its own timer ends after %s', async (_, budget, expected) => {
  const fresh = await importWithFakeTime()
  using clock = fresh.startClock({ signal: undefined, budget, maxRuns: 10, onProgress: undefined })
  let ended: number | undefined
  const start = clock.now()
  void clock.waitForWake(10_000).then(() => (ended = clock.now() - start))
  await vi.advanceTimersByTimeAsync(expected - 1)
  expect(ended).toBeUndefined()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(ended).toBe(expected)
  expect(clock.isStopped()).toBe(budget !== null)
})
