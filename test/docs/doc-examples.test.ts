import { createRequire } from 'node:module'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import * as client from '../../src/client/index.ts'
import * as library from '../../src/node/index.ts'
import { root } from '../support/installed.ts'

const { ts } = createRequire(import.meta.url)('@ts-morph/common') as typeof import('@ts-morph/common')

interface Example {
  readonly file: string
  readonly code: string
}

/** The code of each `@example` in the documentation comments of a file. */
const examplesIn = (file: string): Example[] =>
  [...readFileSync(join(root, 'src', file), 'utf8').matchAll(/\/\*\*[^]*?\*\//g)].flatMap(([comment]) =>
    comment
      .split(/^ *\* @example *\n/m)
      .slice(1)
      .map((text) => ({
        file,
        code: text
          .split(/^ *\*(?:\/| @\w)/m, 1)
          .join('')
          .replace(/^ *\* ?/gm, '')
          .trim(),
      })),
  )

const examples = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap(examplesIn)

// The guides run the integrations, which need a test runner or another runtime.
const runnable = examples.filter(({ file }) => !file.startsWith('extensions/'))

/** Runs an example like a script in which the names of the library, `mock` and `acme` exist. */
const run = async (code: string) => {
  await using mock = library.createMock({ clock: 'frozen' })
  const names = { ...library, ...client, mock, acme: mock.project('acme'), describe: { each: () => () => {} } }
  const { outputText } = ts.transpileModule(`return (async () => {\n${code}\n})()`, {
    compilerOptions: { target: ts.ScriptTarget.ES2022 },
  })
  const values: Readonly<Record<string, unknown>> = names
  const used = Object.keys(values).filter((name) => !new RegExp(`const ${name} |using ${name} `).test(code))
  await Reflect.apply(
    compileFunction(outputText, used),
    undefined,
    used.map((name) => values[name]),
  )
}

describe('the examples of the documentation comments', () => {
  it('cover the functions of the public entries', () => {
    const covered = new Set(runnable.map(({ file }) => file))
    const files = [
      'mock/mock.ts',
      'client/connect.ts',
      ...['fault', 'payment', 'request', 'setting', 'state'].map((name) => `client/${name}-control.ts`),
      'client/test-helpers.ts',
    ]
    expect(files.filter((file) => !covered.has(file))).toEqual([])
  })

  it.each(runnable)('run: $file, $code', async ({ code }) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await run(code)
  })
})
