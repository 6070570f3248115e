import { expect, it } from 'vitest'
import type { BehaviorKey } from '../../../src/schema/behavior.ts'
import { forEachSeed, printFigure, programs } from './figures.ts'
import { randomBehaviors, randomProgram } from './random.ts'
import { compareProgram } from './service.ts'

it('a service with random behaviors teaches no value that it does not have', async () => {
  let [learned, observed, different] = [0, 0, 0]
  const wrong: unknown[] = []
  await forEachSeed(async (random, seed) => {
    const behaviors = randomBehaviors(random)
    const report = await compareProgram(randomProgram(random), { random, behaviors })
    const shown = [
      ...report.learned.map(({ behavior, value }) => [behavior, value] as const),
      ...(Object.entries(report.observed) as [BehaviorKey, unknown][]),
    ]
    for (const [behavior, value] of shown) if (value !== behaviors[behavior]) wrong.push({ seed, behavior, value })
    learned += report.learned.length
    observed += Object.keys(report.observed).length
    different += report.different.length
  })
  printFigure(
    `Random behaviors: ${programs} services, ${learned} values learned, ${observed} observed, ${wrong.length} wrong; ${different} calls different.`,
  )
  expect(wrong).toEqual([])
})
