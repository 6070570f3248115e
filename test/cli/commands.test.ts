// Proves: Stop, Control API.
import { constants } from 'node:buffer'
import { truncateSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { basename, dirname, join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { hasIpv6, listening } from './support/listening.ts'
import { emptyFolder, fileWith, runCli, seedFile, cliPath, run } from './support/cli.ts'
import { runHere, runMain, startHere } from './support/main.ts'
import { request } from './support/request.ts'
import { within } from '../support/within.ts'
import { getSeedPath, rejectSeed } from '../../src/command-line/files.ts'
import { listeningMock } from '../support/mock.ts'
import { exec } from '../support/exec.ts'

describe('validate', () => {
  it('lists a thousand problems of a long seed, and mentions that it has more', async () => {
    const users = Array.from({ length: 2000 }, () => ({ email: 'nobody' }))
    const { code, err } = await runHere(['validate', seedFile({ projects: { acme: { users } } })])
    const lines = err.trimEnd().split('\n')
    expect([code, lines.length, lines.at(-2), lines.at(-1)]).toEqual([
      1,
      1002,
      expect.stringContaining('projects.acme.users[999].email'),
      '  ... and more.',
    ])
  })

  it('reports a seed that nests too deep', async () => {
    const { err } = await runHere(['validate', fileWith('['.repeat(200) + ']'.repeat(200))])
    expect(err).toMatch(/^The seed \S+ nests deeper than 128 levels\.\n$/)
  })

  it('rejects a seed that is too large for a string, without reading it', async () => {
    const file = fileWith('')
    truncateSync(file, constants.MAX_STRING_LENGTH + 1)
    const { err } = await runHere(['validate', file])
    expect(err).toMatch(/^The seed \S+ is larger than 512 MB\. Create its records with `generate`\.\n$/)
  })

  it('counts the records of a valid seed, and ends with exit code 0', async () => {
    const file = seedFile({ projects: { acme: { users: [{ email: 'a@b.c' }], generate: { users: 2 } }, beta: {} } })
    expect(await runHere(['validate', file])).toMatchObject({
      code: 0,
      out: `${file} is a valid seed: 2 projects, 3 users, 0 payment links.\n`,
      err: '',
    })
  })
})

describe('health', () => {
  it.each([
    ['the demo seed', () => undefined],
    ['a seed of the package', () => 'empty'],
    ['a file', () => seedFile({})],
  ])('prints the address, since when the mock runs and the name of %s', async (_, createSeed) => {
    const seed = createSeed()
    const name = basename(getSeedPath(seed ?? 'demo'))
    // Health needs no token.
    const { url } = await startHere(['--admin-token', 'tok_admin', ...(seed === undefined ? [] : ['--seed', seed])])
    const { code, out, err } = await runHere(['health', url])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [, startTime = ''] = /is up since ([\d-]+ [\d:]+) UTC,/.exec(out) ?? []
    expect(out).toBe(`${url} is up since ${startTime} UTC, with the seed ${name}\n`)
    expect(Math.abs(Date.parse(`${startTime}Z`) - Date.now())).toBeLessThan(60_000)
    const health = await fetch(`${url}/@own/healthz`)
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ seed: name })])
  })

  it.each([
    ['PAYLINK_MOCK_PORT', {}],
    ['PAYLINK_MOCK_PORT with a bind to all interfaces', { PAYLINK_MOCK_HOST: '0.0.0.0' }],
  ] as [string, { PAYLINK_MOCK_HOST?: string }][])('reads the port from %s', async (_, env) => {
    const { port } = await listeningMock({}, { host: env.PAYLINK_MOCK_HOST })
    expect(await runHere(['health'], { ...env, PAYLINK_MOCK_PORT: String(port) })).toMatchObject({ code: 0, err: '' })
  })

  const healthOf = async (
    serverArgs: readonly string[],
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ) => (await runMain(['health', ...args], env, { readServerArgs: () => Promise.resolve(serverArgs) })).outcome

  it('follows the flags of the mock that runs in the container, which override its variables', async () => {
    const { port } = await listeningMock({}, { host: '0.0.0.0' })
    const flags = ['--port', `${port}`, '--host=0.0.0.0', '--token', 's3cret', '--watch']
    expect(await healthOf(flags, [], { PAYLINK_MOCK_PORT: '1' })).toEqual({ exitCode: 0 })
    expect(await healthOf(['start', ...flags], [], { PAYLINK_MOCK_PORT: '1' })).toEqual({ exitCode: 0 })
    expect(await healthOf([], [], { PAYLINK_MOCK_PORT: `${port}` })).toEqual({ exitCode: 0 })
    expect(await healthOf(['--port', '1'], ['--port', `${port}`], {})).toEqual({ exitCode: 0 })
    expect(await healthOf(flags, ['--port', '1'], {})).toEqual({ exitCode: 1 })
  })

  it.skipIf(!hasIpv6).each(['::1', '::'])('calls a mock that is bound to %s', async (host) => {
    const { port } = await listeningMock({}, { host })
    const env = { PAYLINK_MOCK_HOST: host, PAYLINK_MOCK_PORT: String(port) }
    expect(await runHere(['health'], env)).toMatchObject({ code: 0, err: '' })
  })

  it('calls below the path of a URL', async () => {
    const { url } = await listeningMock()
    const { out, ...ended } = await runHere(['health', `${url}/@own/`])
    expect(ended).toEqual({ code: 0, err: '' })
    expect(out).toMatch(`${url}/@own/ is up since `)
    expect(out).toMatch(/ UTC, without a seed file\n$/)
    const err = `${url}/foo is not the address of a running mock: ${url}/foo/healthz returned 404.\n`
    expect(await runHere(['health', `${url}/foo`])).toEqual({ code: 1, out: '', err })
  })

  it.each(['127.0.0.1:4600', 'ftp://127.0.0.1', 'localhost'])('needs a complete URL, not %s', async (operand) => {
    const sentence = 'health needs an address such as http://127.0.0.1:4600, without a password or a query'
    const err = `${sentence} (got '${operand}').\n`
    expect(await runHere(['health', operand])).toEqual({ code: 2, out: '', err })
  })

  it.each<[argv: string[], env: Readonly<Record<string, string>>, sentence: string]>([
    [['-p', '0'], {}, 'health needs the port of a mock: health --port PORT.'],
    [[], { PAYLINK_MOCK_PORT: '0' }, 'health needs the port of a mock: health --port PORT.'],
    [['--port', '1', 'http://127.0.0.1:2'], {}, 'health takes an address, or --host and --port, not both.'],
  ])('rejects %j with %j', async (argv, env, sentence) => {
    expect(await runHere(['health', ...argv], env)).toEqual({ code: 2, out: '', err: `${sentence}\n` })
  })

  it('ends with exit code 1 when nobody listens', async () => {
    const server = createServer()
    const port = await listening(server)
    await promisify(server.close.bind(server))()
    expect(await runHere(['health', '--port', String(port)])).toMatchObject({
      code: 1,
      out: '',
      err: `http://127.0.0.1:${port} does not respond.\n`,
    })
  })

  it.each([
    [503, '', '503'],
    [200, 'hello', '200 with a response that is not from a mock'],
    [200, 'null', '200 with a response that is not from a mock'],
    [200, '{"status":"ok"}', '200 with a response that is not from a mock'],
    [200, '{"status":"down","version":"1"}', '200 with a response that is not from a mock'],
  ])('ends with exit code 1 when another service responds with %i %s', async (status, body, found) => {
    const port = await listening(createHttpServer((_, response) => void response.writeHead(status).end(body)))
    const url = `http://127.0.0.1:${port}`
    expect(await runHere(['health', '--port', String(port)])).toEqual({
      code: 1,
      out: '',
      err: `${url} is not the address of a running mock: ${url}/healthz returned ${found}.\n`,
    })
  })

  it('ends with exit code 1 after two seconds without a response', async () => {
    const server = createHttpServer(() => {})
    const port = await listening(server)
    onTestFinished(() => server.closeAllConnections())
    const start = performance.now()
    const { code } = await within('health to give up', runHere(['health', '--port', String(port)]))
    expect(code).toBe(1)
    expect(performance.now() - start, 'the mock was given two seconds').toBeGreaterThan(1900)
  })
})

it('openapi is the document that the mock serves with the same flags', async () => {
  const behaviors = ['--profile', 'strict', '--behavior', 'createStatus=200']
  const flags = ['--base-path', '/v1', '--provider', 'acmepay', ...behaviors]
  // In a process of its own: it is longer than the buffer of a pipe.
  const { code, out, err } = await runCli(['openapi', ...flags])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { url } = await startHere(flags)
  expect(JSON.parse(out)).toEqual((await request(`${url}/openapi.json`)).body)
  expect(out).toContain('"url": "/v1"')
  expect(out).toContain('acmepay')
  expect(out).toContain('"pattern": "^inv_"')
})

const root = new URL('../../', import.meta.url).pathname
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

it('writes a valid seed with an existing schema, and prints the next steps', async () => {
  const file = join(emptyFolder(), 'mine.json')
  const { code, out, err } = await runHere(['init', file])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(`npx paylink-mock --seed ${file} --watch\n`)
  expect(existsSync(resolve(dirname(file), read(file).$schema))).toBe(true)
  expect(await createMock({ seed: read(file) }).projects()).toMatchObject([{ id: 'acme', users: 1, paymentLinks: 2 }])
  expect(await runHere(['validate', file])).toMatchObject({ code: 0 })
})

it('refers to the schema of the package that is installed above it', async () => {
  const folder = emptyFolder()
  const installed = join(folder, 'node_modules/paylink-mock/fixtures')
  mkdirSync(join(folder, 'test/seeds'), { recursive: true })
  cpSync(join(root, 'fixtures'), installed, { recursive: true })
  await runHere(['init', join(folder, 'test/seeds/mine.json')])
  const schema = '../../node_modules/paylink-mock/fixtures/seed.schema.json'
  expect(read(join(folder, 'test/seeds/mine.json')).$schema).toBe(schema)
  await runHere(['init', join(folder, 'mine.json')])
  expect(read(join(folder, 'mine.json')).$schema).toBe('./node_modules/paylink-mock/fixtures/seed.schema.json')
})

it('refers to the nearest of two schemas', async () => {
  const folder = emptyFolder()
  for (const place of ['', 'test'])
    cpSync(join(root, 'fixtures'), join(folder, place, 'node_modules/paylink-mock/fixtures'), { recursive: true })
  await runHere(['init', join(folder, 'test/mine.json')])
  expect(read(join(folder, 'test/mine.json')).$schema).toBe('./node_modules/paylink-mock/fixtures/seed.schema.json')
})

it('writes seed.json by default', async () => {
  const cwd = emptyFolder()
  const { code, out } = await run([cliPath, 'init'], {}, { cwd }).ended()
  expect(code).toBe(0)
  expect(out).toContain('npx paylink-mock --seed seed.json --watch\n')
  expect(existsSync(resolve(cwd, read(join(cwd, 'seed.json')).$schema))).toBe(true)
})

it('never overwrites a file', async () => {
  const file = fileWith('precious')
  const { code, out, err } = await runHere(['init', file])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toBe(`${file} already exists and was not changed. Choose another file.\n`)
  expect(readFileSync(file, 'utf8')).toBe('precious')
})

it('reports a missing folder', async () => {
  const file = join(emptyFolder(), 'none/mine.json')
  expect(await runHere(['init', file])).toMatchObject({
    code: 1,
    out: '',
    err: `The seed ${file} cannot be written: the folder does not exist.\n`,
  })
})

it.each([
  ['read', 'EISDIR', 'it is a directory'],
  ['read', 'EACCES', 'this user has no permission'],
  ['read', 'ENOENT', 'the file does not exist'],
  ['read', 'EMFILE', 'EMFILE'],
  ['written', 'EISDIR', 'it is a directory'],
  ['written', 'EACCES', 'this user has no permission'],
  ['written', 'EROFS', 'the file system is read-only'],
  ['written', 'ENOENT', 'the folder does not exist'],
] as const)('says why a seed cannot be %s: %s', (what, code, reason) => {
  const error = Object.assign(new Error(), { code })
  expect(() => rejectSeed('a.json', what)(error)).toThrow(`The seed a.json cannot be ${what}: ${reason}.`)
})

it('prints lines that work when pasted, for any file name', async () => {
  const file = join(emptyFolder(), "it's $mine.json")
  const { out } = await runHere(['init', file])
  const line = out.split('\n').find((one) => one.includes('validate'))!
  const shim = join(emptyFolder(), 'npx')
  writeFileSync(shim, `#!/bin/sh\nshift\nexec '${process.execPath}' '${cliPath}' "$@"\n`, { mode: 0o755 })
  const env = { PATH: `${dirname(shim)}:${process.env.PATH}` }
  const { stdout } = await exec('sh', ['-c', line], { env })
  expect(stdout).toBe(`${file} is a valid seed: 1 project, 1 user, 2 payment links.\n`)
})
