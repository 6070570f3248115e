import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { behaviorKeys, behaviorRegistry } from '../../../src/schema/behavior.ts'
import { broken } from './broken.ts'
import { carefulProgram, parallelProgram } from './program.ts'
import { printFigure } from './random.ts'
import { compareProgram, withOtherErrors } from './service.ts'

/** All of a list, or every fifth: the rules have tests of their own, and `probe.test.ts` shows most values at once. */
const sample = <T>(list: readonly T[]): readonly T[] =>
  process.env.SLOW_TESTS ? list : list.filter((_, index) => index % 5 === 0)

const nothing = { learned: [], different: [], notCompared: [] }

describe('a service like the mock', () => {
  it('has no differences', async () => {
    const { observed, ...report } = await compareProgram(carefulProgram)
    expect(report).toMatchObject(nothing)
    expect(Object.keys(observed).length).toBeGreaterThan(17)
  })

  it('has none for calls at the same time', async () => {
    const report = await compareProgram(parallelProgram)
    expect(report.different).toEqual([])
    expect(report.learned).toEqual([])
    expect(report.same).toBeGreaterThan(80)
  })
})

// `prefix` and `seeded` reject the same invoice.
const ambiguous = 'invoiceIds=prefix'

describe('a behavior of the service', () => {
  const cases = sample(
    behaviorKeys.flatMap((key) =>
      behaviorRegistry[key].values.slice(1).map((value) => [`${key}=${value}`, { [key]: value }] as const),
    ),
  )
  const counts = { learned: 0, ambiguous: 0, wrong: 0 }
  afterAll(() => {
    const { learned, ambiguous: unclear, wrong } = counts
    printFigure(`One behavior: ${cases.length} values, ${learned} learned, ${unclear} ambiguous, ${wrong} wrong.`)
  })
  it.each(cases)('%s is learned', async (name, behaviors) => {
    const token = 'wrongProjectToken' in behaviors ? { token: 'secret-a', projects: ['sandbox'] } : undefined
    const { learned, different } = await compareProgram(carefulProgram, {
      behaviors,
      change: withOtherErrors,
      ...(token && { token }),
    })
    const names = learned.map(({ behavior, value }) => `${behavior}=${value}`)
    if (names.includes(name)) counts.learned++
    if (different.some(({ candidates }) => candidates.includes(name))) counts.ambiguous++
    counts.wrong += names.filter((one) => one !== name).length
    if (name === ambiguous) return expect(different[0]?.candidates).toEqual([ambiguous, 'invoiceIds=seeded'])
    expect(names).toEqual([name])
    expect(different).toEqual([])
  })

  it('is learned by the code of an error if several values explain it', async () => {
    const { learned } = await compareProgram(carefulProgram, { behaviors: { invoiceIds: 'prefix' } })
    expect(learned).toMatchObject([{ behavior: 'invoiceIds', value: 'prefix' }])
  })

  it('that is not the expected one is marked', async () => {
    const { learned } = await compareProgram(carefulProgram, { expected: { createStatus: 200 } })
    expect(learned).toMatchObject([{ behavior: 'createStatus', value: 201, was: 200, isExpected: true }])
  })
})

describe('a service that', () => {
  const cases = sample(Object.entries(broken))
  let reported = 0
  let intact: ReturnType<typeof compareProgram> | undefined
  afterAll(() => printFigure(`Broken services: ${reported} of ${cases.length} reported on the right call.`))
  it.each(cases)('%s is reported first on a call that shows it', async (_, change) => {
    const { different, exchanges } = await compareProgram(carefulProgram, { change })
    const { exchanges: expected } = await (intact ??= compareProgram(carefulProgram))
    const changed = exchanges.flatMap(({ response }, index) =>
      isDeepStrictEqual(response, expected[index]?.response) ? [] : [index + 1],
    )
    expect(changed).toContain(different[0]?.number)
    reported++
  })
})
