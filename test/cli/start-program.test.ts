import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatCommand, getInvocation } from '../../src/explore/programs/search-flags.ts'
import { readArgs } from '../../src/command-line/args.ts'
import { createLastLines } from '../../src/command-line/start-program.ts'
import { runCli } from './support/cli.ts'
import { script } from './support/programs.ts'
import { within } from '../support/within.ts'
import { exec } from '../support/exec.ts'

const read = async (chunks: readonly (string | Uint8Array)[]): Promise<string[]> => {
  const lines = createLastLines()
  const stream = new PassThrough()
  lines.read(stream)
  for (const chunk of chunks) stream.write(chunk)
  await within('the end of the output', once(stream.end(), 'end'))
  return lines.list()
}

/** A text, and the places at which a pipe cuts its bytes. */
const cutText = fc
  .array(fc.constantFrom('a', 'é', '💳', ' ', '\n', '\r\n', '\t', '\u001b[31m'), { maxLength: 60 })
  .chain((parts) => fc.record({ text: fc.constant(parts.join('')), cuts: fc.array(fc.nat(80), { maxLength: 6 }) }))

it('the last lines of a program are the same wherever a pipe cuts its output', async () => {
  const property = fc.asyncProperty(cutText, async ({ text, cuts }) => {
    const bytes = Buffer.from(text)
    const places = [0, ...cuts.map((place) => Math.min(place, bytes.length)).toSorted((a, b) => a - b), bytes.length]
    const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
    expect(Buffer.concat(chunks)).toEqual(bytes)
    expect(await read(chunks)).toEqual(await read([text]))
  })
  await fc.assert(property)
})

it.each([
  [['one li', 'ne\nanother'], 'one line another'],
  [['one\r', '\ntwo\r\n'], 'one two'],
  [['', 'a', '', 'b', '\n'], 'ab'],
  [['x'.repeat(400), 'y'.repeat(400)], `${'x'.repeat(400)}${'y'.repeat(100)}`],
  [Array.from({ length: 50 }, (_, line) => `${line}\n`), '30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49'],
])('the last lines of %j are %j', async (chunks, lines) => {
  expect((await read(chunks)).join(' ')).toEqual(lines)
})

const installed = '/home/ada/shop/node_modules/.bin/paylink-mock'
const bin = '/home/ada/shop/node_modules/.bin'

it.each<[how: string, file: string, env: Record<string, string>, folder: string, words: string]>([
  ['npx', installed, { npm_command: 'exec', PATH: `${bin}:/usr/bin` }, '/home/ada/shop', 'npx paylink-mock'],
  ['its name', '/usr/bin/paylink-mock', { PATH: '/bin:/usr/bin' }, '/home/ada/shop', 'paylink-mock'],
  ['its path below the folder', installed, { PATH: '/usr/bin' }, '/home/ada/shop', 'node_modules/.bin/paylink-mock'],
  ['its path in the folder', installed, { PATH: '/usr/bin' }, bin, './paylink-mock'],
  ['its path elsewhere', installed, { PATH: '/usr/bin' }, '/home/ada/other', installed],
  [
    'a script of a package, whose PATH has more folders',
    installed,
    { npm_command: 'run-script', PATH: `${bin}:/usr/bin` },
    '/home/ada/shop',
    'node_modules/.bin/paylink-mock',
  ],
  ['node', '/opt/my mock/dist/cli/cli.js', {}, '/opt/my mock', 'node dist/cli/cli.js'],
  ['node, with a path that needs quotes', '/opt/my mock/cli.js', {}, '/opt', "node 'my mock/cli.js'"],
])('a program that was started by %s is repeated in the same way', (_, file, env, folder, words) => {
  expect(getInvocation(file, env, folder)).toBe(words)
})

/** Runs a search that fails, and returns the line that repeats the failure. */
const findLine = async (env: Record<string, string> = {}): Promise<string> => {
  const program = script('create || create')
  const { out } = await runCli(['explore', '--effects', 'reset', '--seed', 'empty', '--', ...program], env)
  return /^Repeat it:\n {2}(.*)$/m.exec(out)?.[1] ?? `no line in: ${out}`
}

it('the printed line has the settings of variables, except the port and tokens', () => {
  const variables = { SEED: 'empty', BEHAVIORS: 'createStatus=200', TOKENS: 'secret', PORT: '4010' }
  const env = Object.fromEntries(Object.entries(variables).map(([name, text]) => [`PAYLINK_MOCK_${name}`, text]))
  const flags = ['--provider', 'acmepay', '--behavior', 'duplicateEmail=conflict']
  const args = readArgs(['explore', ...flags, '--', 'node', 'app.js'], env)
  expect(formatCommand(args, 'paylink-mock', '1.after.reset')).toBe(
    'paylink-mock explore --only 1.after.reset --provider acmepay --behavior createStatus=200 ' +
      '--behavior duplicateEmail=conflict --seed empty -- node app.js',
  )
})

// A step of CI runs it, because it starts many processes.
it.runIf(process.env.SLOW_TESTS)('the printed line repeats the failure in a shell, unchanged', async () => {
  const line = await findLine()
  expect(line).toMatch(/^node dist\/cli\/cli\.js explore --only 1\.after\.reset --seed empty -- sh -c /)
  const pasted = await exec('sh', ['-c', line]).catch((error: unknown) => error)
  expect(pasted).toMatchObject({ code: 1, stdout: expect.stringContaining('2 payment links of inv_77 instead of 1.') })
})

it('the printed line begins with npx if npx started the program', async () => {
  const message = /^npx paylink-mock explore --only 1\.after\.reset --seed empty -- /
  expect(await findLine({ npm_command: 'exec' })).toMatch(message)
})
