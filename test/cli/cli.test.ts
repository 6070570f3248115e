// Proves: Stop, Control API, In process.
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/core/client/index.ts'
import { explainListenError, listAddresses } from '../../src/node/listen-address.ts'
import { getFixturePath } from '../../src/command-line/files.ts'
import { hasIpv6, listening } from './support/listening.ts'
import { cliPath, fileWith, run, seedFile, startCli, stopWith } from './support/cli.ts'
import { runHere, runMain, startHere } from './support/main.ts'
import { request, requestJson } from './support/request.ts'
import { token } from '../support/canary.ts'
import { readText, countDistinct } from '../support/read.ts'
import { exec } from '../support/exec.ts'

const oneSentence = /^[^\n]+[.?]\n$/

describe('the ready line', () => {
  it('is the only line on stdout and shows the requested port, which accepts connections', async () => {
    const server = createServer()
    const port = await listening(server)
    await promisify(server.close.bind(server))()
    const url = `http://127.0.0.1:${port}`
    const mock = run([cliPath, '--port', String(port), '--log', 'pretty'])
    await mock.says('out', /\n/)
    await request(`${url}/projects/new/users`, { headers: { authorization: 'Bearer any' } })
    await request(`${url}/nowhere`)
    expect(await stopWith(mock, 'SIGTERM')).toMatchObject({ code: 0, out: `paylink-mock ready on ${url}\n` })
  })

  it('shows a usable address when bound to all interfaces', async () => {
    const { url, port, out, err } = await startHere(['--host', '0.0.0.0', '--log', 'pretty'])
    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect(await request(`${url}/healthz`)).toMatchObject({ status: 200 })
    expect(out + err).not.toContain('0.0.0.0')
  })

  it.skipIf(!hasIpv6).each(['::1', '::'])('puts an IPv6 address in brackets: %s', async (host) => {
    const mock = await startHere(['--host', host])
    expect(mock.url).toBe(`http://[::1]:${mock.port}`)
    expect(await request(`${mock.url}/healthz`)).toMatchObject({ status: 200 })
  })
})

it.each([
  ['EADDRINUSE', 'Port 80 of ::1 is in use; choose another --port, or --port 0 for any free one.'],
  ['EACCES', 'Port 80 of ::1 needs more permissions; choose a --port above 1023.'],
  ['EADDRNOTAVAIL', 'Failed to listen on port 80 of ::1: listen EADDRNOTAVAIL.'],
])('a bind that fails with %s prints one sentence', (code, sentence) => {
  const error = Object.assign(new Error(`listen ${code}`), { code })
  expect(explainListenError(error, 80, '::1', '--port')).toBe(sentence)
})

describe('a start that fails', () => {
  it('names a port that is in use', async () => {
    const port = await listening(createServer())
    const err = `Port ${port} of 127.0.0.1 is in use; choose another --port, or --port 0 for any free one.\n`
    expect(await runHere(['--port', String(port)])).toEqual({ code: 1, out: '', err })
  })

  const invalid = { projects: { acme: { paymentLinks: [{ invoice: 'inv_1', status: 'paid' }] } } }
  const loneSurrogate = '{"projects":{"\\ud800":{"paymentLinks":[{"invoice":"inv_1"}]}}}'

  it.each([
    ['is not there', () => '/no/such/seed.json', /cannot be read: the file does not exist\.$/],
    ['is misspelled', () => 'emtpy', /does not exist; did you mean the seed 'empty' of the package\?$/],
    ['is a directory', () => '/', /^The seed \/ cannot be read: it is a directory\.$/],
    ['is behind a file', () => `${fileWith('')}/seed.json`, /cannot be read: part of its path is not a directory\.$/],
    ['is empty', () => fileWith(' \n'), /^The seed \S+ is empty\.$/],
    ['is cut off', () => fileWith('{\n"projects": {'), /is not JSON: see line 2, column 14\.$/],
    ['has a trailing comma in a list', () => fileWith('{"tokens":\n [{},]}'), /line 2, column 6 \(trailing comma\)\.$/],
    ['is not UTF-8', () => fileWith(Buffer.from('{"projects":{"caf\u00e9":{}}}', 'latin1')), /is not UTF-8\.$/],
    ['has a comma at its end', () => fileWith('{\n"tokens": [],\n}\n'), /line 3, column 1 \(trailing comma\)\.$/],
    ['has a comment', () => fileWith('{\n // mine\n}\n'), /is not JSON: see line 2, column 2 \(comment\)\.$/],
    ['lacks a value', () => fileWith('{"a":\n}'), /line 2, column 1\.$/],
    ['has a mistake at the end of a line', () => fileWith('{\n"a": tru\n,\n"b": 1 }'), /line 2, column 6\.$/],
    ['is YAML by its name', () => fileWith('{ a: b }', 'seed.yaml'), /is YAML, but a seed must be JSON\. Convert/],
    ['is YAML by its name', () => fileWith('', 'seed.YML'), /is YAML, but a seed must be JSON\. Convert the file\.$/],
    ['is YAML by its content', () => fileWith('# mine\nprojects:\n  acme: {}\n'), /is YAML, but/],
    ['is YAML by its content', () => fileWith('---\n{}\n'), /is YAML, but/],
  ])('is one sentence for a seed that %s', async (_, file, sentence) => {
    const { code, out, err } = await runHere(['--port', '0', '--seed', file()])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(oneSentence)
    expect(err.trimEnd()).toMatch(sentence)
  })

  it.each([
    ['', () => fileWith('{'), 'The seed FILE is not JSON: see line 1, column 2.\n'],
    ['', () => '/no/seed.json', 'The seed FILE cannot be read: the file does not exist.\n'],
    ['explore', () => '/no/seed.json', 'The seed FILE cannot be read: the file does not exist.\n'],
    ['compare', () => '/no/seed.json', 'The seed FILE cannot be read: the file does not exist.\n'],
    ['', () => fileWith('[]'), 'FILE is not a valid seed:\n  The value must be an object (got an array).\n'],
  ])('names the variable of a bad seed: %s %#', async (command, file, message) => {
    const seed = file()
    const argv =
      { compare: ['compare', '--base-url', 'http://127.0.0.1:1', '--', 'true'], explore: ['explore', '--', 'true'] }[
        command
      ] ?? []
    const { code, err } = await runHere(argv, { PAYLINK_MOCK_SEED: seed })
    expect({ code, err }).toEqual({ code: 1, err: `PAYLINK_MOCK_SEED: ${message.replace('FILE', seed)}` })
  })

  it.each([
    ['one problem', () => seedFile(invalid), 1],
    ['a list', () => fileWith('[]'), 1],
    ['null', () => fileWith('null'), 1],
    ['two problems', () => seedFile({ project: {}, clock: { mode: 'slow' } }), 2],
    ['a project that no path can name', () => fileWith(loneSurrogate), 1],
    ['a line end in a name', () => seedFile({ 'a\nb': 1, 'c\u001B': 2 }), 2],
  ])('prints the list of `validate` for a seed with %s', async (_, file, problems) => {
    const path = file()
    const { code, out, err } = await runHere(['--port', '0', '--seed', path])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(new RegExp(`^${path} is not a valid seed:\n(?:  [^\n\\p{Cc}]+[.?]\n){${problems}}$`, 'u'))
    expect(await runHere(['validate', path])).toEqual({ code, out, err })
  })

  it('prints each problem with its path', async () => {
    const { err } = await runHere(['validate', seedFile(invalid)])
    expect(err).toContain(
      "\n  projects.acme.paymentLinks[0].status must be 'active', 'canceled' or 'completed' (got 'paid').\n",
    )
  })
})

describe('a seed file', () => {
  it('may begin with a byte order mark', async () => {
    const { url } = await startHere(['--seed', fileWith('\uFEFF{"projects":{"acme":{}}}')])
    expect((await request(`${url}/__admin/projects`)).body.items).toMatchObject([{ id: 'acme' }])
  })

  it('is summarized in the pretty log', async () => {
    const one = { users: [{ email: 'a@b.c' }], paymentLinks: [{ invoice: 'inv_1' }] }
    const file = seedFile({ projects: { acme: one, beta: { generate: { users: 2 } } } })
    const { outcome, err } = await runMain(['--port', '0', '--log', 'pretty', '--seed', file])
    if ('server' in outcome) void outcome.server.close()
    expect(err).toContain('Projects: acme (1 user, 1 payment link), beta (2 users, 0 payment links)\n')
  })

  it('of more than ten projects is summarized in short', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `p${index + 10}`)
    for (const [count, end] of [
      [10, 'p19 (0 users, 0 payment links)\n'],
      [12, 'p19 (0 users, 0 payment links), and 2 more\n'],
    ] as const) {
      const projects = Object.fromEntries(ids.slice(0, count).map((id) => [id, {}]))
      const { outcome, err } = await runMain(['--port', '0', '--log', 'pretty', '--seed', seedFile({ projects })])
      if ('server' in outcome) void outcome.server.close()
      expect(/Projects: (.*\n)/.exec(err)?.[1]).toMatch(/^p10 /)
      expect(err).toContain(end)
    }
  })

  it.each([
    ['empty', []],
    ['demo', [{ id: 'acme' }]],
  ])('may be the short name %s', async (name, projects) => {
    const { url } = await startHere(['--seed', name])
    expect((await request(`${url}/__admin/projects`)).body.items).toMatchObject(projects)
    expect(await runHere(['validate', name])).toMatchObject({
      code: 0,
      out: expect.stringMatching(`^${name} is a valid`),
    })
  })

  it('is read from the variable unless the flag is set', async () => {
    const variable = { PAYLINK_MOCK_SEED: seedFile({ projects: { fromVariable: {} } }) }
    const { url } = await startHere([], variable)
    expect((await request(`${url}/__admin/projects`)).body.items).toMatchObject([{ id: 'fromVariable' }])
    const flagged = await startHere(['-s', seedFile({ projects: { fromFlag: {} } })], variable)
    expect((await request(`${flagged.url}/__admin/projects`)).body.items).toMatchObject([{ id: 'fromFlag' }])
  })
})

describe('the addresses of a server', () => {
  const address = (text: string) => ({ address: text }) as NetworkInterfaceInfo
  const interfaces = {
    lo: [address('127.0.0.1'), address('::1')],
    eth0: [address('10.0.0.5'), address('fd00::5'), address('fe80::1')],
    none: undefined,
  }

  it.each([
    ['0.0.0.0', ['http://127.0.0.1:80', 'http://10.0.0.5:80']],
    ['::', ['http://127.0.0.1:80', 'http://[::1]:80', 'http://10.0.0.5:80', 'http://[fd00::5]:80']],
    ['::1', ['http://[::1]:80']],
    ['127.0.0.1', ['http://127.0.0.1:80']],
    ['mock.example', ['http://mock.example:80']],
  ])('that is bound to %s are those that respond', (host, urls) => {
    expect(listAddresses(host, 80, interfaces)).toEqual(urls)
  })

  it('are printed when it is bound to all interfaces', async () => {
    const { port, err } = await startHere(['--host', '0.0.0.0', '--log', 'pretty'])
    const addresses = listAddresses('0.0.0.0', port)
    // A machine with loopback only has one, which the ready line shows.
    expect(err.includes(`Addresses: ${addresses.join(' ')}\n`)).toBe(addresses.length > 1)
    for (const url of addresses) expect(await request(`${url}/healthz`)).toMatchObject({ status: 200 })
  })
})

describe('the printed lines', () => {
  /** Runs a line in a shell, and returns its output. */
  const paste = async (line: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { stdout } = await exec('sh', ['-c', `${line} -sS --fail`], {
      env: { PATH: process.env.PATH ?? '', ...env },
    })
    return stdout
  }
  const started = async (flags: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { outcome, err } = await runMain(['--port', '0', '--log', 'pretty', ...flags], env)
    if (!('server' in outcome)) throw new Error(err)
    onTestFinished(() => void outcome.server.close())
    const { url, adminToken } = outcome.server
    const lines = err.split('\n').map((line) => line.trim())
    return { lines: lines.filter((line) => line.startsWith('curl ')), err, control: connect(url, { adminToken }) }
  }

  const path = ['--base-path', '/v1', '--provider', 'acmepay']
  const invoices = ['--behavior', 'invoiceIds=seeded']
  it.each([
    ['the demo seed', [], {}],
    ['a base path, a provider and the profile strict', [...path, '--profile', 'strict'], {}],
    ['a token, and invoices that must be seeded', [...invoices, '--token', 'tok_1'], { TOKEN: 'tok_1' }],
    ['a token of the seed', ['--seed', 'demo with tokens'], { TOKEN: 'tok_seed' }],
    ['an admin token', ['--admin-token', 'tok_admin'], { PAYLINK_MOCK_ADMIN_TOKEN: 'tok_admin' }],
    ['an open bind to all interfaces', ['--host', '0.0.0.0', '--admin-token', 'none'], {}],
    [
      'a bind to all interfaces and tokens',
      ['--host', '0.0.0.0', '--token', 'tok_1', '--token', 'tok_2'],
      { TOKEN: 'tok_2', PAYLINK_MOCK_ADMIN_TOKEN: 'tok_admin' },
    ],
  ])('work when pasted, without a violation, with %s', async (_, given, env) => {
    const demo = JSON.parse(readFileSync(getFixturePath('demo.json'), 'utf8')) as object
    const flags = given.map((flag) =>
      flag === 'demo with tokens' ? seedFile({ ...demo, tokens: [{ token: 'tok_seed' }] }) : flag,
    )
    const { lines, control } = await started(flags, env)
    const bodies: string[] = []
    for (const line of lines) bodies.push(await paste(line, env))
    expect((await control.violations.list()).items).toEqual([])
    const [list, paid, retrieved, ...others] = bodies.map((body) => JSON.parse(body) as Record<string, unknown>)
    // The demo seed has a link with a redirect, which would lead a browser away.
    expect(list).toMatchObject({ object: 'list', items: [{ id: 'pml_open_with_redirect' }, { id: 'pml_open' }] })
    expect(paid).toMatchObject({ id: 'pml_open', status: 'completed' })
    expect(retrieved).toMatchObject({ id: 'pml_open', status: 'completed' })
    expect(others).toEqual([])
    expect(bodies.filter((body) => !body.endsWith('}\n'))).toEqual([])
  })

  it.each([
    [[], []],
    [['--token', 'tok_1'], ['TOKEN']],
    [['--host', '0.0.0.0'], ['PAYLINK_MOCK_ADMIN_TOKEN']],
    [
      ['--host', '0.0.0.0', '--token', 'tok_1'],
      ['TOKEN', 'PAYLINK_MOCK_ADMIN_TOKEN'],
    ],
  ])('name the variables to set first, with %s', async (flags, variables) => {
    const { lines, err } = await started(flags)
    expect([...new Set(lines.flatMap((line) => line.match(/(?<=\$)\w+/g) ?? []))]).toEqual(variables)
    expect(/^Try.*:$/m.exec(err)?.[0].match(/\b[A-Z_]{2,}\b/g) ?? []).toEqual(variables)
  })

  it.each([
    ['no project', {}],
    ['a project with a quote, spaces and a dollar in its name', { projects: { "o'brien & $HOME`id`": {} } }],
  ])('list the links, with a seed of %s and no active link', async (_, seed) => {
    const { lines } = await started(['--seed', seedFile(seed)])
    expect(lines).toHaveLength(1)
    expect(JSON.parse(await paste(lines[0]!))).toMatchObject({ object: 'list', items: [] })
  })

  it('are left out without a project that a client could call', async () => {
    const flags = ['--seed', seedFile({}), '--behavior', 'unknownProject=notFound']
    const { lines, err } = await started(flags)
    expect(lines).toEqual([])
    expect(err).not.toContain('Try')
  })

  it('are those of the README and of the start page', async () => {
    const { outcome, err } = await runMain(['--port', '0', '--log', 'pretty'])
    if (!('server' in outcome)) throw new Error(err)
    onTestFinished(() => void outcome.server.close())
    const { url } = outcome.server
    const page = await readText(fetch(`${url}/`))
    const lines = [...err.matchAll(/^ {2}(curl .*)$/gm)].map(([, line]) => line!)
    const shown = [...page.matchAll(/<pre[^>]*><code>(.*?)<\/code>/g)].map(([, line]) =>
      line!
        .replace(/<[^>]*>/g, '')
        .replaceAll('&amp;', '&')
        .replaceAll('&#39;', "'")
        .replaceAll('&quot;', '"'),
    )
    expect(lines).toHaveLength(3)
    expect(shown).toEqual(lines)
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    expect(readme).toContain(lines.map((line) => line.replace(url, 'http://127.0.0.1:4600')).join('\n'))
  })

  it('escape control characters of a seed', async () => {
    const seed = seedFile({ projects: { '\u001b[31mred\u0007': {} } })
    const { err } = await startHere(['--log', 'pretty', '--seed', seed])
    expect(err).toContain('red')
    expect(err).not.toMatch(/[^\n\P{Cc}]/u)
  })
})

it.skipIf(process.platform === 'darwin')('the output of a command is an error if it cannot be written', () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const { status, stderr } = spawnSync(process.execPath, [cliPath, 'openapi'], { stdio: ['ignore', full, 'pipe'] })
  expect(String(stderr)).toMatch(/^The output cannot be written: ENOSPC.*\n$/)
  expect(status).toBe(1)
})

describe('the log', () => {
  const talk = async (url: string): Promise<void> => {
    const authorization = `Bearer ${token}`
    await request(`${url}/projects/fresh/users?email=a@b.c`, { headers: { authorization } })
    await requestJson(`${url}/projects/fresh/users`, 'POST', { email: 7 }, { authorization })
    await request(`${url}/a%0Ab%1Bc`)
  }

  it('warns of a list that a flag replaces', async () => {
    const { outcome, err } = await runMain(['--port=0', '--log=pretty', '--token=a'], { PAYLINK_MOCK_TOKENS: 'b,c' })
    if ('server' in outcome) void outcome.server.close()
    expect(err).toContain('Warning: --token replaces the whole list of PAYLINK_MOCK_TOKENS.\n')
  })

  it.runIf(process.env.SLOW_TESTS)('is nothing with --log silent', async () => {
    const mock = await startCli(['--log', 'silent'])
    await talk(mock.url)
    expect(await stopWith(mock, 'SIGTERM')).toMatchObject({ out: `paylink-mock ready on ${mock.url}\n`, err: '' })
  })

  it.runIf(process.env.SLOW_TESTS)('may lose its reader without stopping the mock', async () => {
    const mock = await startCli(['--log', 'pretty'])
    mock.child.stdout.destroy()
    mock.child.stderr.destroy()
    await talk(mock.url)
    await talk(mock.url)
    expect(await request(`${mock.url}/healthz`)).toMatchObject({ status: 200 })
    expect(await stopWith(mock, 'SIGTERM')).toMatchObject({ code: 0 })
  })

  // Prints the number of writes to stderr: logging the failure of a write would never end.
  const counting = `data:text/javascript,${encodeURIComponent(`
    const { stderr, stdout } = process
    const write = stderr.write.bind(stderr)
    let count = 0
    stderr.write = (...given) => (count++, write(...given))
    process.on('exit', () => stdout.write('written ' + count))
  `)}`
  const never = (): number => {
    const pipe = `${fileWith('')}.pipe`
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
    return openSync(pipe, 'r+')
  }

  it.each([
    ...(process.env.SLOW_TESTS ? [['is full', () => openSync('/dev/full', 'w')] as const] : []),
    ['has no reader', never] as const,
  ])('is written once to a stderr that %s, and the mock continues', async (_, open) => {
    const stderr = open()
    onTestFinished(() => closeSync(stderr))
    const args = ['--import', counting, cliPath, '--port', '0', '--log', 'json']
    const mock = run(args, {}, { stderr })
    const [, url] = await mock.says('out', /ready on (\S+)\n/)
    // More than the buffer of a pipe.
    const requests = 40
    for (let n = 0; n < requests; n++)
      expect(
        await request(`${url}/${'x'.repeat(4000)}`, { headers: { authorization: `Bearer ${token}` } }),
      ).toMatchObject({ status: 404 })
    const { code, out } = await stopWith(mock, 'SIGTERM')
    expect(code).toBe(0)
    // Besides the requests it logs that it is ready, and that it stops.
    expect(out).toContain(`written ${requests + 2}`)
  })
})

describe('the admin token', () => {
  const projects = '/__admin/projects'
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

  const formats = ['pretty', 'json', 'silent']
  it.each(formats)('is generated and printed once when bound to all interfaces, with --log %s', async (log) => {
    const { url, out, err } = await startHere(['--host', '0.0.0.0', '--log', log])
    const [, token = ''] = /PAYLINK_MOCK_ADMIN_TOKEN[^\n]*?(?<![\w-])([\w-]{20,})/.exec(err) ?? []
    expect(await request(url + projects)).toMatchObject({ status: 401, body: { code: 'adminTokenMissing' } })
    expect(await request(url + projects, bearer(token))).toMatchObject({ status: 200 })
    expect((out + err).split(token)).toHaveLength(2)
  })

  it('is different in every run', async () => {
    const tokens = await Promise.all(
      [1, 2].map(async () => {
        const { err } = await startHere(['--host', '0.0.0.0', '--log', 'silent'])
        return /([\w-]{20,})\s*$/.exec(err)?.[1]
      }),
    )
    expect(countDistinct(tokens)).toBe(2)
  })

  it.each([
    [['--host', '0.0.0.0', '--admin-token', 'none'], true],
    [['--host', '0.0.0.0', '--admin-token', 'tok_admin'], false],
    [['--host', '0.0.0.0'], false],
    [['--admin-token', 'none'], false],
  ])('leads to a warning only if the control API is open beyond this machine: %j', async (flags, isOpen) => {
    const { outcome, err } = await runMain(['--port', '0', '--log', 'pretty', ...flags])
    if ('server' in outcome) void outcome.server.close()
    expect(err.includes('Warning: The control API is open to everyone who can reach this machine')).toBe(isOpen)
  })
})

it('a mock starts in a read-only folder, for a user without a home', async () => {
  // Root may write everywhere, so another user is needed, who must be able to read the package.
  const nobody = { uid: 65_534, gid: 65_534 }
  const reads = () =>
    spawnSync(process.execPath, ['-e', 'fs.accessSync(process.argv[1])', cliPath], nobody).status === 0
  const user = process.getuid?.() === 0 && reads() ? nobody : {}
  const mock = run([cliPath, '--port', '0'], {}, { cwd: '/', ...user })
  const [, url = ''] = await mock.says('out', /ready on (\S+)\n/)
  expect((await fetch(`${url}/projects/acme/users`, { headers: { authorization: 'Bearer any' } })).status).toBe(200)
  mock.child.kill('SIGTERM')
  expect(await mock.ended()).toMatchObject({ code: 0 })
})
