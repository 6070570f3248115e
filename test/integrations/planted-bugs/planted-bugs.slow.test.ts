import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Coverage, createMock, formatCoverage, type ProjectControl } from '../../../src/node/index.ts'
import { getSituationName } from '../../../src/core/schema/coverage-text.ts'
import { prepareSituation } from '../../support/prepare-situation.ts'
import { bugs } from './bugs.js'
import { added, suite } from './suite.js'

// How many bugs of a client its suite notices, before and after each situation that it never showed got a test. The bugs
// were planted without a look at the coverage.

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const source = readFileSync(new URL('client.js', import.meta.url), 'utf8')

/** Loads the client, with a bug or without. */
const loadClient = async (old = '', replacement = '') => {
  const parts = source.split(old)
  if (old !== '') expect(parts, `the text of the bug: ${old}`).toHaveLength(2)
  const text = old === '' ? source : parts.join(replacement)
  return (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(text)}`)) as {
    createClient: (options: object) => unknown
  }
}

interface Scope {
  readonly client: unknown
  readonly project: ProjectControl
  /** The pauses of the client, in milliseconds. */
  readonly slept: number[]
  /** The id of the record that the line has created. */
  readonly id: string | undefined
}

type Tests = Readonly<Record<string, (scope: Scope) => Promise<void>>>

const { items } = await createMock().coverage()
const lines = new Map(items.map((item) => [getSituationName(item), item.show]))

/** Runs tests in a project each, until one fails. The line of a situation comes first. */
const run = async ({ createClient }: Awaited<ReturnType<typeof loadClient>>, tests: Tests) => {
  const failed: string[] = []
  const mock = createMock()
  for (const [name, test] of Object.entries(tests)) {
    const project = mock.project(name)
    const slept: number[] = []
    const sleep = async (milliseconds: number) => void slept.push(milliseconds)
    const id = await prepareSituation(mock, name, lines.get(name))
    const client = createClient({ fetch: mock.fetch, url: 'http://mock', project: name, sleep })
    const result = test({ client, project, slept, id }).catch(() => failed.push(name))
    await vi.advanceTimersByTimeAsync(60_000)
    await result
    if (failed.length > 0) break
  }
  return { failed, coverage: await mock.coverage() }
}

const getUnseen = ({ items: all }: Coverage) => all.filter(({ seen }) => seen === 0).map(getSituationName)

describe('a suite of eight tests', () => {
  it('passes, and shows its client a fifth of the situations', async () => {
    const { failed, coverage } = await run(await loadClient(), suite)
    expect(failed).toEqual([])
    expect(Object.keys(suite)).toHaveLength(8)
    expect(getUnseen(coverage)).toEqual(Object.keys(added))
    expect([coverage.seen, coverage.total]).toEqual([12, 55])
  })

  it('passes with a test for each of the others, and shows everything', async () => {
    const { failed, coverage } = await run(await loadClient(), { ...suite, ...added })
    expect(failed).toEqual([])
    expect(getUnseen(coverage)).toEqual([])
    expect(formatCoverage(coverage)).toBe('Clients were shown 55 of 55 situations.')
  })

  it('notices 1 of 30 bugs before, and 25 after', async () => {
    const isNoticed = async (client: Awaited<ReturnType<typeof loadClient>>, tests: object) =>
      (await run(client, tests as Tests)).failed.length > 0
    const before: string[] = []
    const after: string[] = []
    for (const [name = '', old, replacement] of bugs) {
      const client = await loadClient(old, replacement)
      if (await isNoticed(client, suite)) before.push(name)
      else if (await isNoticed(client, added)) after.push(name)
    }
    const survivors = bugs.map(([name = '']) => name).filter((name) => ![...before, ...after].includes(name))
    expect(bugs).toHaveLength(30)
    expect({ before, survivors }).toMatchInlineSnapshot(`
      {
        "before": [
          "asks for the payment once only",
        ],
        "survivors": [
          "ends with a page that is not full",
          "compares emails with their case",
          "finds links of other invoices",
          "finds canceled links of the invoice",
          "trusts that every response is JSON",
        ],
      }
    `)
    expect([before.length, before.length + after.length]).toEqual([1, 25])
  })
})
