import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missing, skipped } from '../../support/browser.ts'
import { executablePath } from '../../support/chromium-path.js'
import { flags } from '../../support/chromium.ts'
import { type Folder, installedFolder, root } from '../../support/installed.ts'
import { listeningMock } from '../../support/mock.ts'

describe.skipIf(skipped)('the fixtures of Playwright, under its runner', () => {
  let folder: Folder
  beforeAll(() => {
    if (executablePath === undefined) throw new Error(missing)
    folder = installedFolder()
    copyFileSync(join(root, 'test/integrations/playwright/suite/paylink.js'), join(folder.path, 'paylink.spec.js'))
    const use = { launchOptions: { executablePath, args: flags } }
    const config = { use, workers: 1, reporter: [['json', { outputFile: 'results.json' }], ['line']] }
    writeFileSync(join(folder.path, 'playwright.config.js'), `export default ${JSON.stringify(config)}`)
  })
  afterAll(() => folder.remove())

  const run = async (env: Readonly<Record<string, string>> = {}, title = '') => {
    const output = await new Promise<string>((resolve) => {
      const options = { cwd: folder.path, env: { ...process.env, ...env } }
      const args = ['node_modules/@playwright/test/cli.js', 'test', '--grep', title]
      execFile(process.execPath, args, options, (_, stdout, stderr) => resolve(stdout + stderr))
    })
    const { suites } = JSON.parse(readFileSync(join(folder.path, 'results.json'), 'utf8'))
    const specs: {
      title: string
      ok: boolean
      tests: { results: { attachments: { name: string; body: string }[] }[] }[]
    }[] = suites[0].specs
    return {
      results: Object.fromEntries(
        specs.map(({ title, ok, tests }) => [
          title,
          { status: ok ? 'passed' : 'failed', attachments: tests[0]!.results[0]!.attachments },
        ]),
      ),
      output,
    }
  }
  type Run = Awaited<ReturnType<typeof run>>
  const failed = ({ results }: Run) => Object.keys(results).filter((title) => results[title]!.status !== 'passed')
  const printed = ({ output }: Run) => /^printed: (.*)$/m.exec(output)?.[1]

  it('pay, fail, and follow the browser, with a mock of the worker', async () => {
    const first = await run()
    expect(Object.keys(first.results)).toHaveLength(7)
    expect(failed(first), first.output).toEqual([])
    // An expected failure prints no report.
    expect(first.output).not.toContain('shown@example.com')
  })

  it('work with a running mock, with the same results in every run', async () => {
    const { url } = await listeningMock({}, { adminToken: 'secret' })
    const env = { RUNNING_URL: url, ADMIN_TOKEN: 'secret' }
    const first = await run(env)
    expect(failed(first), first.output).toEqual([])
    const second = await run(env, 'starts empty')
    expect(failed(second), second.output).toEqual([])
    expect(printed(second)).toBe(printed(first))
    expect(printed(first)).toContain('a-project-starts-empty-')
  })

  it('print the project of a failed test, and attach it to its result', async () => {
    const { results, output } = await run({ FAILING: 'yes' }, 'a failure')
    const { status, attachments } = results['a failure is reported']!
    expect(status).toBe('failed')
    const report = attachments.find(({ name }) => name === 'paylink-mock')
    expect(Buffer.from(report!.body, 'base64').toString()).toContain('shown@example.com')
    expect(output).toContain('shown@example.com')
  })
})
