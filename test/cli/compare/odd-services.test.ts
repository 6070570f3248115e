import { expect, it } from 'vitest'
import { changeReply } from './broken.ts'
import { forEachSeed } from './figures.ts'
import { pick, type Random, randomProgram } from './random.ts'
import { compareProgram } from './service.ts'

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
