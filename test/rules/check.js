// Is there a test for every rule? Takes one rule after the other away, in a copy of the repository, and expects the
// test of that rule to fail. node test/rules/check.js [rule-id ...]
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rules } from './rules.js'

/** @typedef {import('./rules.js').Rule} Rule */
/** @typedef {{ fullName: string, status: string, failureMessages?: readonly string[] }} Test What became of one test. */
/** @typedef {{ tests: readonly Test[], output: string }} Run The tests that ran; none when they could not. */

const root = new URL('../../', import.meta.url).pathname
const workers = 2
// A change may make a test wait for ever.
const patience = 120_000

/** What a test run needs of the repository. Its `node_modules` are linked. */
const needed = ['src', 'test', 'fixtures', 'package.json', 'tsconfig.json']

/** @param {string} folder */
const copyInto = (folder) => {
  for (const name of needed) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(realpathSync(join(root, 'node_modules')), join(folder, 'node_modules'))
  // No test here needs what is compiled, and to compile it takes longer than the tests.
  writeFileSync(join(folder, 'test/support/build.ts'), 'export default () => {}\n')
  return folder
}

/**
 * A pattern for a test as its file names it, where `%s` stands for what `it.each` puts there.
 *
 * @param {string} name
 */
const patternOf = (name) => `(?:^| )${name.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replace(/%[a-z]/g, '.*')}$`

/**
 * Runs the tests of some rules in a copy.
 *
 * @param {string} folder
 * @param {readonly Rule[]} chosen
 * @returns {Promise<Run>}
 */
const runTests = (folder, chosen) => {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const files = new Set(chosen.map((rule) => rule.test.file))
  const names = new Set(chosen.map((rule) => patternOf(rule.test.name)))
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  const flags = ['--config', 'test/vitest.config.ts', '--configLoader', 'runner', '--pool', 'threads', '--cache=false']
  const reporting = ['--reporter', 'json', '--outputFile', report]
  const args = [vitest, 'run', ...flags, ...reporting, '-t', [...names].join('|'), ...files]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, timeout: patience, killSignal: 'SIGKILL' }, (_, stdout, stderr) => {
      /** @type {{ testResults: { message: string, assertionResults: Test[] }[] }} */
      const { testResults } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] }
      const ran = (/** @type {Test} */ { status }) => status === 'passed' || status === 'failed'
      resolve({
        tests: testResults.flatMap(({ assertionResults }) => assertionResults.filter(ran)),
        output: [...testResults.map(({ message }) => message), stdout, stderr].join('\n').trim(),
      })
    })
  })
}

/** How an expectation says that it was not met. */
const unmet = /^(?:AssertionError|TypeError: \.to\w+\(\) expects|Error: promise)/

/**
 * Whether an expectation was not met. A 500 does not count: the change has then broken the mock, not taken a rule away.
 *
 * @param {Test} test
 */
const missesTheRule = ({ failureMessages = [] }) =>
  failureMessages.some((text) => unmet.test(text) && !/\b500\b/.test(text.split('\n')[0] ?? ''))

/**
 * Takes a rule away, and says what becomes of its test.
 *
 * @param {string} folder
 * @param {Rule} rule
 * @returns {Promise<{ noticed: boolean, says: string }>}
 */
const takeAway = async (folder, rule) => {
  const { file, replace } = rule.without
  const { test } = rule
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  const [from, to] = replace
  if (source.split(from).length !== 2) return { noticed: false, says: `CANNOT be taken away: look for it in ${file}` }
  writeFileSync(path, source.split(from).join(to))
  const { tests, output } = await runTests(folder, [rule])
  writeFileSync(path, source)
  const witness = tests.find(missesTheRule)
  if (witness !== undefined) return { noticed: true, says: `noticed by ${test.file}, '${witness.fullName}'` }
  if (tests.length > 0 && tests.every(({ status }) => status === 'passed'))
    return { noticed: false, says: `NOT NOTICED by ${test.file}, '${test.name}'` }
  const failure = tests.flatMap(({ failureMessages = [] }) => failureMessages)[0] ?? output
  return { noticed: false, says: `BROKEN, and not only without the rule: ${failure.split('\n')[0]}` }
}

/**
 * Why the tests cannot be relied on, with all rules in place.
 *
 * @param {Run} run
 * @param {readonly Rule[]} chosen
 */
const doubtsAbout = ({ tests, output }, chosen) => {
  if (tests.length === 0) return [`No test could be run. ${output}`]
  const names = tests.map(({ fullName }) => fullName)
  return [
    ...tests.filter(({ status }) => status === 'failed').map(({ fullName }) => `It fails: '${fullName}'`),
    ...chosen
      .filter(({ test }) => !names.some((name) => new RegExp(patternOf(test.name)).test(name)))
      .map(({ id, test }) => `${id} has no test '${test.name}' in ${test.file}`),
  ]
}

/** @param {readonly string[]} ids */
const main = async (ids) => {
  const unknown = ids.filter((id) => !rules.some((rule) => rule.id === id))
  if (unknown.length > 0) {
    console.error(`No rule is called ${unknown.join(', ')}. The rules are in test/rules.`)
    return 2
  }
  const chosen = rules.filter((rule) => ids.length === 0 || ids.includes(rule.id))
  const scratch = mkdtempSync(join(tmpdir(), 'paylink-mock-rules-'))
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
  const folders = Array.from({ length: workers }, () => copyInto(mkdtempSync(join(scratch, 'copy-'))))

  const start = Date.now()
  const [folder = scratch] = folders
  const doubts = doubtsAbout(await runTests(folder, chosen), chosen)
  if (doubts.length > 0) {
    console.error(`With all rules in place the tests must pass.\n${doubts.slice(0, 20).join('\n')}`)
    return 1
  }

  const queue = [...chosen]
  /** @type {string[]} */
  const unnoticed = []
  const work = async (/** @type {string} */ folder) => {
    for (let rule = queue.shift(); rule !== undefined; rule = queue.shift()) {
      const { noticed, says } = await takeAway(folder, rule)
      if (!noticed) unnoticed.push(rule.id)
      console.log(`${rule.id} (${rule.spec}): ${says}`)
    }
  }
  await Promise.all(folders.map(work))
  const seconds = Math.round((Date.now() - start) / 1000)
  console.log(
    `${chosen.length - unnoticed.length} of ${chosen.length} rules are noticed when they are gone (${seconds} s).`,
  )
  if (unnoticed.length > 0) console.log(`Not: ${unnoticed.join(' ')}`)
  return unnoticed.length === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
