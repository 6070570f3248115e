// Runs a search over programs of the corpus, and compares its report with what the corpus expects.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { usualEffects } from './patterns.js'

const cli = fileURLToPath(new URL('../../../dist/cli/cli.js', import.meta.url))

/**
 * Runs the command line in a directory of its own, with a file for each text of `files`.
 *
 * @returns {Promise<{ report: any, code: number, err: string }>} the report is undefined if it could not search
 */
const runSearch = (folder, files, argv) => {
  const cwd = mkdtempSync(join(folder, 'run-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...argv], { cwd, maxBuffer: 2 ** 28 }, (error, out, err) => {
      rmSync(cwd, { recursive: true, force: true })
      resolve({ report: out === '' ? undefined : JSON.parse(out), code: error?.code ?? 0, err })
    })
  })
}

/** What `explore` and `interleave` have in common. */
const commonFlags = ['--json', '--jobs', '1', '--timeout', '30', '--seed', 'seed.json']

/** The effects of a schedule: `reset+stale`. */
const nameEffects = (replay) =>
  replay
    .split('+')
    .map((fault) => fault.split(/[.:]/)[2])
    .join('+')

/** The effects of schedules of `explore`. */
const listEffects = (schedules) => [...new Set(schedules.map(nameEffects))].toSorted()

/** @typedef {{ runs: number, found: boolean, problem: string | undefined }} Verdict */

/** @returns {Verdict} */
const judge = ({ report, err }, actual, expected) => {
  if (report === undefined) return { runs: 0, found: false, problem: err.trim().replaceAll('\n', ' | ') }
  const wrong = Object.keys(expected).filter((key) => !isDeepStrictEqual(actual[key], expected[key]))
  const problem = wrong.map((key) => `${key} is ${format(actual[key])} instead of ${format(expected[key])}`)
  return {
    runs: report.runs,
    found: report.failures.length > 0,
    problem: wrong.length > 0 ? problem.join(', ') : undefined,
  }
}
const format = (value) => JSON.stringify(value) ?? 'nothing'

const nothingFound = { code: 0, exhausted: true, failures: [] }

/**
 * Explores a version of a program.
 *
 * @param {import('./patterns.js').Pattern} pattern
 * @param {'buggy' | 'fixed'} version
 * @param {object} options
 * @param {string} options.folder for files
 * @param {readonly string[]} options.words that start the program
 * @param {readonly string[]} [options.only] the effects to try. Default: those of the pattern
 * @returns {Promise<Verdict>}
 */
export const explorePattern = async (pattern, version, { folder, words, only }) => {
  const { effects = usualEffects, flags = [], args = [], seed = {}, files = {}, open = [] } = pattern
  const argv = ['explore', ...commonFlags, '--effects', only?.join() ?? effects, ...flags, '--', ...words, ...args]
  const result = await runSearch(folder, { 'seed.json': JSON.stringify(seed), ...files }, argv)
  const { failures = [], exhausted } = result.report ?? {}
  const schedules = failures.map(({ replay }) => replay)
  const foundBy = listEffects(schedules)
  const isTried = (name) => only?.includes(name) ?? true
  const isExhausted = !open.includes(version)
  return judge(
    result,
    { code: result.code, exhausted, foundBy, schedule: schedules[0], failures: schedules },
    version === 'fixed'
      ? { ...nothingFound, exhausted: isExhausted }
      : {
          code: 1,
          exhausted: isExhausted,
          foundBy: pattern.foundBy.filter(isTried).toSorted(),
          schedule: pattern.schedule,
        },
  )
}

const interleave = async ({ flags = [], seed = {} }, { folder, words }) => {
  const programs = words.flatMap((each) => ['--', ...each])
  const argv = ['interleave', ...commonFlags, ...flags, ...programs]
  return runSearch(folder, { 'seed.json': JSON.stringify(seed) }, argv)
}

/**
 * Runs a version of two programs in all orders.
 *
 * @param {import('./pairs.js').Pair} pair
 * @param {'buggy' | 'fixed'} version
 * @param {object} options
 * @param {string} options.folder for files
 * @param {readonly (readonly string[])[]} options.words that start each program
 * @returns {Promise<Verdict>}
 */
export const interleavePair = async (pair, version, options) => {
  // They share only the mock.
  const result = await interleave({ ...pair, flags: ['--isolated', ...(pair.flags ?? [])] }, options)
  const { failures = [], exhausted } = result.report ?? {}
  const schedules = failures.map(({ replay }) => replay)
  const hasSchedule = pair.schedules.includes(schedules[0])
  return judge(
    result,
    { code: result.code, exhausted, failures: schedules, schedule: hasSchedule ? pair.schedules : schedules[0] },
    version === 'fixed' ? nothingFound : { code: 1, exhausted: true, schedule: pair.schedules },
  )
}

/**
 * Runs two hostile programs. They are right if the search found a failure, rejected them, or said what it could not try.
 *
 * @param {import('./pairs.js').HostilePair} pair
 * @param {object} options as for `interleavePair`
 * @returns {Promise<Verdict>}
 */
export const interleaveHostile = async (pair, options) => {
  const result = await interleave(pair, options)
  const { report, code, err } = result
  // Rejected with a sentence, and not because the command line is wrong.
  if (report === undefined && code === 1 && err !== '') return { runs: 0, found: false, problem: undefined }
  const { failures = [], exhausted, notTried = [], caveats = [] } = report ?? {}
  const isHonest = failures.length > 0 || (!exhausted && notTried.length + caveats.length > 0)
  const isCaveatAlone = failures.length + notTried.length === 0
  return judge(result, { code, isHonest }, { code: isCaveatAlone ? 0 : 1, isHonest: true })
}

/**
 * Searches a service with one of its mistakes, or without: a customer clicks, or two customers of two replicas do.
 *
 * @param {import('./services.js').ServiceSearch} search
 * @param {object} options
 * @param {string} options.folder for files
 * @param {readonly string[]} options.words that start the service
 * @param {readonly string[]} options.customer words that start the customer
 * @returns {Promise<Verdict>}
 */
export const searchService = async ({ mistake, command, schedules, foundBy }, { folder, words, customer }) => {
  const isOrdered = command === 'interleave'
  const flags = [
    ...(isOrdered ? ['--switches', 'all'] : ['--effects', usualEffects]),
    '--behavior',
    'idempotencyKey=replay',
    '--reset',
    'rm -f orders.db orders.inv_7',
    '--env',
    `MISTAKE=${mistake}`,
    '--service',
    words.join(' '),
  ]
  const programs = (isOrdered ? [customer, customer] : [customer]).flatMap((each) => ['--', ...each])
  const result = await runSearch(folder, { 'seed.json': '{}' }, [command, ...commonFlags, ...flags, ...programs])
  const { failures = [], exhausted } = result.report ?? {}
  const found = failures.map(({ replay }) => replay)
  const actual = { code: result.code, exhausted, failures: found, isExpected: schedules.includes(found[0]) }
  const expected = { code: 1, exhausted: true, isExpected: true }
  if (mistake === 'none') return judge(result, actual, nothingFound)
  if (isOrdered) return judge(result, actual, expected)
  return judge(result, { ...actual, foundBy: listEffects(found) }, { ...expected, foundBy: foundBy.toSorted() })
}
