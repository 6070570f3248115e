import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/core/client/index.ts'
import { readArgs } from '../../src/command-line/args.ts'
import { createLog } from '../../src/command-line/terminal.ts'
import { readSettings } from '../../src/command-line/flag-values.ts'
import { seedFile } from './support/cli.ts'
import { runMain } from './support/main.ts'

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }

/** Starts a mock in this process. `logged` returns the lines on stderr so far. */
const startHere = async (flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) => {
  let err = ''
  const console = { err: (text: string) => void (err += text) }
  const { outcome } = await runMain(['--port', '0', '--log', 'json', ...flags], env, console)
  if (!('server' in outcome)) throw new Error(`The mock did not start: ${err}`)
  onTestFinished(() => void outcome.server.close())
  const { server } = outcome
  const lines = () => err.split('\n').slice(0, -1)
  const logged = () => lines().map((line) => JSON.parse(line) as Record<string, unknown>)
  return { server, url: server.url, lines, logged }
}

describe('a request in the JSON log', () => {
  const users = '/projects/acme/users'
  const ofUser = { operation: 'createUser', code: 'invalidBody' }

  it.each<[string, string, string, object, body?: object]>([
    ['an operation', 'GET', users, { status: 200, operation: 'listUsers', code: null }],
    ['a rejected operation', 'POST', users, { status: 422, ...ofUser }, { email: 7 }],
    ['a wrong query', 'GET', `${users}?limit=ten`, { status: 400, operation: 'listUsers', code: 'invalidQuery' }],
    ['an unknown route', 'GET', '/nowhere', { status: 404, operation: null, code: 'routeNotFound' }],
    ['another method', 'PUT', users, { status: 405, operation: null, code: 'methodNotAllowed' }, {}],
  ])('has operation, error code and request id: %s', async (_, method, url, expected, body) => {
    const { url: origin, logged } = await startHere()
    const response = await fetch(origin + url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const requestId = response.headers.get('mock-request-id')
    expect(requestId).toMatch(/^req_/)
    const [path] = url.split('?')
    const milliseconds = expect.any(Number)
    expect(logged().at(-1)).toEqual({ time, event: 'request', method, path, milliseconds, requestId, ...expected })
  })

  it.each([
    ['/__admin/projects/acme/users/usr_none', 'userNotFound'],
    ['/__admin/projects', null],
    ['/docs', null],
    ['/healthz', null],
  ])('has no operation and no request id outside the mocked API: %s', async (path, code) => {
    const { url, logged } = await startHere()
    await fetch(url + path)
    expect(logged().at(-1)).toMatchObject({ event: 'request', path, operation: null, code, requestId: null })
  })

  it('has the error code in both error formats', async () => {
    const { url, logged } = await startHere(['--behavior', 'errorFormat=problem'])
    await fetch(`${url}/projects/acme/users/usr_none`, { headers })
    expect(logged().at(-1)).toMatchObject({ operation: 'retrieveUser', code: 'userNotFound' })
  })

  it.each([
    ['a status', { status: 503 }, { status: 503, code: 'injectedFault' }],
    ['a status and a body of its own', { status: 500, body: { error: 'x' } }, { status: 500, code: null }],
    ['a code that is no text', { status: 500, body: { code: 5 } }, { status: 500, code: null }],
    ['a code of its own', { status: 500, body: { code: 'own' } }, { status: 500, code: 'own' }],
    ['a body without fields', { status: 500, body: null }, { status: 500, code: null }],
    ['a success with a code', { status: 200, body: { code: 'own' } }, { status: 200, code: null }],
    ['a body that is cut', { corrupt: 'truncated' }, { status: 200, code: null }],
    ['a broken connection', { connection: 'reset' }, { status: null, code: null }],
  ] as const)('has what a fault has made of it: %s', async (_, effect, expected) => {
    const { url, logged } = await startHere()
    await connect(url).project('acme').faults.add({ effect })
    await fetch(`${url}/projects/acme/users`, { headers })
      .then((response) => response.text())
      .catch(() => {})
    expect(logged().at(-1)).toMatchObject({ operation: 'listUsers', requestId: expect.any(String), ...expected })
  })
})

describe('the JSON log', () => {
  it('has start and stop, each with a time', async () => {
    const { server, url, logged } = await startHere()
    const ready = { time, event: 'ready', url, addresses: [url], projects: ['acme'], try: expect.any(Array) }
    expect(logged()).toEqual([ready])
    await server.close()
    expect(logged().slice(1)).toEqual([{ time, event: 'stopping' }])
  })

  it('has the random admin token, with a time', async () => {
    const { server, logged } = await startHere(['--host', '0.0.0.0'])
    const variable = 'PAYLINK_MOCK_ADMIN_TOKEN'
    expect(logged()).toContainEqual({ time, event: 'adminToken', variable, token: server.adminToken })
  })
})

const escape = '\u001b[31mred\u0007'
const shown = '?[31mred?'
const created = 'was created from the template, since the seed does not declare it.'
const request = { event: 'request', method: 'GET', operation: null, code: null, requestId: null } as const

it.each<[Parameters<ReturnType<typeof createLog>>[0], string]>([
  [{ ...request, path: '/a', status: 200, milliseconds: 3 }, '200 GET /a (3 ms)'],
  [{ ...request, path: '/a', status: null, milliseconds: 0 }, '--- GET /a (0 ms)'],
  [{ ...request, path: escape, status: 404, milliseconds: 0 }, `404 GET ${shown} (0 ms)`],
  [{ event: 'projectCreated', project: escape }, `Project '${shown}' ${created}`],
  [{ event: 'projectCreated', project: 'acme', sandbox: 'a' }, `Project 'acme' of sandbox 'a' ${created}`],
  [{ event: 'sandboxEvicted', sandbox: 'a' }, "Sandbox 'a' was deleted to make room for a new one."],
  [{ event: 'seedReloaded', file: escape }, `The seed ${shown} changed and was reloaded.`],
  [
    { event: 'seedRefused', file: escape, message: escape },
    `The seed ${shown} changed, but is invalid. The old state is kept: ${shown}`,
  ],
  [{ event: 'error', error: 'a text' }, 'Failed to handle a request: a text'],
  [{ event: 'warning', message: escape }, `Warning: ${shown}`],
])('the pretty log prints %j in one line, without control characters', (event, line) => {
  const lines: string[] = []
  createLog('pretty', (text) => lines.push(text))(event)
  expect(lines).toEqual([line])
})

it.each(['pretty', 'json'] as const)('an unexpected failure is logged with its stack, with --log %s', (format) => {
  let logged = ''
  createLog(format, (text) => (logged += text))({ event: 'error', error: new TypeError('is not a function') })
  const text = format === 'json' ? (JSON.parse(logged) as { error: string }).error : logged
  expect(text).toMatch(/TypeError: is not a function\n +at .*log\.test\.ts/)
})

describe('an unknown variable', () => {
  const sentence = 'PAYLINK_MOCK_PROT is not a variable of paylink-mock; did you mean PAYLINK_MOCK_PORT?'

  it('is a warning in the log', async () => {
    const { logged } = await startHere([], { PAYLINK_MOCK_PROT: '4700' })
    expect(logged()[0]).toEqual({ time, event: 'warning', message: sentence })
  })

  it.each<[string, string]>([
    ['PAYLINK_MOCK_BEHAVIOR', 'did you mean PAYLINK_MOCK_BEHAVIORS?'],
    ['PAYLINK_MOCK_JOURNALSIZE', 'did you mean PAYLINK_MOCK_JOURNAL_SIZE?'],
    ['PAYLINK_MOCK_WATCH', 'see paylink-mock --help.'],
    ['PAYLINK_MOCK_', 'see paylink-mock --help.'],
  ])('is a warning with the nearest name, of every command: %s', async (variable, hint) => {
    const { outcome, out, err } = await runMain(['validate', seedFile({})], { [variable]: 's3cret' })
    expect(outcome).toEqual({ exitCode: 0 })
    expect(out).toContain('is a valid seed')
    expect(err).toBe(`Warning: ${variable} is not a variable of paylink-mock; ${hint}\n`)
  })

  it.each<[string, Record<string, string>]>([
    ['is empty', { PAYLINK_MOCK_PROT: '' }],
    ['is of another command', { PAYLINK_MOCK_BASE_URL: 'http://127.0.0.1:1' }],
    ['is the address that programs get', { PAYLINK_MOCK_URL: 'http://127.0.0.1:4600' }],
    ['is not ours', { PAYLINK_MOCKS: '1', MY_PAYLINK_MOCK_PROT: '1' }],
    [
      'Kubernetes injects for a service called paylink-mock',
      {
        PAYLINK_MOCK_PORT: 'tcp://10.0.0.7:4600',
        PAYLINK_MOCK_PORT_4600_TCP: 'tcp://10.0.0.7:4600',
        PAYLINK_MOCK_PORT_4600_TCP_ADDR: '10.0.0.7',
        PAYLINK_MOCK_PORT_4600_TCP_PORT: '4600',
        PAYLINK_MOCK_PORT_4600_TCP_PROTO: 'tcp',
        PAYLINK_MOCK_SERVICE_HOST: '10.0.0.7',
        PAYLINK_MOCK_SERVICE_PORT: '4600',
        PAYLINK_MOCK_SERVICE_PORT_HTTP: '4600',
      },
    ],
  ])('is ignored when it %s', async (_, env) => {
    const { logged } = await startHere([], env)
    expect(logged().map(({ event }) => event)).toEqual(['ready'])
  })
})

it('a port injected by Kubernetes does not replace the default', () => {
  const { listen } = readSettings(readArgs([], { PAYLINK_MOCK_PORT: 'tcp://10.0.0.7:4600' }), false)
  expect(listen.port).toBe(4600)
})
