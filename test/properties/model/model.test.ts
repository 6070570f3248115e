// Proves: Model agreement, Same on every transport.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agree, type Subject, type TestClock } from './agreement.ts'
import { steps } from './steps.ts'
import { inProcess, overHttp } from './subjects.ts'

// MODEL_SEQUENCES=200000 for a longer run.
const sequences = Number(process.env.MODEL_SEQUENCES ?? 100)
const throughSockets = Math.round(sequences * 0.1)

describe('the mock', () => {
  it(`agrees with the model over ${sequences - throughSockets} sequences, in process`, () =>
    expect(agrees(inProcess, sequences - throughSockets)).resolves.toBeUndefined())

  it(`agrees with the model over ${throughSockets} sequences, over HTTP`, () =>
    expect(agrees(overHttp, throughSockets)).resolves.toBeUndefined())
})

type Reach = <T>(clock: TestClock, use: (subject: Subject) => Promise<T>) => Promise<T>

function agrees(reach: Reach, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(steps, async (sequence) => {
    const clock = { now: Date.UTC(2025, 0, 1) }
    await reach(clock, (subject) => agree(sequence, subject, clock))
  })
  return fc.assert(property, { numRuns })
}
