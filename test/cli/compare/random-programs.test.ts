// Random programs and services. `npm run quality -- compare` tries many more.
import { expect, it } from 'vitest'
import type { BehaviorKey } from '../../../src/schema/behavior.ts'
import { changeReply } from './broken.ts'
import { forEachSeed, pick, printFigure, programs, type Random, randomBehaviors, randomProgram } from './random.ts'
import { compareProgram } from './service.ts'

it('a service with the behaviors of the mock has no difference in random programs whose calls overlap', async () => {
  let [calls, same] = [0, 0]
  const wrong: unknown[] = []
  await forEachSeed(async (random, seed) => {
    const report = await compareProgram(randomProgram(random), { random })
    calls += report.calls
    same += report.same
    for (const { number, path, differences } of report.different) wrong.push({ seed, number, path, differences })
    for (const { behavior, value } of report.learned) wrong.push({ seed, behavior, value })
  })
  printFigure(
    `Same behaviors: ${programs} random programs, ${calls} calls, ${same} the same, ${wrong.length} false differences.`,
  )
  expect(wrong).toEqual([])
})

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

const oddValues: readonly unknown[] = [
  null,
  undefined,
  '',
  ' ',
  'x',
  '../?#%',
  0,
  -1,
  1e300,
  true,
  [],
  [null],
  {},
  { id: 1 },
  '9999-99-99T99:99:99Z',
  '2025-01-01T00:00:00+99:00',
  '+275760-09-13T00:00:00Z',
  '0000-01-01T00:00:00Z',
  'x'.repeat(70_000),
  'usr_',
  'pml_%',
  '\uD800',
]

/** Replaces some values of a JSON document by odd ones. */
const spoil = (random: Random, value: unknown): unknown => {
  if (random() < 0.04) return pick(random, oddValues)
  if (Array.isArray(value)) return value.map((item) => spoil(random, item))
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, spoil(random, field)]))
    : value
}

it('a service that responds with anything makes no comparison fail', async () => {
  await forEachSeed(async (random, seed) => {
    const change = changeReply(
      () => random() < 0.5,
      ({ status, body }) => ({
        status: random() < 0.1 ? pick(random, [200, 204, 400, 404, 422, 101]) : status,
        body: spoil(random, body),
      }),
    )
    const program = randomProgram(random, { workers: 2, steps: 15 })
    const report = await compareProgram(program, { random, change }).catch((error: unknown) => error)
    expect(report, `program ${seed}`).toMatchObject({ calls: 30 })
  })
})
