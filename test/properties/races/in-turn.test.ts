// Proves: Races.
/** Scheduled payments, and what becomes of a project, while its links are paid, canceled and deleted. */
import * as fc from 'fast-check'
import { it } from 'vitest'
import { allCalls, calls, createWatch, expectOneStory, startMock } from './in-turn.ts'
import { race, sendInPieces } from './scheduling.ts'

// RACE_RUNS=5000 for a longer run; a failure prints its seed and path.
const numRuns = Number(process.env.RACE_RUNS ?? 12)

const chosenCalls = fc.array(fc.constantFrom(...allCalls), { minLength: 2, maxLength: 8 })

it(`calls at once have the responses and the effects of calls in some order, over ${numRuns} races`, () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), chosenCalls, fc.boolean(), async (scheduler, chosen, isHolding) => {
      const mock = await startMock()
      const holds = isHolding ? [await mock.faults.add({ times: 2, effect: { hold: true } })] : []
      const { made, watch } = createWatch()
      await race(scheduler, holds, () =>
        chosen.map(async (call) => {
          await scheduler.schedule(Promise.resolve(), call)
          await watch(call, () => sendInPieces(mock.fetch, scheduler, calls[call]))
        }),
      )
      await expectOneStory(mock, made)
    }),
    { numRuns },
  ))
