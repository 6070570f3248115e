import * as fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'

/** The error of fast-check for a property that fails for sequences with a large sum, and the number of runs. */
const failureOf = async (kind: 'sync' | 'async') => {
  // Only the clock of the shrinking is frozen between the runs.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  let runs = 0
  const sequence = fc.array(fc.nat(1000), { minLength: 50, maxLength: 60 })
  const look = (numbers: number[]) => {
    runs++
    vi.advanceTimersByTime(1000)
    if (numbers.reduce((sum, one) => sum + one, 0) > 1000) throw new Error('The sum is too large.')
  }
  const check =
    kind === 'sync'
      ? async () => fc.assert(fc.property(sequence, look))
      : () => fc.assert(fc.asyncProperty(sequence, async (numbers) => look(numbers)))
  const error = (await check().catch((thrown: unknown) => thrown)) as Error
  return { message: error.message, runs }
}

it.each(['sync', 'async'] as const)('a failing %s property stops shrinking, and prints its sequence', async (kind) => {
  const { message, runs } = await failureOf(kind)
  expect(runs).toBeLessThan(20)
  expect(message).toMatch(/^Property failed after \d+ tests\n\{ seed: -?\d+, path: "[\d:]+", endOnFailure: true \}\n/)
  expect(message).toMatch(/\nCounterexample: \[\[(?:\d+,){49,}\d+\]\]\n/)
})

it('a failing property is still shrunk', async () => {
  const failure = fc.assert(
    fc.asyncProperty(fc.array(fc.nat()), async (numbers) => {
      expect(numbers.length).toBeLessThan(3)
    }),
  )
  await expect(failure).rejects.toThrow(/Counterexample: \[\[0,0,0\]\]/)
})
