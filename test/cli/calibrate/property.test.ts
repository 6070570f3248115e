import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { planProbes, probeKeys, notProbeable } from '../../../src/extensions/calibrate/calibrate.ts'
import { createMock, type Mock, type SeedInput } from '../../../src/index.ts'
import { type BehaviorChoices, behaviorKeys, behaviorRegistry } from '../../../src/schema/behavior.ts'
import { calibrateMock } from './support/calibrate-mock.ts'

// CALIBRATE_RUNS=200 for the long run.
const numRuns = Number(process.env.CALIBRATE_RUNS ?? 3)

const choices = fc.record(
  Object.fromEntries(probeKeys.map((key) => [key, fc.constantFrom(...behaviorRegistry[key].values)])),
) as fc.Arbitrary<unknown> as fc.Arbitrary<BehaviorChoices>

// Before, at and after the time of the mock: existing records may be anywhere in a list.
const instant = fc.date({ min: new Date('2024-01-01'), max: new Date('2031-01-01'), noInvalidDate: true })
const createdAt = instant.map((date) => date.toISOString())
const invoice = fc.constantFrom('inv_given', 'inv_other', 'odd')
const user = fc.record({
  email: fc.constantFrom('ada@example.com', 'ADA@example.com', 'paylink-mock-calibrate+1@example.com'),
  createdAt,
  emailVerified: fc.boolean(),
})
const link = fc.record({ invoice, createdAt, status: fc.constantFrom('active', 'canceled', 'completed') })
const records = fc.record({ users: fc.array(user, { maxLength: 15 }), paymentLinks: fc.array(link, { maxLength: 15 }) })

const clock = fc.oneof(
  fc.constantFrom('real', 'frozen', 'stepping'),
  createdAt,
  createdAt.map((now) => ({ mode: 'stepping' as const, now, step: 1 })),
)
const provider = fc.constantFrom('partner', 'acmepay')

/** Waits by the clock of the mock. */
const advance = (mock: Mock) => async (milliseconds: number) => void (await mock.clock.advance(milliseconds))

/** The observable behaviors: a reset of emailVerified is visible only for a verified user. */
const visible = ({ emailVerifiedOnChange, ...others }: BehaviorChoices) =>
  others.emailVerifiedOnCreate ? { ...others, emailVerifiedOnChange } : others

it(`any combination of behaviors is detected, whatever records exist (${numRuns} runs)`, () =>
  fc.assert(
    fc.asyncProperty(choices, records, clock, provider, fc.integer({ min: 1, max: 3 }), async (...drawn) => {
      const [behaviors, others, time, word, times] = drawn
      const project = { ...others, invoices: ['inv_given', 'inv_other'] } as NonNullable<SeedInput['projects']>[string]
      const mock = createMock({ seed: { projects: { acme: project } }, behaviors, clock: time, provider: word })
      const acme = mock.project('acme')
      const before = await acme.state.get()
      for (let run = 0; run < times; run++) {
        const report = await calibrateMock(mock, { provider: word, wait: advance(mock) })
        expect(report.behaviors).toEqual(visible(behaviors))
        expect(report.findings.filter(({ outcome }) => outcome === 'unknown')).toEqual([])
        expect({ ended: report.ended, odd: report.unexpectedFields, left: report.leftBehind }).toEqual({
          odd: [],
          left: [],
        })
        expect(report.canceled.length).toBeLessThanOrEqual(planProbes(probeKeys).paymentLinks)
      }
      const after = await acme.state.get()
      expect(after.users).toEqual(before.users)
      expect(after.paymentLinks!.filter(({ status }) => status === 'active')).toEqual(
        before.paymentLinks!.filter(({ status }) => status === 'active'),
      )
    }),
    { numRuns },
  ))

it('every behavior has a probe, or a reason why it is not observable', () => {
  expect([...probeKeys, ...Object.keys(notProbeable)].toSorted()).toEqual(behaviorKeys.toSorted())
})

it.each(probeKeys)('%s is detected by its probe alone', async (key) => {
  for (const value of behaviorRegistry[key].values) {
    const mock = createMock({
      behaviors: { [key]: value },
      seed: { projects: { acme: { invoices: ['inv_given'] } } },
    })
    const { behaviors, canceled, leftBehind } = await calibrateMock(mock, { keys: [key], wait: advance(mock) })
    expect({ behaviors, leftBehind }).toEqual({ behaviors: { [key]: value }, leftBehind: [] })
    const { paymentLinks, users, needsInvoice } = planProbes([key])
    expect(canceled.length).toBeLessThanOrEqual(paymentLinks)
    if (!needsInvoice) expect(canceled).toEqual([])
    // Every created user has used an id.
    const { progress } = await mock.project('acme').state.get()
    expect(progress?.counters?.usr ?? 0).toBeLessThanOrEqual(users)
  }
})
