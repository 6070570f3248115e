import { expect, it } from 'vitest'
import { forEachSeed, printFigure, programs } from './figures.ts'
import { randomProgram } from './random.ts'
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
