import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { calibrate } from '../../../src/extensions/calibrate/calibrate.ts'
import { createUnreliableService, invoice, misbehaviors } from './support/unreliable-service.ts'

const numRuns = process.env.SLOW_TESTS ? 1000 : 30

it(`changes no record of others and reports what is left, whatever the service does (${numRuns} runs)`, async () => {
  let deceivedAndClean = 0
  await fc.assert(
    fc.asyncProperty(misbehaviors, async (how) => {
      const service = createUnreliableService(how)
      const { fetch, wait, now, signal } = service
      const to = { baseUrl: 'http://service', project: 'acme', token: 'tok_unreliable', invoice, provider: 'partner' }
      const report = await calibrate({ ...to, fetch, wait, now, signal, random: () => 0.37 })
      expect(service.harm).toEqual([])
      if (report.leftBehind.length === 0) expect(service.listLeft()).toEqual([])
      if (report.leftBehind.length === 0 && report.ended === undefined && service.countLies() > 0) deceivedAndClean++
    }),
    { numRuns },
  )
  // Otherwise the property would hold for a calibrate that always complains.
  expect(deceivedAndClean).toBeGreaterThan(numRuns / 20)
})
