// Runs the steps of action.yml as GitHub would.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { runInThisContext } from 'node:vm'
import { NoOperationTraceWriter } from '@actions/workflow-parser'
import { parseAction } from '@actions/workflow-parser/actions/action-parser'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { connect } from '../../src/core/client/index.ts'
import { formatSummary } from '../../.github/action/format-summary.js'
import { emptyFolder } from '../cli/support/cli.ts'
import { textOf } from '../docs/pages.ts'
import { root } from '../support/installed.ts'

type Inputs = Readonly<Record<string, string>>

const action: { inputs: Record<string, { default?: string }>; runs: { steps: any[] } } = parse(textOf('action.yml'))

/** Runs the steps whose condition holds, except the build, which the tests have done. */
const runAction = async (given: Inputs, files: Inputs = {}) => {
  const folder = emptyFolder()
  const [output, env, summary] = [join(folder, 'output'), join(folder, 'env'), join(folder, 'summary')]
  for (const file of [output, env, summary]) writeFileSync(file, '')
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const readInput = (name: string) => {
    expect(Object.keys(action.inputs)).toContain(name)
    return given[name] ?? action.inputs[name]!.default ?? ''
  }
  const [step, ...others] = action.runs.steps.slice(1).filter((one) => {
    const [, name, operator] = /^inputs\.(\w+) (==|!=) ''$/.exec(one.if)!
    return (readInput(name!) === '') === (operator === '==')
  })
  expect(others).toEqual([])
  const variables = Object.entries<string>(step.env ?? {}).map(([name, value]) => {
    const [, input] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value)!
    return [name, readInput(input!)] as const
  })
  const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', step.run], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      GITHUB_ACTION_PATH: root,
      GITHUB_OUTPUT: output,
      GITHUB_ENV: env,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: folder,
      ...Object.fromEntries(variables),
    },
  })
  // What a step leaves running ends with the job.
  onTestFinished(() => {
    try {
      process.kill(-child.pid!)
    } catch {
      // All of its processes have ended.
    }
  })
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => void child.on('exit', resolve)),
  ])
  const readLines = (file: string) => readFileSync(file, 'utf8').trim().split('\n')
  return { code, out, err, output: readLines(output), env: readLines(env), summary: readFileSync(summary, 'utf8') }
}

it('action.yml is an action by the parser of GitHub, and its scripts are short', () => {
  const file = { name: 'action.yml', content: textOf('action.yml') }
  const { context } = parseAction(file, new NoOperationTraceWriter())
  expect(context.errors.getErrors().map(({ message }) => message)).toEqual([])
  expect(textOf('.github/action/format-summary.js').split('\n').length).toBeLessThanOrEqual(61)
})

describe('without a program, the action', () => {
  it('starts a mock with the inputs, and passes its address to later steps', async () => {
    const { code, err, output, env } = await runAction({ port: '0', behaviors: 'createStatus=200,searchMatch=exact' })
    const [url] = output.map((line) => line.replace('url=', '')) as [string]
    expect([code, err, env]).toEqual([0, '', [`PAYLINK_MOCK_URL=${url}`, `BASE_URL=${url}`]])
    const mock = connect(url)
    expect((await mock.behaviors.get()).values).toMatchObject({ createStatus: 200, searchMatch: 'exact' })
    expect(await mock.projects()).toEqual([])
  })

  it('fails with the message of a mock that cannot start', async () => {
    const { code, err, env } = await runAction({ port: '0', seed: 'none.json' })
    expect([code, env]).toEqual([1, ['']])
    expect(err).toContain('none.json')
  })
})

/** A program that sends a create again after an error, with or without the same key. */
const checkout = (key: string) => `
const create = () => fetch(process.env.BASE_URL + '/projects/acme/paymentLinks', {
  method: 'POST',
  headers: { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json', ${key} },
  body: JSON.stringify({ invoice: 'inv_7', type: 'partner', partner: { user: {} } }),
})
let response = await create().catch(() => undefined)
if (!response?.ok) response = await create()
process.exit(response.ok ? 0 : 1)`

interface Mermaid {
  readonly parse: (text: string) => Promise<{ readonly diagramType: string }>
}

/** Parses the diagrams of a summary by the parser of Mermaid, which is a script for browsers. */
const parseDiagrams = async (summary: string): Promise<string[]> => {
  const file = createRequire(import.meta.url).resolve('@mermaid-js/tiny')
  const { mermaid } = runInThisContext(`${readFileSync(file, 'utf8')}\n;({ mermaid: globalThis.mermaid })`) as {
    mermaid: Mermaid
  }
  const diagrams = [...summary.matchAll(/^```mermaid\n([^]*?)^```$/gm)].map(([, diagram]) => diagram!)
  for (const diagram of diagrams) expect((await mermaid.parse(diagram)).diagramType).toBe('sequence')
  await expect(mermaid.parse('sequenceDiagram\n  program->>')).rejects.toThrow('Parse error')
  return diagrams
}

describe('with a program, the action', () => {
  const inputs = { explore: "node 'my checkout.mjs'", effects: 'reset,crash', flags: '--jobs 2 --timeout 50' }

  // A step of CI runs those that start many processes.
  it.runIf(process.env.SLOW_TESTS)('writes an annotation and a diagram for each block, and its replay', async () => {
    const { code, out, summary } = await runAction(inputs, { 'my checkout.mjs': checkout('') })
    const error = 'The program exits with 0, but its records differ: 2 payment links of inv_7 instead of 1.'
    const command = "npx paylink-mock explore --only 1.after.reset --timeout 50 --seed empty -- node 'my checkout.mjs'"
    expect(code).toBe(1)
    expect(out).toBe(`::error title=paylink-mock explore::${error}%0ARepeat it: ${command}\n`)
    expect(summary).toContain(`### ${error}\n`)
    expect(summary).toContain('The same failure: `--only 1.after.crash`\n')
    const [diagram, ...others] = await parseDiagrams(summary)
    expect(others).toEqual([])
    expect(diagram).toMatchInlineSnapshot(`
      "sequenceDiagram
        participant program
        participant mock
        program->>mock: 1. POST /projects/acme/paymentLinks
        Note over program,mock: reset after the operation
        mock--xprogram: no response
        program->>mock: 2. POST /projects/acme/paymentLinks
        mock-->>program: 201
      "
    `)
  })

  it.runIf(process.env.SLOW_TESTS)('passes if the search does, with the given behaviors', async () => {
    const files = { 'my checkout.mjs': checkout(`'idempotency-key': 'k'`) }
    const { code, out, summary } = await runAction({ ...inputs, behaviors: 'idempotencyKey=replay' }, files)
    expect([code, out]).toEqual([0, ''])
    expect(summary).toMatch(/^## paylink-mock explore\n\n\d runs with \d+ calls: 0 failures\.\n/)
  })

  it.runIf(process.env.SLOW_TESTS)('explores a web service, which its reset prepares', async () => {
    const shop = join(root, 'test/cli/support/shop.js')
    const explore = `node -e "fetch(process.env.SERVICE_URL, { method: 'POST' })"`
    const service = { explore, service: `node ${shop} again 'an order'`, reset: "rm -f 'an order'" }
    const { code, out } = await runAction({ ...service, effects: 'reset', flags: '--jobs 1' })
    expect(code).toBe(1)
    expect(out).toContain('2 payment links of inv_77 instead of 1.')
    expect(out).toContain('--only 1.after.reset ')
  })

  it('fails as the search does if the program cannot be explored', async () => {
    const { code, err, summary } = await runAction({ explore: 'false' })
    expect([code, summary]).toEqual([1, ''])
    expect(err).not.toBe('')
  })
})

it('a diagram shows a lost request, a fault, an event and texts of any kind', async () => {
  const odd = `/x;#%%{}<b>"'\`\\ \n end \u{1f600}${'y'.repeat(300)}`
  const request = { method: 'GET', path: odd, status: null, fault: 'reset before the operation' }
  const failure = {
    error: `wrong\n${odd}`,
    command: 'npx paylink-mock explore --only 1.before.reset',
    replay: '1.before.reset',
    schedule: [{ call: 1 }],
    requests: [request, { ...request, status: 503, fault: 'unavailable after the operation' }],
    events: [
      { calls: 1, text: `${odd} is paid` },
      { calls: 2, text: 'the program is killed, and starts again' },
    ],
  }
  const notTried = [{ replay: '', why: 'a call took another path' }]
  const summary = formatSummary({ runs: 1, calls: 2, failures: [failure], notTried, caveats: ['It has threads.'] })
  const [diagram] = await parseDiagrams(summary)
  expect(diagram!.split('\n').map((line) => line.trim().slice(0, 24))).toEqual([
    'sequenceDiagram',
    'participant program',
    'participant mock',
    'program-xmock: 1. GET /x',
    'Note over program,mock: ',
    'Note over program: /x#59',
    'program->>mock: 2. GET /',
    'Note over program,mock: ',
    'mock-->>program: 503',
    'Note over program: the p',
    '',
  ])
  expect(summary).toContain('\n- Not tried: (no schedule): a call took another path\n\n- It has threads.\n')
})
