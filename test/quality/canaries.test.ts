// Proves: Tokens, Outbound.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connect } from '../../src/core/client/index.ts'
import { formatProject } from '../../src/core/client/test-helpers.ts'
import { createOperations } from '../../src/core/api/operations.ts'
import { matchers, type PaylinkMatchers } from '../../src/testing/matchers/index.ts'
import { views } from '../../src/dashboard/views.ts'
import type { Command } from '../../src/core/control/command.ts'
import { commands, type CommandId } from '../../src/core/control/commands.ts'
import { fileWith, run, seedFile, startCli, stopWith } from '../cli/support/cli.ts'
import { runMain, startHere } from '../cli/support/main.ts'
import { connectRaw } from '../cli/support/raw.ts'
import { requestText } from '../cli/support/request.ts'
import { findLeaks } from '../support/canary.ts'

declare module 'vitest' {
  interface Matchers<T> extends PaylinkMatchers<Promise<T>> {}
}
expect.extend(matchers)

/** A unique secret, with characters that each encoding writes differently. */
const canary = (whose: string) => `canary-${whose}~+/%"\\<&'`

const api = canary('api')
const admin = canary('admin')
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Collects all output with its source. */
const listen = () => {
  const heard: string[] = []
  const hear = (where: string, ...texts: readonly unknown[]) => {
    for (const text of texts)
      for (const leak of findLeaks(typeof text === 'string' ? text : JSON.stringify(text)))
        heard.push(`${where}: ${leak}`)
  }
  let count = 0
  const call = async (url: string, sending: Parameters<typeof requestText>[1] = {}) => {
    const { status, headers, text } = await requestText(url, sending)
    count++
    hear(`${sending.method ?? 'GET'} ${url}`, headers, text)
    return { status, text }
  }
  return { hear, call, leaks: () => heard, count: () => count }
}

type Listener = ReturnType<typeof listen>

const json = { 'content-type': 'application/json', accept: 'application/json' }
const wrongOnes = [
  {},
  bearer(canary('wrong')),
  bearer(`${api}x`),
  bearer(`${api} ${api}`),
  { authorization: `Basic ${Buffer.from(`user:${api}`).toString('base64')}` },
  { authorization: api },
  { 'proxy-authorization': `Basic ${api}`, cookie: `session=${api}`, ...bearer(api) },
]

const operationBodies: Readonly<Record<string, unknown>> = {
  createUser: { email: 'grace@example.com' },
  searchUsers: { email: 'ada@example.com' },
  updateUser: { fullName: 'Ada' },
  createPaymentLink: { invoice: 'inv_1', type: 'partner', partner: { user: {} } },
}

/** Every operation of the mocked API, with tokens that are right, wrong and misplaced. */
const callOperations = async (origin: string, { call }: Listener) => {
  for (const { id, method, path, body } of createOperations('partner')) {
    const url =
      origin + path.replace('{project}', 'acme').replace('{user}', 'usr_ada').replace('{paymentLink}', 'pml_1')
    if (body !== undefined) expect(operationBodies).toHaveProperty(id)
    const text = JSON.stringify(operationBodies[id])
    const sending = { method, ...(body !== undefined && { body: text }) }
    if (method !== 'DELETE')
      expect((await call(url, { ...sending, headers: { ...json, ...bearer(api) } })).status).toBeLessThan(300)
    for (const headers of wrongOnes) await call(url, { ...sending, headers: { ...json, ...headers } })
    await call(url, { method, body: '{"x":', headers: { ...json, ...bearer(api) } })
    await call(url, { method: 'PUT', headers: bearer(api) })
    await call(`${url}?limit=x`, { method, headers: { accept: 'text/html', ...bearer(api) } })
  }
  await call(`${origin}/projects/other/users`, { headers: bearer(canary('foreign')) })
  await call(`${origin}/projects/acme/users`, { headers: bearer(canary('expired')) })
}

const everyRequest = { match: { headers: { authorization: `Bearer ${api}` } }, times: { exactly: 1000 } }
const commandBodies: Partial<Record<CommandId, unknown>> = {
  changeProject: { preferredLocale: 'de-AT' },
  loadState: {},
  patchState: {},
  saveSnapshot: { name: 'some' },
  setClock: { mode: 'frozen' },
  advanceClock: { milliseconds: 1 },
  changeBehaviors: { createStatus: 200 },
  createUser: { email: 'grace@example.com' },
  patchUser: { fullName: 'Grace' },
  createPaymentLink: { invoice: 'inv_2' },
  patchPaymentLink: { invoice: 'inv_3' },
  verifyRequests: everyRequest,
  addFault: { match: { headers: { Authorization: `Bearer ${canary('fault')}` } }, effect: { hold: true, status: 503 } },
  releaseFault: {},
  waitForHeld: { within: 0 },
  replaceTokens: { tokens: [{ token: api }, { token: canary('other') }] },
}

/** Every command of the control API, for one project and for all. */
const callCommands = async (origin: string, { call }: Listener) => {
  const sendCommand = (method: string, path: string, body?: unknown) =>
    call(`${origin}/__admin${path}`, {
      method,
      headers: { ...bearer(admin), ...json },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  await sendCommand('POST', '/reset')
  // Commands that read come first, before anything is deleted.
  const byMethod = Object.entries<Command>(commands).toSorted(([, a], [, b]) => order(a.method) - order(b.method))
  for (const [id, { scope, method, path, body, event }] of byMethod) {
    if (event !== undefined || id === 'health') continue
    if (body !== undefined && id !== 'payPaymentLink') expect(commandBodies).toHaveProperty(id)
    for (const place of { mock: [''], project: ['/projects/acme'], both: ['', '/projects/acme'] }[scope]) {
      const { items = [] } = JSON.parse(
        (await sendCommand('GET', `${place}/${path.includes('{fault}') ? 'faults' : 'requests'}`)).text,
      )
      const names: Record<string, string> = {
        user: 'usr_ada',
        paymentLink: 'pml_1',
        name: 'some',
        fault: items[0]?.id,
        request: items[0]?.id,
      }
      const at = path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'none')
      const { status, text } = await sendCommand(method, place + at, commandBodies[id as CommandId])
      const code = status < 400 ? undefined : (JSON.parse(text).code as string)
      expect(misunderstood, `${method} ${place}${at}: ${text}`).not.toContain(code)
    }
  }
  // secrets.test has the wrong tokens of every kind.
  const wrongTokens = { tokens: [{ token: api }, { token: api }] }
  for (const path of ['/tokens', '/projects/acme/tokens', '/state'])
    expect((await sendCommand('PUT', path, wrongTokens)).status, path).toBeGreaterThanOrEqual(400)
  for (const headers of wrongOnes) await call(`${origin}/__admin/state`, { headers })
  await call(`${origin}/__admin/state`, { headers: bearer(`${admin}x`) })
  await call(`${origin}/__admin/nowhere`, { headers: bearer(admin) })
  await call(`${origin}/__admin/state`, { headers: { ...bearer(admin), host: 'evil.example' } })
}

const misunderstood = ['routeNotFound', 'methodNotAllowed', 'unsupportedMediaType', 'invalidBody', 'internal']

const order = (method: string) => ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].indexOf(method)

/** Every page and document. */
const openPages = async (origin: string, { call }: Listener) => {
  const { items } = JSON.parse((await call(`${origin}/__admin/requests`, { headers: bearer(admin) })).text)
  const of = `project=acme&id=usr_ada`
  const paths =
    '/ /docs /docs/style.css /openapi.json /healthz /pay/acme/pml_1 /pay/acme/pml_none /pay/style.css /nowhere'
  const ids: Readonly<Record<string, string>> = { request: items.at(-1).id, 'payment-link': 'pml_1' }
  const parts = [...views.keys()].map(
    (view) => `/__admin/dashboard/${view}?${of.replace('usr_ada', ids[view] ?? 'usr_ada')}`,
  )
  const controlPaths = ['', '/', '/dashboard/script.js', '/dashboard/style.css', '/openapi.json']
  const allPaths = [...paths.split(' '), ...parts, ...controlPaths.map((path) => `/__admin${path}`)]
  for (const path of allPaths)
    for (const headers of [bearer(admin), bearer(api)])
      await call(origin + path, { headers: { accept: 'text/html', ...headers } })
  const form = { 'content-type': 'application/x-www-form-urlencoded', cookie: api }
  for (const body of ['outcome=failed', 'outcome=other', 'outcome=succeeded', 'outcome=succeeded'])
    await call(`${origin}/pay/acme/pml_1`, { method: 'POST', headers: form, body })
}

/** The past events, as server-sent events. */
const followEvents = async (origin: string, { call, hear }: Listener) => {
  const { items } = JSON.parse((await call(`${origin}/__admin/requests`, { headers: bearer(admin) })).text)
  const response = await fetch(`${origin}/__admin/events`, { headers: { ...bearer(admin), 'last-event-id': '0' } })
  let events = ''
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    events += part
    if (events.includes(items.at(-1).id)) break
  }
  expect(events).toContain('Bearer #')
  hear('events', events)
}

/** Requests that the parser rejects. */
const sendBroken = async (port: number, { hear }: Listener) => {
  for (const head of [
    `Host: localhost\r\nAuthorization: Bearer ${api}\x00`,
    `Host: localhost\r\nAuthorization Bearer ${api}`,
    `Host: localhost\r\nHost: localhost\r\nAuthorization: Bearer ${api}`,
    `Host: localhost\r\nX: ${'x'.repeat(17_000)}\r\nAuthorization: Bearer ${api}`,
    `Host: a b\r\nAuthorization: Bearer ${api}`,
    `Host: localhost\r\nExpect: tea\r\nAuthorization: Bearer ${api}`,
  ]) {
    const raw = await connectRaw({ port })
    raw.send(`GET /projects/acme/users HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`)
    hear('a broken request', await raw.ended())
  }
}

/** The output of a failed test and of its client. */
const failTests = async (origin: string, { hear }: Listener) => {
  const controlled = connect(origin, { adminToken: admin })
  const acme = controlled.project('acme')
  const nobody = connect('http://127.0.0.1:1', { adminToken: admin })
  const stranger = connect(origin, { adminToken: canary('stranger') })
  const failures = [
    () => expect(acme).toHaveReceived(everyRequest.match, { times: 1000 }),
    () => expect(acme).toHaveReceived({ headers: { cookie: api, 'proxy-authorization': canary('proxy') } }),
    () => expect(acme).toHaveNoViolations(),
    () => acme.requests.verify({ sequence: [everyRequest.match, { headers: { authorization: canary('none') } }] }),
    () => acme.tokens.replace([{ token: 'canary with spaces' }]),
    () => nobody.projects(),
    () => stranger.projects(),
  ]
  for (const failure of failures) {
    const error = (await failure().then(
      () => expect.unreachable('It should have failed.'),
      (reason: unknown) => reason,
    )) as Error
    expect(error.message).not.toContain('should have failed')
    hear('a failure', error.message, String(error.stack), error, String(error.cause), Object.entries(error))
  }
  hear('the report of a project', await formatProject(acme))
}

const seed = {
  tokens: [
    { token: api },
    { token: canary('foreign'), projects: ['acme'] },
    { token: canary('expired'), expiresAt: '2020-01-01T00:00:00Z' },
  ],
  clock: { mode: 'frozen' as const },
  projects: {
    acme: { users: [{ id: 'usr_ada', email: 'ada@example.com' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] },
  },
}
const { tokens: _, ...seedWithout } = seed

const watcher = new URL('offline/watch.js', import.meta.url).href

it('an outgoing connection, name and process are detected', async () => {
  const script = `fetch('http://localhost:4/').catch(() => {})
    import('node:child_process').then(({ spawn }) => spawn('true'))`
  const { err } = await run([`--import=${watcher}`, '--input-type=module', '--eval', script]).ended()
  for (const kind of ['connect', 'lookup', 'spawn']) expect(err).toContain(`OUTBOUND ${kind}`)
})

describe('a token', () => {
  const sources: [how: string, log: string, flags: string[], env: Record<string, string>][] = [
    ['flags', 'pretty', ['--token', api, '--admin-token', admin], {}],
    ['variables', 'json', [], { PAYLINK_MOCK_TOKENS: api, PAYLINK_MOCK_ADMIN_TOKEN: admin }],
    ['the seed', 'json', ['--host', '0.0.0.0', '--admin-token', admin, '--behavior', 'errorFormat=problem'], {}],
  ]
  // A step of CI runs it.
  it.runIf(process.env.SLOW_TESTS).each(sources)(
    'that came by %s is in nothing that comes out, with --log %s, and nothing goes out',
    async (how, log, flags, env) => {
      const listener = listen()
      const file = seedFile(how === 'the seed' ? seed : seedWithout)
      const watched = { ...env, NODE_OPTIONS: `--import=${watcher}` }
      const mock = await startCli(['--log', log, '--seed', file, '--watch', ...flags], watched)
      await callOperations(mock.url, listener)
      await sendBroken(mock.port, listener)
      await failTests(mock.url, listener)
      await openPages(mock.url, listener)
      await followEvents(mock.url, listener)
      await callCommands(mock.url, listener)
      expect(listener.count()).toBeGreaterThan(250)
      writeFileSync(file, JSON.stringify({ tokens: [{ token: 'canary with spaces' }] }))
      await mock.says('err', /seedRefused|The old state is kept/)
      const { out, err } = await stopWith(mock, 'SIGTERM')
      listener.hear('stdout', out)
      listener.hear('stderr', err)
      expect(err).toMatch(/projects\/acme\/users/)
      expect(listener.leaks()).toEqual([])
      expect(err).not.toContain('OUTBOUND')
    },
  )

  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['a token with a space', ['--token', 'canary x'], {}],
    ['an admin token with a space', ['--admin-token', 'canary x'], {}],
    ['a flag that is written wrongly', [`--admin-tokn=${admin}`], {}],
    ['a flag that does not exist', ['--token', api, '--nothing'], {}],
    ['a flag of another command', ['--token', api, '--out', 'x'], {}],
    ['a flag without its value', ['--token', api, '--admin-token'], {}],
    ['tokens with spaces, as variables', [], { PAYLINK_MOCK_TOKENS: 'canary x,canary y' }],
    ['an admin token with a space, as a variable', [], { PAYLINK_MOCK_ADMIN_TOKEN: 'canary x' }],
    ['a port that is none', ['--port', 'x', '--token', api, '--admin-token', admin], {}],
    ['a seed that is not there', ['--seed', '/nowhere.json', '--token', api], {}],
    ['the command openapi', ['openapi'], { PAYLINK_MOCK_TOKENS: api, PAYLINK_MOCK_ADMIN_TOKEN: admin }],
    ['the command health', ['health', 'http://127.0.0.1:1'], { PAYLINK_MOCK_ADMIN_TOKEN: admin }],
    ['the help', ['--help', '--token', api], { PAYLINK_MOCK_TOKENS: api }],
  ])('is not in the output of the command line for %s', async (_, argv, env) => {
    const said = await runMain(argv, env)
    expect(said.outcome).toHaveProperty('exitCode')
    expect(findLeaks(said.out + said.err)).toEqual([])
  })

  it('is not in the output and files of compare', async () => {
    const service = await startHere(['--log', 'silent', '--token', api, '--behavior', 'createStatus=200'])
    const out = join(dirname(fileWith('{}')), 'out.json')
    const calls = [
      'await fetch(url, { headers })',
      'await fetch(url, { headers, method: \'POST\', body: \'{"email":"a@b.example"}\' })',
      "await fetch(url, { headers: { authorization: 'Bearer canary-wrong' } })",
    ]
    const url = "const url = process.env.BASE_URL + '/projects/acme/users'"
    const headers =
      "const headers = { authorization: 'Bearer ' + process.env.TOKEN, 'content-type': 'application/json' }"
    const program = ['--', process.execPath, '--input-type=module', '-e', [url, headers, ...calls].join('\n')]
    vi.stubEnv('TOKEN', api)
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const flags of [`--out ${out}`, `--json --seed ${out}`, '--base-url http://127.0.0.1:1']) {
      const said = await runMain(['compare', '--base-url', service.url, ...flags.split(' '), ...program])
      expect(said.out, flags).not.toBe('')
      expect(findLeaks(said.out + said.err), flags).toEqual([])
    }
    expect(findLeaks(readFileSync(out, 'utf8'))).toEqual([])
  })
})
