import { execFile } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Folder, installedFolder, root } from '../../support/installed.ts'
import type { Coverage } from '../../../src/node/index.ts'
import { runHere } from '../../cli/support/main.ts'
import { countDistinct } from '../../support/read.ts'

let folder: Folder
let run: Awaited<ReturnType<typeof runSuites>>
beforeAll(async () => {
  folder = installedFolder()
  // One run for all suites: to start vitest costs more than any of them.
  const suites = 'fixtures options failing sandboxes coverage-1 coverage-2 forgotten forgotten-bare'
  run = await runSuites(...suites.split(' '))
})
afterAll(() => folder.remove())

/** Runs suites as their user would, with the installed package. */
const runSuites = async (...names: string[]) => {
  const files = names.map((name) => `${name}.test.js`)
  for (const name of names)
    copyFileSync(join(root, 'test/integrations/vitest/suite', `${name}.js`), join(folder.path, `${name}.test.js`))
  const reporters = ['--reporter=default', '--reporter=json', '--outputFile.json=results.json', '--no-color']
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', ...reporters, ...files]
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: folder.path }, (_, stdout, stderr) => resolve(stdout + stderr))
  })
  const { testResults } = JSON.parse(readFileSync(join(folder.path, 'results.json'), 'utf8')) as {
    testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[]
  }
  rmSync(join(folder.path, 'results.json'))
  return {
    /** The result of each test of a suite, by its full name. */
    results: (suite: string) => {
      const tests = testResults.find(({ name }) => name.endsWith(`/${suite}.test.js`))?.assertionResults ?? []
      return Object.fromEntries(tests.map(({ fullName, status }) => [fullName, status]))
    },
    output,
    /** The output of the tests, in order. */
    printed: [...output.matchAll(/^printed: (.*)$/gm)].map(([, json]): string[] => JSON.parse(json!)),
  }
}

describe('the fixtures of vitest', () => {
  it('serve every test of a suite', () => {
    const results = Object.values(run.results('fixtures'))
    // Two tests have the same name.
    expect(results).toHaveLength(16)
    expect(new Set(results), run.output).toEqual(new Set(['passed']))
  })

  it('give each test a separate project with a readable name', () => {
    const tries = run.printed.slice(-2)
    const ids = run.printed.slice(0, -1).map(([project]) => project!)
    expect(countDistinct(ids)).toBe(ids.length)
    expect(ids[0]).toMatch(/^is-named-after-the-test-[0-9a-f]{16}$/)
    expect(tries[1]).toEqual(tries[0])
  })

  it('give the same ids in every run', async () => {
    const sorted = (printed: typeof run.printed) => printed.map((one) => one.join()).toSorted()
    expect(sorted((await runSuites('fixtures')).printed)).toEqual(sorted(run.printed))
  })

  it('give other ids in another vitest project', async () => {
    writeFileSync(join(folder.path, 'vitest.config.js'), `export default { test: { name: 'other' } }`)
    const { printed } = await runSuites('fixtures')
    rmSync(join(folder.path, 'vitest.config.js'))
    expect(printed).toHaveLength(run.printed.length)
    expect(countDistinct([printed, run.printed].flatMap((all) => all.slice(0, -1).map(([id]) => id!)))).toBe(
      2 * (run.printed.length - 1),
    )
  })

  it('warn of a fault that never applied, with the nearest request', () => {
    const warned = /A fault with {"status":503} never applied: listUsers .* GET .*paymentLinks/
    expect(run.output).toMatch(warned)
    expect(run.output).toMatch(/A fault with {"status":504} never applied: cancelPaymentLink/)
    expect(run.output).not.toContain('{"status":502} never applied')
  })

  it('take other options for a file', () => {
    expect(run.results('options')).toEqual({ 'starts from the seed of the file': 'passed' })
  })
})

it('the fixture `coverage` writes a file for each worker, and the command line adds them up', async () => {
  const results = { ...run.results('coverage-1'), ...run.results('coverage-2') }
  expect(results).toEqual({ lists: 'passed', retrieves: 'passed' })
  expect(readdirSync(join(folder.path, 'coverage'))).toHaveLength(2)
  const { code, out } = await runHere(['coverage', join(folder.path, 'coverage'), '--json'])
  const shown = (JSON.parse(out) as Coverage).items.filter(({ seen }) => seen > 0)
  expect([code, shown.map(({ operation, situation, seen }) => [operation, situation, seen])]).toEqual([
    0,
    [
      ['listUsers', '200', 1],
      ['listUsers', '200 empty page', 1],
      ['retrieveUser', '404 userNotFound', 1],
    ],
  ])
})

describe('a test that fails', () => {
  it('prints the requests and the records of its project', () => {
    expect(run.results('failing')).toEqual({ fails: 'failed', 'fails after much': 'failed', passes: 'passed' })
    expect(run.output).toMatch(/Project 'fails-[0-9a-f]{16}', revision 1/)
    expect(run.output).toMatch(/POST \/projects\/fails-\w+\/users \{"email":"nobody"/)
    expect(run.output).toContain('-> 422 ')
    expect(run.output).toContain('pml_1 active inv_1')
    expect(run.output).not.toContain('\u001b[31mred')
  })

  it('has a short report', () => {
    const [, report = ''] = /(Project 'fails-after-much[^]*?)\n\n/.exec(run.output) ?? []
    expect(report).toContain('limit=49')
    expect(report).not.toContain('limit=29\n')
    expect(report).toContain('Users, 50 (10 shown)')
    expect(report.split('\n')).toHaveLength(74)
  })

  it('is the only one with a report', () => {
    expect(run.output).not.toContain('quiet@example.com')
  })
})

describe('a matcher that is not awaited', () => {
  const linesOf = (suite: string, pattern: RegExp) =>
    readFileSync(join(root, 'test/integrations/vitest/suite', `${suite}.js`), 'utf8')
      .split('\n')
      .flatMap((text, index) => (pattern.test(text) ? [`${suite}.test.js:${index + 1}:`] : []))

  it.each([
    ['forgotten', 3],
    ['forgotten-bare', 1],
  ])('fails its own test, at its line: %s', (suite, count) => {
    const results = Object.entries(run.results(suite)).filter(([name]) => /^(?:forgets|comes)/.test(name))
    expect(Object.fromEntries(results)).toMatchObject({ 'forgets to wait': 'failed', 'comes next': 'passed' })
    expect(results.filter(([, status]) => status === 'failed')).toHaveLength(count)
    const lines = linesOf(suite, /^ {2}void expect\W/)
    expect(lines).toHaveLength(count)
    for (const line of lines) expect(run.output).toContain(line)
    expect(run.output).toContain(
      'Error: toHaveReceived was not awaited, so the test ended without its result. Write: await expect(...).toHaveReceived(...).',
    )
    expect(run.output).not.toContain('Unhandled')
  })

  it('is not reported if the test awaits it later, or fails before', () => {
    expect(run.results('forgotten')).toMatchObject({
      'waits in other ways': 'passed',
      'fails before it waits': 'failed',
    })
    expect(run.output).toContain('another problem than object')
    const [line] = linesOf('forgotten', /const received/)
    expect(run.output).not.toContain(line)
  })
})

describe("the fixtures with isolation: 'sandbox'", () => {
  const withStatus = (status: string) => {
    const results = run.results('sandboxes')
    return Object.keys(results).filter((name) => results[name] === status)
  }

  it('give each test a sandbox, and the service URL that belongs to it', () => {
    expect(withStatus('passed'), run.output).toEqual([
      'side by side one pays',
      'side by side one cancels',
      'side by side one only reads',
      'another try starts from the seed',
      'has an unused fault',
    ])
  })

  it('print the projects of the sandbox of a failed test', () => {
    expect(withStatus('failed')).toContain('fails with a client only')
    for (const project of ['shop-1', 'shop-2']) {
      expect(run.output).toContain(`Project '${project}', revision 0`)
      expect(run.output).toContain(`GET /v1/projects/${project}/users`)
    }
    expect(run.output).not.toContain('pml_1 canceled')
  })

  it('reject a fixture that does not exist with this isolation, and an unknown isolation', () => {
    const message = "The fixture 'project' does not exist with this isolation. Use sandbox.project('acme')."
    expect(run.output).toContain(message)
    expect(run.output).toContain("The fixture 'sandbox' does not exist with this isolation. Call test.override(")
    expect(run.results('sandboxes')).toMatchObject({ 'with another isolation has no project': 'failed' })
    for (const name of ['service URL', 'project'])
      expect(run.output).toMatch(
        new RegExp(`isolation > has no ${name}\\n.*isolation must be 'project' or 'sandbox' \\(got 'test'\\)\\.`),
      )
  })
})
