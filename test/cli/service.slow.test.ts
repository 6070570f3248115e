import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { emptyFolder } from './support/cli.ts'
import { explore, exploreJson, interleave, interleaveJson, script } from './support/programs.ts'

const shop = fileURLToPath(new URL('support/shop.js', import.meta.url))

/** The flags of a service, or of one for each program, whose records a run begins without. */
const serve = (...modes: string[]): string[] => {
  const file = join(emptyFolder(), 'orders')
  const reset = `sh -c "rm -rf ${file}*"`
  const services = modes.flatMap((mode) => ['--service', `node ${shop} ${mode} ${file}`])
  return [...services, '--reset', reset, '--env', `DONE=${file}.done`]
}

const click = ['curl', '-sf', '-X', 'POST', '{service}/pay']
/** Sends its request until the service is back. */
const clickUntil = [
  'sh',
  '-c',
  'for try in $(seq 200); do curl -sf -X POST "$SERVICE_URL/pay" && exit; sleep 0.05; done; exit 1',
]

/** Sends its request again, once. */
const clickTwice = ['sh', '-c', 'curl -sf -X POST "$SERVICE_URL/pay" || curl -sf -X POST "$SERVICE_URL/pay"']
const clickAndWait = script('curl -sf -X POST "$SERVICE_URL/pay" && until test -e "$DONE"; do sleep 0.02; done')
/** A test suite, with pytest where it is installed. */
const suite = (() => {
  const run = (...words: string[]) => spawnSync('python3', words, { encoding: 'utf8' })
  // A shim, such as that of pyenv, takes longer to start than the program.
  const python = [run('-c', 'import sys; print(sys.executable)').stdout.trim(), '-B']
  const file = fileURLToPath(new URL('support/test_shop.py', import.meta.url))
  return run('-c', 'import pytest').status === 0
    ? [...python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', file]
    : [...python, file, '-m', 'unittest']
})()

const second = 'The program exits with 0, but its records differ: 2 payment links of inv_77 instead of 1.'

type SearchCase = [what: string, mode: string, program: string[], flags: string[], failures: string[][]]

const searches: SearchCase[] = [
  ['finds what a service does twice', 'again', click, [], [['1.after.reset', second]]],
  ['accepts a service that sends no call again', 'looks', clickUntil, [], []],
  ['kills the service, and starts it again', 'once', clickUntil, ['--effects', 'crash'], [['1.after.crash', second]]],
  ['accepts a service that looks first after a crash', 'looks', clickUntil, ['--effects', 'crash'], []],
  ['kills the workers of a service', 'forks', clickUntil, ['--only', '1.after.crash'], [['1.after.crash', second]]],
  ['waits for a slow service to start', 'boots', clickTwice, ['--only', '1.after.crash'], [['1.after.crash', second]]],
  ['ends a service that ignores SIGTERM', 'stays', clickTwice, ['--only', '1.before.reset'], []],
  [
    'sees what comes after a response',
    'queues',
    clickAndWait,
    ['--only', '1.after.reset'],
    [['1.after.reset', second]],
  ],
  ['runs a test suite', 'again', suite, ['--only', '1.after.reset'], [['1.after.reset', second]]],
]

// Who waits for a service that does not end would wait for minutes, and then be right.
const searchTime = 240_000
it.each(searches)(
  'explore %s',
  async (_, mode, program, flags, expected) => {
    const { failures, notTried, caveats } = await exploreJson(program, [...serve(mode), ...flags])
    expect({ failures: failures.map(({ replay, error }) => [replay, error]), notTried, caveats }).toEqual({
      failures: expected,
      notTried: [],
      caveats: [],
    })
  },
  searchTime,
)

it('a failure shows the output of the service after that of the program', async () => {
  const { failures } = await exploreJson(clickUntil, [...serve('once'), '--effects', 'crash'])
  expect(failures[0]?.output).toEqual(['(its service)', 'open', '(killed, and started again)', 'open'])
  expect(failures[0]?.events.map(({ text }) => text)).toEqual(['the service is killed, and starts again'])
  // The terminal already shows the output of a given schedule.
  const shown = await exploreJson(clickUntil, [...serve('once'), '--only', failures[0]!.replay])
  expect(shown.failures[0]?.output).toEqual([])
})

it('a service may repeat its work a moment after a crash, and the run waits for it', async () => {
  const { failures } = await exploreJson(click, [...serve('resumes'), '--only', '1.after.crash'])
  expect(failures[0]?.error).toBe(
    'The program exits with 52, and did something twice: 2 payment links of inv_77 instead of 1.',
  )
})

it('a service that ends by itself starts again, and a caveat says so', async () => {
  const { failures, caveats } = await exploreJson(clickUntil, serve('dies'))
  expect({ failures: failures.map(({ replay, error }) => [replay, error]), caveats }).toEqual({
    failures: [['1.after.reset', second]],
    caveats: [
      'A service ended by itself, without a failure, such as in 1.before.reset: the service exits with 1, and starts again.',
    ],
  })
})

it('a program that sends its request once sees nothing of a lost response, which is said', async () => {
  expect(await exploreJson(click, [...serve('once'), '--effects', 'reset,crash'])).toMatchObject({
    failures: [],
    caveats: [
      expect.stringContaining('No program exits with 0 after reset or crash, so no second attempt was tried: '),
    ],
    exhausted: false,
  })
})

it.each<[what: string, program: string[], errors: string[]]>([
  ['gives up', click, []],
  ['is ended by --timeout', clickUntil, ['The program does not end in 3 s.']],
])('a program that %s while its service cannot start again ends the run', async (_, program, errors) => {
  const flags = ['--only', '1.after.crash', '--timeout', '3']
  const { failures, notTried } = await exploreJson(program, [...serve('sick'), ...flags])
  expect({ errors: failures.map(({ error }) => error), notTried }).toEqual({
    errors,
    notTried: [{ replay: '1.after.crash', why: expect.stringContaining('the service is not ready within --timeout') }],
  })
})

it('a service that calls without end after its program ends its run at --timeout', async () => {
  const flags = ['--only', '1.after.reset', '--timeout', '3', '--max-calls', '100']
  expect(await exploreJson(click, [...serve('polls'), ...flags])).toMatchObject({ failures: [], notTried: [] })
})

it('the calls of the program itself get no fault', async () => {
  const program = script('curl -sf -X POST "$SERVICE_URL/pay" && find_links | grep -q pml_')
  const flags = ['--ready', '/health', '--effects', 'reset,crash']
  expect(await exploreJson(program, [...serve('once'), ...flags])).toMatchObject({ runs: 6, failures: [] })
})

it.each(['retries', 'looks and retries'])('waits for a service that tries again by itself: %s', async (mode) => {
  const only = ['1.before.unavailable', '1.after.unavailable', '1.after.malformed'].flatMap((one) => ['--only', one])
  const { failures, notTried } = await exploreJson(click, [...serve(`"${mode}"`), ...only])
  const error = 'The program exits with 22, and did something twice: 2 payment links of inv_77 instead of 1.'
  expect({ failures: failures.map((one) => [one.replay, one.error]), notTried }).toEqual({
    failures: [
      ['1.after.unavailable', error],
      ['1.after.malformed', error],
    ],
    notTried: [],
  })
})

it('an outage that the service meets does not reach the calls of the program', async () => {
  const program = script('curl -sf -X POST "$SERVICE_URL/pay"; status=$?; call "$links"; exit $status')
  const flags = ['--must-succeed', 'outage', '--only', '1.before.outage']
  const { failures } = await exploreJson(program, [...serve('looks'), ...flags])
  expect(failures.map(({ error, requests }) => [error, requests.map(({ status }) => status)])).toEqual([
    ['The program exits with 22, but must succeed under outage.', [503, 200]],
  ])
})

it('calls before the service is ready count', async () => {
  const { calls, failures } = await exploreJson(['true'], serve('starts'))
  expect({ calls, failures: failures.map(({ replay }) => replay) }).toEqual({ calls: 6, failures: ['1.after.reset'] })
})

describe('interleave', () => {
  it('gives each program a service of its own: two replicas and a double click', async () => {
    const { failures, exhausted, caveats } = await interleaveJson([click, click], serve('looks'))
    expect(failures.map(({ replay, alike }) => [replay, alike])).toEqual([['a,b*2,a', 3]])
    // The time in which a service starts and comes to rest is no silence of its program.
    expect({ exhausted, caveats }).toEqual({ exhausted: true, caveats: [] })
  })

  it('says that a replica waits for a lock of the other one, where no other order exists', async () => {
    const flags = ['--settle', '500', '--only', 'a,b,a*2,b']
    const { code, failures, notTried, caveats } = await interleaveJson([click, click], [...serve('locks'), ...flags])
    const caveat =
      'Program b waited for another program, as for a lock in a shared database: it sent no call for 0.5 s, until the other ' +
      'one went on. Other orders are not possible there. If it is slow instead, raise --settle.'
    expect({ code, failures, notTried, caveats }).toEqual({ code: 0, failures: [], notTried: [], caveats: [caveat] })
  })

  const job = script('test -n "$(find_links)" || create')
  const pairs: [what: string, programs: string[][], modes: string[], flags: string[], replays: string[]][] = [
    ['a job beside a service', [click, job], ['looks'], ['--service', 'none'], ['a,b*2,a']],
    ['two releases of a service side by side', [click, click], ['looks', 'once'], [], ['a*2,b']],
  ]
  it.each(pairs)('runs %s', async (_, programs, modes, flags, replays) => {
    const { failures } = await interleaveJson(programs, [...serve(...modes), ...flags])
    expect(failures.map(({ replay }) => replay)).toEqual(replays)
  })
})

it.each<[what: string, mode: string, flags: string[], program: string[], message: string]>([
  ['ends', 'ends', [], clickUntil, 'The service exits with 3 before its program has ended.'],
  [
    'does not listen',
    'deaf',
    ['--timeout', '1'],
    click,
    'The service is not ready within --timeout: nothing accepts connections at port ',
  ],
  ['is not healthy', 'ill', ['--timeout', '1', '--ready', '/health'], click, '/health does not respond with 2xx.'],
  [
    'calls nothing',
    'once',
    [],
    ['true'],
    'The service calls nothing. It must read the address of the mock from BASE_URL or PAYLINK_MOCK_URL',
  ],
  [
    'works longer than its program',
    'later',
    [],
    click,
    'The service sends POST /projects/acme/paymentLinks after its program has ended with exit code 0. Let the program wait',
  ],
])('rejects a service that %s', async (_, mode, flags, program, message) => {
  const { code, err } = await explore(program, [...serve(mode), ...flags])
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) })
})

it.each([
  [['--ready', '/health'], '--ready needs --service.'],
  [['--service', ' '], "--service needs a program: --service 'node service.js'."],
  [['--service', 'no-such-program'], "The program 'no-such-program' was not found."],
  [['--service', 'node a.js', '--ready', 'health'], "--ready must be a path such as /health (got 'health')."],
  [
    ['--service', 'a', '--service', 'b', '--service', 'c'],
    '--service must be given once for all programs, or once for each',
  ],
])('rejects the flags %j', async (flags, message) => {
  expect(await interleave([click, click], flags)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
})

it.each([
  [['--service', 'node a.js'], '--port is for a service that runs already, so it contradicts --service.'],
  [['--jobs', '2'], '--port needs --jobs 1'],
  [['--effects', 'all'], 'With --port, crash cannot kill the service'],
  [['--only', '1.after.crash'], 'With --port, crash cannot kill the service'],
])('rejects a fixed port with %j', async (flags, message) => {
  const { code, err } = await explore(click, ['--port', '1', ...flags])
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
})

it.each([
  ['listens', ['node', shop], true],
  ['does not listen', ['sleep', '9'], false],
])('a program that does not end and %s is told of --service if it may be a service', async (_, program, isTold) => {
  const { code, err } = await explore(program, ['--timeout', '2'])
  const hint =
    "If it is a web service, run it beside a program that plays its customer: --service 'node server.js' --reset 'rm -f shop.db' -- node customer.js."
  const lines = [
    `The program listens on a port and sends no call. ${hint}`,
    `The program does not end in 2 s without a fault. ${hint}`,
  ]
  expect({ code, lines: lines.map((line) => err.includes(line)) }).toEqual({ code: 1, lines: [isTold, isTold] })
})

it('a program that listens and calls later is right, also if it was told of --service', async () => {
  const listener = `require('node:http').createServer().listen(0)
    const headers = { authorization: 'Bearer any', accept: 'application/json' }
    setTimeout(() => fetch(process.env.BASE_URL + '/projects/acme/users', { headers }).then(() => process.exit()), 4300)`
  const flags = ['--timeout', '6', '--max-runs', '1', '--incomplete', '--effects', 'evolve']
  const { code, err } = await explore(['node', '-e', listener], flags)
  expect({ code, told: err.match(/--service/g)?.length }).toEqual({ code: 0, told: 1 })
})

it('the first run says that its service is not ready yet, and waits for it', async () => {
  const open = join(emptyFolder(), 'open')
  let told = ''
  const err = (text: string) => {
    told += text
    if (text.startsWith('The service is not ready yet: nothing accepts connections at port ')) writeFileSync(open, '')
  }
  const flags = ['--env', `OPEN=${open}`, '--timeout', '8', '--only', '1.before.reset']
  const { code } = await explore(clickTwice, [...serve('waits'), ...flags], { err })
  expect({ code, hints: told.match(/not ready/g) }).toEqual({ code: 0, hints: ['not ready'] })
})

it('what a service keeps between runs is named with --reset', async () => {
  const file = join(emptyFolder(), 'orders')
  const service = ['--service', `node ${shop} once ${file}`]
  const kept = 'the second run calls nothing, and the first sends POST /projects/acme/paymentLinks'
  const searches = [() => explore(click, service), () => interleave([click, click], service)]
  for (const search of searches) {
    const first = await search()
    expect(first.err).toMatch(new RegExp(`: ${kept} .* as with --reset 'rm -f shop.db'`))
    const second = await search()
    expect(second.err).toMatch(/^The service .*calls nothing\..* as with --reset 'rm -f shop.db'/m)
    rmSync(file)
  }
})

describe('a service that runs already', () => {
  it('cannot be searched at a port that another process holds', async () => {
    await using holder = await listen()
    expect(await explore(click, ['--port', `${holder.port}`])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`Port ${holder.port} of 127.0.0.1 is in use; choose another fixed --port.`),
    })
  })

  /** Starts the shop as a child process, for a mock at a port. Resolves with the address of the shop when it is open. */
  const startShop = async (mode: string, port: number) => {
    const file = join(emptyFolder(), 'orders')
    const env = { ...process.env, BASE_URL: `http://127.0.0.1:${port}`, PORT: '0' }
    const child = spawn(process.execPath, [shop, mode, file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const [text] = (await once(child.stdout, 'data')) as [Buffer]
    return {
      url: /http\S+/.exec(text.toString())![0],
      file,
      [Symbol.asyncDispose]: async () => {
        const ended = once(child, 'exit')
        child.kill()
        await ended
      },
    }
  }

  it('calls the mock at a fixed port', async () => {
    const port = await findFreePort()
    await using running = await startShop('again', port)
    const program = ['curl', '-sf', '-X', 'POST', `${running.url}/pay`]
    const { failures } = await exploreJson(program, ['--port', `${port}`, '--reset', `rm -f ${running.file}`])
    expect(failures.map(({ replay, error }) => [replay, error])).toEqual([['1.after.reset', second]])
  })

  it('ends a run only when it is idle, so that its retry does not count for the next run', async () => {
    const port = await findFreePort()
    await using running = await startShop('retries', port)
    const program = ['curl', '-sf', '-X', 'POST', `${running.url}/pay`]
    const only = ['1.before.unavailable', '1.before.reset'].flatMap((schedule) => ['--only', schedule])
    const flags = ['--port', `${port}`, '--reset', `rm -f ${running.file}`, ...only]
    const { calls, failures, notTried, caveats } = await exploreJson(program, flags)
    expect({ calls, failures, notTried }).toEqual({ calls: 5, failures: [], notTried: [] })
    expect(caveats).toEqual([
      expect.stringMatching(/^The service is not stopped between runs, so a call that it sends /),
    ])
  })

  it.each([
    ['later', 'POST /projects/acme/paymentLinks'],
    ['beats', 'GET /projects/acme/paymentLinks?invoice=inv_77&status=active'],
  ])('must not work longer than its program without a fault: %s', async (mode, call) => {
    const port = await findFreePort()
    await using running = await startShop(mode, port)
    const { err } = await explore(['curl', '-sf', '-X', 'POST', `${running.url}/pay`], ['--port', `${port}`])
    expect(err).toContain(`The service sends ${call} after its program has ended with exit code 0.`)
  })
})

/** Listens on a free port. */
const listen = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) }
}

const findFreePort = async (): Promise<number> => {
  await using server = await listen()
  return server.port
}
