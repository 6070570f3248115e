// Programs that share more than the mock: what they read and write elsewhere, the search cannot see.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { interleavePrograms } from '../../src/explore/programs/interleave-programs.ts'
import { searchInProcess } from '../explore/support/drawn-programs.ts'
import { emptyFolder } from './support/cli.ts'
import { interleave, interleaveJson, script } from './support/programs.ts'

/** Calls the mock without a change. */
const look = 'call "$BASE_URL/projects/acme/users" >/dev/null || exit'
// A shim, such as that of pyenv, takes longer to start than the program.
const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
const claim = fileURLToPath(new URL('support/claim.py', import.meta.url))

/** Workers that claim their work outside of the mock: they look there, and claim it after their next call. */
const workers = {
  'a file': (file: string) => script(`${look}; test -e ${file} && exit; ${look}; touch ${file}; create`),
  'a lock file': (file: string) =>
    script(`${look}; test -e ${file} && exit 3; test -n "$(find_links)" && exit; touch ${file}; create; rm -f ${file}`),
  'a database': (file: string) => [python, '-S', claim, 'buggy', file],
}

/** Runs two workers that share a file, which each run begins without. */
const runWorkers = (toWorker: (file: string) => string[], flags: readonly string[] = []) => {
  const file = join(emptyFolder(), 'claims')
  return interleaveJson([toWorker(file), toWorker(file)], ['--reset', `rm -f ${file}`, ...flags])
}

describe('two workers that claim their work', () => {
  it.each([
    ['a file', 'a,b*3,a*2'],
    ['a lock file', 'a,b*2,a*2,b'],
    ['a database', 'a,b*3,a*2'],
  ] as const)('in %s do it twice', async (place, order) => {
    const { code, failures } = await runWorkers(workers[place])
    const [failure] = failures
    expect({ code, replay: failure?.replay, error: failure?.error }).toEqual({
      code: 1,
      replay: order,
      error: expect.stringContaining('2 payment links of inv_77 instead of 1'),
    })
  })

  it('in a file for each run do it twice', async () => {
    const worker = workers['a file']('"$STATE"')
    const { failures } = await interleaveJson([worker, worker], ['--env', `STATE=${emptyFolder()}/state-{run}`])
    expect(failures.map(({ replay }) => replay)).toEqual(['a,b*3,a*2'])
  })

  it('in one step do it once, which is exhausted if all their orders have few switches', async () => {
    const { code, failures, notTried, caveats, exhausted, switches } = await runWorkers((file) =>
      script(`${look}; ln -s claimed ${file} || exit 0; ${look}; create`),
    )
    expect({ code, failures, notTried, caveats, exhausted, switches }).toEqual({
      code: 0,
      failures: [],
      notTried: [],
      caveats: [],
      exhausted: true,
      switches: 2,
    })
  })

  it('are tried only in orders that differ at the mock if they are said to be isolated', async () => {
    const { code, failures, exhausted, switches } = await runWorkers(workers['a file'], ['--isolated'])
    expect({ code, failures, exhausted, switches }).toEqual({ code: 0, failures: [], exhausted: true, switches: null })
  })
})

it('a worker that gives up waiting for a lock is named: its other orders were not tried', async () => {
  const file = join(emptyFolder(), 'lock')
  const createLocked = `exec 9>${file}; flock -w 3 9 || exit 3; test -n "$(find_links)" && exit; create`
  const programs = [script(createLocked), script(`sleep 0.3; ${createLocked}`)]
  const { code, failures, exhausted, caveats } = await interleaveJson(programs)
  const silence = /^Program b sent no call for a long time while a call of another program waited.*--settle 1000/
  expect({ code, failures, exhausted, caveats }).toEqual({
    code: 0,
    failures: [],
    exhausted: false,
    caveats: [expect.stringMatching(silence)],
  })
  expect(await interleaveJson(programs, ['--isolated'])).toMatchObject({ exhausted: true, caveats: [] })
})

it('claims nothing of a program that starts so slowly that a wait for a lock would not be noticed', async () => {
  const programs = [script('create'), script('sleep 1.6; create inv_2')]
  const { exhausted, caveats } = await interleaveJson(programs)
  const silence = /^Program b is idle for 1\.\d s, also when it runs alone\..*--settle 4000 .*--isolated/
  expect({ exhausted, caveats }).toEqual({ exhausted: false, caveats: [expect.stringMatching(silence)] })
  expect(await interleaveJson(programs, ['--isolated'])).toMatchObject({ exhausted: true, caveats: [] })
})

it('time in which a program computes is no silence', async () => {
  // A loop that starts no process is never idle, on a busy machine either.
  const compute = `timeout 1.6 sh -c 'while :; do :; done' || true`
  const programs = [script('create'), script(`${compute}; create inv_2`)]
  expect(await interleaveJson(programs)).toMatchObject({ exhausted: true, caveats: [] })
})

describe('programs whose calls do not affect each other', () => {
  /** The orders one after the other, twice the first, and one of those that differ at the mock. */
  const others = 4
  const createEach = (count: number, invoice: 'inv_1' | 'inv_2') =>
    Array.from({ length: count }, () => ({ do: 'ensure', invoice, attempts: 1, hasKey: false }) as const)
  const runPair = (calls: number, switches: number | 'all' | null) => {
    const search = searchInProcess(
      { a: createEach(calls, 'inv_1'), b: createEach(calls, 'inv_2') },
      { seed: { template: { paymentLinks: [{ invoice: 'inv_1' }, { invoice: 'inv_2' }] } } },
    )
    return interleavePrograms({ ...search, faults: 0, switches })
  }

  it.each<readonly [calls: number, orders: number]>([
    [3, 14],
    [5, 42],
    [8, 114],
  ])('have, with %i calls each, %i orders with at most two switches', async (calls, orders) => {
    const { runs } = await runPair(calls, 2)
    expect(runs).toBe(orders + others)
  })

  it.each([
    [2, 2, true],
    [3, 2, false],
    [3, 'all', true],
    [3, null, true],
  ] as const)('are, with %i calls each and %s switches, exhausted: %s', async (calls, switches, isExhausted) => {
    const { exhausted, notTried, caveats } = await runPair(calls, switches)
    const text =
      'The programs may share a database or a file: orders with more than 2 switches were tried only where their calls affect ' +
      'each other at the mock. --isolated says that they share nothing, --switches 3 tries more.'
    expect({ exhausted, notTried, caveats }).toEqual({
      exhausted: isExhausted,
      notTried: [],
      caveats: isExhausted ? [] : [text],
    })
  })
})

it('prints what it did not try, and exits with 0', async () => {
  const reader = script(`${look}; ${look}`)
  expect(await interleave([reader, reader], ['--switches', '0'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('orders with more than 0 switches were tried'),
  })
})

it.each([
  [['--switches', 'few'], "--switches must be an integer from 0 to 999, or the word all (got 'few')."],
  [['--switches', '2', '--isolated'], '--switches is for programs that share more than the mock'],
])('rejects the flags %j', async (flags, message) => {
  const { code, err } = await interleave([['true'], ['true']], flags)
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
})
