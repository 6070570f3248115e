import { existsSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CompareReport } from '../../../src/compare/compare.ts'
import type { CommandConsole } from '../../../src/command-line/terminal.ts'
import { cliPath, emptyFolder, run, seedFile, stopWith } from '../support/cli.ts'
import { listening } from '../support/listening.ts'
import { runMain, startHere } from '../support/main.ts'

const prelude = `
const send = async (method, path, body) => {
  const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
  const response = await fetch(process.env.BASE_URL + path, { method, headers, body: body && JSON.stringify(body) })
  return response.json()
}
const users = '/projects/acme/users'
`
/** The words that run a script with \`send\`. */
const program = (script: string): string[] => [process.execPath, '--input-type=module', '-e', prelude + script]

/** Creates a user, and retrieves it. */
const happy = program(`
const { id } = await send('POST', users, { email: 'ada@example.com' })
await send('GET', users + '/' + id)
`)

const compare = async (
  flags: readonly string[],
  words: readonly string[] = happy,
  console: Partial<CommandConsole> = {},
) => {
  const { outcome, out, err } = await runMain(['compare', ...flags, '--', ...words], {}, console)
  if ('server' in outcome) throw new Error('compare did not end')
  return { code: outcome.exitCode, out, err }
}

const compareJson = async (...args: Parameters<typeof compare>) => {
  const { out, ...rest } = await compare(['--json', ...args[0]], ...(args.slice(1) as []))
  return { ...rest, report: JSON.parse(out) as CompareReport & { exitCode: number | null } }
}

/** Starts a service, and counts its calls. */
const startService = async (respond: RequestListener) => {
  const calls: string[] = []
  const server = createServer((incoming, outgoing) => {
    calls.push(`${incoming.method} ${incoming.url}`)
    respond(incoming, outgoing)
  })
  const port = await listening(server)
  onTestFinished(() => server.closeAllConnections())
  return { url: `http://127.0.0.1:${port}`, calls }
}

const outFile = (): string => join(emptyFolder(), 'out.json')
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as unknown

it.runIf(process.env.SLOW_TESTS)('the address is in BASE_URL and in PAYLINK_MOCK_URL', async () => {
  const { url } = await startHere(['--log', 'silent'])
  const same = program("if (process.env.PAYLINK_MOCK_URL === process.env.BASE_URL) await send('GET', users)")
  expect((await compareJson(['--base-url', url], same)).report).toMatchObject({ calls: 1, same: 1 })
})

describe('the report', () => {
  it('says first how many calls are the same, then what was learned, and what a run shows', async () => {
    const { url } = await startHere(['--behavior', 'createStatus=200', '--log', 'silent'])
    const { code, out, err } = await compare(['--base-url', url])
    expect(out.replaceAll(/usr_\w+/g, 'usr_ID')).toMatchInlineSnapshot(`
      "2 calls: 2 the same (1 with createStatus=200).

      Learned:
        createStatus=200, not the default 201, first in 1. POST /projects/acme/users

      Observed: createStatus=200, emailVerifiedOnCreate=true, timestampPrecision=milliseconds

      Use it: npx paylink-mock --behavior createStatus=200
      "
    `)
    expect([code, err]).toEqual([0, ''])
  })

  it.runIf(process.env.SLOW_TESTS)('shows both values of a difference, no field of a record of others', async () => {
    const { url } = await startHere([
      '--log',
      'silent',
      '--seed',
      seedFile({ projects: { acme: { users: [{ email: 'eve@private.example' }] } } }),
    ])
    const { url: broken } = await startService(async ({ url: path }, outgoing) => {
      const response = await fetch(url + path, {
        headers: { authorization: 'Bearer any', accept: 'application/json' },
      })
      const text = (await response.text()).replaceAll('true', '1')
      outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(text)
    })
    const { code, out } = await compare(['--base-url', broken], program("await send('GET', users)"))
    expect(out).toMatchInlineSnapshot(`
      "1 call: 0 the same, 1 different.

      Different: 1. GET /projects/acme/users
                                service      mock
        items[0].emailVerified  (not shown)  (not shown)

      Observed: no behavior
      "
    `)
    expect(code).toBe(1)
    const { report } = await compareJson(['--base-url', broken], program("await send('GET', users)"))
    expect(report.different[0]!.service.body).toMatchObject({
      items: [{ email: 'eve@private.example', emailVerified: 1 }],
    })
  })

  it.runIf(process.env.SLOW_TESTS)('shows the fields of a record that the program created, by any id', async () => {
    const { url } = await startHere(['--log', 'silent'])
    const { url: broken } = await startService(async (incoming, outgoing) => {
      const body = await text(incoming)
      const response = await fetch(url + incoming.url!.replace('/u-', '/usr_'), {
        method: incoming.method!,
        headers: { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' },
        ...(body !== '' && { body }),
      })
      const json = (await response.text()).replaceAll('usr_', 'u-')
      const sent = incoming.method === 'GET' ? json.replace('"emailVerified":true', '"emailVerified":1') : json
      outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(sent)
    })
    const { out } = await compare(['--base-url', broken])
    expect(out).toMatch(/emailVerified +1 +true/)
  })

  it('with --json is the only text on stdout', async () => {
    const { url } = await startHere(['--log', 'silent'])
    const { code, report } = await compareJson(['--base-url', url])
    expect(code).toBe(0)
    expect(report).toMatchObject({ calls: 2, same: 2, learned: [], different: [], notCompared: [], exitCode: 0 })
  })
})

it.runIf(process.env.SLOW_TESTS)('--profile expects all of its values, also the defaults', async () => {
  const { url } = await startHere(['--behavior', 'createStatus=200', '--log', 'silent'])
  const { code, out } = await compare(['--base-url', url, '--profile', 'default'])
  expect([code, out]).toEqual([1, expect.stringContaining('createStatus=200, not 201 as expected')])
})

it('sends the calls of the program to the service, and no others', async () => {
  const { url } = await startHere(['--log', 'silent'])
  const { url: counted, calls } = await startService(async ({ method, url: path, headers }, outgoing) => {
    const { authorization = '', accept = '' } = headers
    const response = await fetch(url + path, { method: method!, headers: { authorization, accept } })
    outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text())
  })
  const file = outFile()
  const script = "await send('GET', users); await send('GET', users + '/usr_x'); await send('GET', '/elsewhere')"
  await compare(['--base-url', `${counted}/`, '--out', file], program(script))
  expect(calls).toEqual(['GET /projects/acme/users', 'GET /projects/acme/users/usr_x', 'GET /elsewhere'])
})

// A step of CI runs the tests of many processes.
describe.runIf(process.env.SLOW_TESTS)('a service with https:', () => {
  const folder = dirname(fileURLToPath(import.meta.url))
  const read = (name: string) => readFileSync(join(folder, name))
  const script = program("await send('GET', users + '?limit=x').catch(() => {}); console.error('passed')")
  const start = async () => {
    const server = createHttpsServer({ key: read('localhost-key.pem'), cert: read('localhost.pem') }, (_, outgoing) =>
      outgoing.writeHead(400, { 'content-type': 'application/json' }).end('{"type":"t","code":"c","message":"m"}'),
    )
    const port = await listening(server)
    return ['--base-url', `https://localhost:${port}`]
  }

  it('is called if its certificate is trusted', async () => {
    const env = { NODE_EXTRA_CA_CERTS: join(folder, 'localhost.pem') }
    const { code, out, err } = await run([cliPath, 'compare', ...(await start()), '--', ...script], env).ended()
    expect([code, err, out.split('\n')[0]]).toEqual([0, 'passed\n', '1 call: 1 the same.'])
  })

  it('is not called if its certificate is unknown', async () => {
    const { code, err } = await compare(await start(), script)
    expect(code).toBe(1)
    expect(err).toContain(
      'has a response: the service sent no response (DEPTH_ZERO_SELF_SIGNED_CERT); to trust its certificate, name the file of the certificate in the variable NODE_EXTRA_CA_CERTS.\n',
    )
  })

  it('is not called by http, and the report names the address to write', async () => {
    const [flag, url] = (await start()) as [string, string]
    const { code, err } = await compare([flag, url.replace('https:', 'http:')], script)
    expect([code, err]).toEqual([1, expect.stringContaining(`; if it is an https port, write --base-url ${url}.\n`)])
  })
})

it('a service with http: is not called by https, and the report names the address to write', async () => {
  const { url } = await startHere(['--log', 'silent'])
  const script = program("await send('GET', users).catch(() => {})")
  const { code, err } = await compare(['--base-url', url.replace('http:', 'https:')], script)
  expect([code, err]).toEqual([1, expect.stringContaining(`; if it is an http port, write --base-url ${url}.\n`)])
})

it
  .runIf(process.env.SLOW_TESTS)
  .each([
    '<h1>400 Bad Request</h1><p>The plain HTTP request was sent to HTTPS port</p>',
    'Client sent an HTTP request to an HTTPS server.',
    "You're speaking plain HTTP to an SSL-enabled server port.",
  ])('a service with http: that rejects calls with "%s" expects https', async (body) => {
  const { url } = await startService((_, outgoing) => outgoing.writeHead(400).end(body))
  const { code, err } = await compare(['--base-url', url], program("await send('GET', users).catch(() => {})"))
  const address = url.replace('http:', 'https:')
  expect([code, err]).toEqual([1, `The service at ${url} expects https; write --base-url ${address}.\n`])
})

it.runIf(process.env.SLOW_TESTS)('prints the flags of a mock with the expected and the learned behaviors', async () => {
  const behaviors = [
    'createStatus=200',
    'emailVerifiedOnCreate=false',
    'timestampPrecision=seconds',
    'metadataUpdate=replace',
  ]
  const expected = ['invoiceIds=prefix', 'cancelInactive=idempotent', 'duplicateEmail=conflict', 'payerFields=required']
  const toFlags = (choices: readonly string[]) => choices.flatMap((choice) => ['--behavior', choice])
  const { url } = await startHere(['--log', 'silent', ...toFlags(behaviors)])
  const script = program(`const { id } = await send('POST', users, { email: 'ada@example.com', metadata: { a: '1' } })
    await send('PATCH', users + '/' + id, { metadata: { b: '2' } })`)
  const { out } = await compare(['--base-url', url, ...toFlags(expected)], script)
  const [, flags = ''] = /\n\nUse it: npx paylink-mock (.*)\n$/.exec(out) ?? []
  expect(flags.length).toBeGreaterThan(160)
  expect(flags.split(' ').toSorted()).toEqual(toFlags([...behaviors, ...expected]).toSorted())
})

it('--allow-other-errors accepts errors in another format', async () => {
  const { url } = await startService((_, outgoing) =>
    outgoing.writeHead(422, { 'content-type': 'application/json' }).end('{"errors":[]}'),
  )
  const script = program("await send('POST', users, {})")
  const { code, out } = await compare(['--base-url', url, '--allow-other-errors'], script)
  expect([code, out.split('\n')[0]]).toEqual([0, '1 call: 1 the same.'])
})

describe('a command line', () => {
  it.each<[what: string, argv: string[], message: RegExp]>([
    ['without a program', ['--base-url', 'http://127.0.0.1:1'], /^compare needs a program: /],
    ['without --base-url', ['--', 'true'], /^compare needs --base-url; see paylink-mock --help\.\n$/],
    ['with another scheme', ['--base-url', 'ftp://a.example', '--', 'true'], /must be an http or https address/],
    ['without a scheme', ['--base-url', 'a.example', '--', 'true'], /must be an http or https address/],
    ['with a password', ['--base-url', 'https://u:p@a.example', '--', 'true'], /without a password or a query/],
    [
      'without its program',
      ['--base-url', 'http://127.0.0.1:1', '--', './none'],
      /^The program '.\/none' was not found\.\n$/,
    ],
  ])('%s is rejected', async (_, argv, message) => {
    const { outcome, out, err } = await runMain(['compare', ...argv])
    expect([outcome, out]).toEqual([{ exitCode: 2 }, ''])
    expect(err).toMatch(message)
  })

  it.each<[what: string, flag: string, seed: unknown, code: number]>([
    ['--out that holds records', '--out', { projects: { acme: { users: [{ email: 'a@b.example' }] } } }, 2],
    ['--out that holds no seed', '--out', [1], 1],
    ['wrong --seed', '--seed', { behaviours: {} }, 1],
  ])('with a %s is rejected before the program starts', async (_, flag, seed, code) => {
    const marker = outFile()
    const words = ['sh', '-c', `touch ${marker}`]
    const result = await compare(['--base-url', 'http://127.0.0.1:1', flag, seedFile(seed)], words)
    expect(result).toMatchObject({ code, out: '' })
    expect(result.err).not.toBe('')
    expect(existsSync(marker)).toBe(false)
  })
})

describe.runIf(process.env.SLOW_TESTS)('a run without a comparison', () => {
  it('is explained if the service does not respond', async () => {
    const script = "await send('GET', users).catch(() => {})"
    const { code, out, err } = await compare(['--base-url', 'http://127.0.0.1:1/v1'], program(script))
    expect(code).toBe(1)
    expect(out).toContain('1 call: 0 the same, 1 not compared.')
    expect(err).toBe(
      'No call to http://127.0.0.1:1/v1 has a response: the service sent no response (ECONNREFUSED); check --base-url.\n',
    )
  })

  it('is explained if the program never calls', async () => {
    const { code, err } = await compare(['--base-url', 'http://127.0.0.1:1'], ['true'])
    expect(code).toBe(1)
    expect(err).toMatch(
      /^The program called nothing at http:\/\/127\.0\.0\.1:\d+, the address in BASE_URL and PAYLINK_MOCK_URL .* --env names another variable\.\n$/,
    )
  })

  it('is explained if the service is another API', async () => {
    const { url } = await startService((_, outgoing) => outgoing.writeHead(200).end('{}'))
    const { code, err } = await compare(['--base-url', url], program("await send('GET', '/v2/customers')"))
    expect(code).toBe(1)
    expect(err).toBe(
      `No call to ${url} was compared, because the specification has no such operation: GET /v2/customers; check --base-url.\n`,
    )
  })
})

describe.runIf(process.env.SLOW_TESTS)('a service that sends the same error to every call', () => {
  it.each([
    ['of a record', "await send('GET', users + '/usr_x')", 'userNotFound', []],
    [
      'of a project',
      "await send('GET', users)",
      'projectNotFound',
      ['unknownProject=notFound', 'wrongProjectToken=404'],
    ],
  ])('is compared if it is the 404 %s', async (_, script, code, candidates) => {
    const { url } = await startService((_, outgoing) =>
      outgoing
        .writeHead(404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ type: 't', code, message: 'm' })),
    )
    const { code: exitCode, report } = await compareJson(['--base-url', url], program(script))
    expect(exitCode).toBe(candidates.length > 0 ? 1 : 0)
    expect(report).toMatchObject({ learned: [], notCompared: [] })
    expect(report.different.flatMap((one) => one.candidates)).toEqual(candidates)
  })

  it.each([
    [401, 'the token of the program'],
    [404, '--base-url'],
  ])('teaches nothing with %i, and the report says to check %s', async (status, what) => {
    const { url } = await startService((_, outgoing) =>
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end('{}'),
    )
    const { code, err, report } = await compareJson(['--base-url', url])
    expect(err).toBe(
      `No call to ${url} was compared, because the service sent ${status} to each call: POST /projects/acme/users; check ${what}.\n`,
    )
    expect(report).toMatchObject({ same: 0, learned: [], observed: {}, different: [] })
    expect(code).toBe(1)
  })
})

describe.runIf(process.env.SLOW_TESTS)('a program', () => {
  it('that fails makes the exit code 1, and its calls are compared', async () => {
    const { url } = await startHere(['--log', 'silent'])
    const { code, out, err } = await compare(['--base-url', url], program("await send('GET', users); process.exit(3)"))
    expect([code, err, out.split('\n')[0]]).toEqual([1, 'The program ended with 3.\n', '1 call: 1 the same.'])
  })

  it('that exceeds --timeout is ended, and its calls are compared', async () => {
    const { url } = await startHere(['--log', 'silent'])
    const script = 'curl -s -H "Authorization: Bearer any" $BASE_URL/projects/acme/users >&2; exec sleep 600'
    const { code, out, err } = await compare(['--base-url', url, '--timeout', '3', '--json'], ['sh', '-c', script])
    expect(err).toBe('The program did not end within 3 s; --timeout allows more.\n')
    expect([code, JSON.parse(out)]).toMatchObject([1, { calls: 1, same: 1, exitCode: null }])
  })

  it('is ended by an interruption, and its calls are compared', async () => {
    const interruption = new AbortController()
    const { url } = await startHere(['--log', 'silent'])
    const { url: service } = await startService(async ({ url: path }, outgoing) => {
      // It never responds to the second call.
      if (path === '/interrupt') return interruption.abort()
      const response = await fetch(url + path, { headers: { authorization: 'Bearer any', accept: 'application/json' } })
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(await response.text())
    })
    const script = program("await send('GET', users); await send('GET', '/interrupt')")
    const console = { onInterrupt: () => interruption.signal }
    const { code, out } = await compare(['--base-url', service], script, console)
    expect([code, out.split('\n')[0]]).toEqual([130, '2 calls: 1 the same, 1 not compared.'])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('gets %s, and can clean up', async (signal) => {
    const words = "trap 'echo got SIGINT; exit' INT; trap 'echo got SIGTERM; exit' TERM; echo started; sleep 600 & wait"
    const running = run([cliPath, 'compare', '--base-url', 'http://127.0.0.1:1', '--', 'sh', '-c', words])
    await running.says('out', /started/)
    const { code, out } = await stopWith(running, signal)
    expect([code, out.split('\n')[1]]).toEqual([130, `got ${signal}`])
  })

  it('reads the address from the variable and the arguments that are named', async () => {
    const { url } = await startHere(['--log', 'silent'])
    const flags = ['--base-url', url, '--env', 'SERVICE', '--env', 'USERS={url}/projects/acme/users']
    const script = `
      const headers = { authorization: 'Bearer any' }
      const list = process.env.SERVICE + '/projects/acme/users'
      for (const url of [list, process.env.USERS, process.argv.at(-1)]) await fetch(url, { headers })`
    const { code, out } = await compare(flags, [...program(script), '{url}/projects/acme/users'])
    expect([code, out.split('\n')[0]]).toEqual([0, '3 calls: 3 the same.'])
  })
})

describe.runIf(process.env.SLOW_TESTS)('--out', () => {
  it('writes the expected and the observed behaviors, and --seed with it passes until one changes', async () => {
    const { url } = await startHere(['--behavior', 'createStatus=200', '--log', 'silent'])
    const file = outFile()
    const first = await compare(['--base-url', url, '--out', file, '--behavior', 'cancelInactive=idempotent'])
    expect([first.code, first.out]).toEqual([
      0,
      expect.stringMatching(/\n\nWritten to (\S+): npx paylink-mock --seed \1\n$/),
    ])
    expect(readJson(file)).toMatchObject({ behaviors: { cancelInactive: 'idempotent', createStatus: 200 } })
    expect((await compare(['--base-url', url, '--seed', file])).code).toBe(0)
    const { url: changed } = await startHere(['--log', 'silent'])
    const { code, out } = await compare(['--base-url', changed, '--seed', file])
    expect(code).toBe(1)
    expect(out).toContain('  createStatus=201, not 200 as expected, first in 1. POST /projects/acme/users\n')
  })

  it('starts a mock that behaves as the service, with the invoices and the projects of the run', async () => {
    const projects = { acme: { invoices: ['inv_1'] } }
    const seed = seedFile({ projects, behaviors: { invoiceIds: 'seeded', unknownProject: 'notFound' } })
    const { url } = await startHere(['--seed', seed, '--log', 'silent'])
    const script = program(`
      const create = (invoice) => send('POST', '/projects/acme/paymentLinks', { invoice, type: 'partner', partner: { user: {} } })
      await create('inv_1')
      await create('inv_2')
      await send('GET', '/projects/other/users')`)
    const file = outFile()
    const flags = ['--behavior', 'unknownProject=notFound', '--out', file]
    expect((await compare(['--base-url', url, ...flags], script)).code).toBe(0)
    expect(readJson(file)).toMatchObject({ behaviors: { invoiceIds: 'seeded', unknownProject: 'notFound' }, projects })
    const { url: mock } = await startHere(['--seed', file, '--log', 'silent'])
    const { code, report } = await compareJson(['--base-url', mock, '--seed', file], script)
    expect([code, report.learned, report.different]).toEqual([0, [], []])
  })
})
