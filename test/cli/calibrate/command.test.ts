import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMock } from '../../../src/node/index.ts'
import { cliPath, run } from '../support/cli.ts'
import { runMain } from '../support/main.ts'
import { startStandIn } from './stand-in.ts'

type StandIn = Awaited<ReturnType<typeof startStandIn>>

const flagsOf = ({ url, project, token, invoice }: Pick<StandIn, 'url' | 'project' | 'token' | 'invoice'>) => [
  '--base-url',
  url,
  '--project',
  project,
  '--token',
  token,
  '--invoice',
  invoice,
]
const noPauses = new URL('../support/no-pauses.js', import.meta.url).href
const nothing = { users: 0, activeLinks: 0, harmed: [] }

/** A path for a file, which is deleted after the test. */
const place = (name = 'behaviors.json'): string => {
  const directory = mkdtempSync(join(tmpdir(), 'paylink-mock-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return join(directory, name)
}

const jsonFile = (value: unknown): string => {
  const path = place()
  writeFileSync(path, JSON.stringify(value))
  return path
}

describe('calibrate', () => {
  it('prints its findings with their exchanges, and the created records', async () => {
    const service = await startStandIn()
    const { outcome, out, err } = await runMain(['calibrate', ...flagsOf(service), '--yes'])
    expect(outcome).toEqual({ exitCode: 0 })
    expect(out).toMatch(/^searchMatch +contains\n {2}200 POST \/projects\/acme\/users\/search /m)
    expect(out).toMatch(/^createStatus +has an unknown value: a create returns 202\n/m)
    expect(out).toMatch(/^wrongProjectToken +inconclusive: needs an existing project /m)
    expect(out).toMatch(/^Beyond the specification:\n {2}a user has the field 'tenant'/m)
    expect(out).toMatch(/^Payment links created and canceled: pml_\d+\n/m)
    expect(out.split('\n').filter((line) => line.length > 160)).toEqual([])
    expect(err).toMatch(/^This run probes 21 behaviors of project 'acme' at \S+/)
    expect(err).toMatch(/payment links: canceled at the end\. They cannot be deleted\.$/m)
    expect(out + err).not.toContain(service.token)
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('prints only JSON on stdout with --json', async () => {
    const service = await startStandIn()
    const { out } = await runMain(['calibrate', ...flagsOf(service), '--yes', '--json', '--only', 'searchMatch'])
    const report = JSON.parse(out)
    expect(report).toMatchObject({
      behaviors: { searchMatch: 'contains' },
      findings: [{ key: 'searchMatch', outcome: 'observed', value: 'contains' }],
      leftBehind: [],
    })
    expect(report.findings[0].exchanges[0]).toMatchObject({
      method: 'POST',
      path: '/projects/acme/users/search',
      headers: { authorization: 'Bearer ***' },
      status: 200,
    })
    expect(out).not.toContain(service.token)
  })

  it('escapes control characters of the service', async () => {
    const name = '\u001B[2J'
    const service = await startStandIn({
      failureOf: (method, path) => {
        if (method === 'DELETE') return { isDone: false, status: 500 }
        if (path === '/users/search') return { isDone: false, status: 200, text: '{"items":[]}' }
        if (method === 'GET' && path === '/users') return undefined
        const text = JSON.stringify({ id: name, [name]: 1, email: 'paylink-mock-calibrate+aaaaaaaaaa.1@example.com' })
        return { isDone: false, status: 201, text }
      },
    })
    const random = vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => random.mockRestore())
    const flags = ['calibrate', ...flagsOf(service), '--only', 'createStatus', '--yes']
    const { out, err } = await runMain(flags)
    expect(out).toContain("a user has the field '")
    expect(err).toMatch(/^User '.*' was not deleted: /m)
    expect(out + err).not.toContain('\u001B')
  })

  it('cuts a line that is too long, and marks the cut', async () => {
    const service = await startStandIn()
    const { out } = await runMain(['calibrate', ...flagsOf(service), '--only', 'metadataLimits', '--yes'])
    const lines = out.split('\n').filter((line) => line.startsWith('  200 PATCH'))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toMatch(/^.{147}\.\.\.$/)
  })

  it('accepts a base URL with trailing slashes', async () => {
    const service = await startStandIn()
    const flags = flagsOf({ ...service, url: `${service.url}//` })
    const { outcome } = await runMain(['calibrate', ...flags, '--only', 'errorFormat', '--yes'])
    expect(outcome).toEqual({ exitCode: 0 })
    expect(service.seen.slice(0, 2)).toEqual(['GET /v2/projects/acme/users?limit=1', 'POST /v2/projects/acme/users'])
  })

  it.each([['createStatus, errorFormat'], ['errorFormat', '--only', 'createStatus'], [' errorFormat ,createStatus ']])(
    'asks only for the behaviors of --only %s',
    async (...only) => {
      const service = await startStandIn()
      const { out } = await runMain(['calibrate', ...flagsOf(service), '--only', ...only, '--yes', '--json'])
      expect(JSON.parse(out).findings.map(({ key }: { key: string }) => key)).toEqual(['createStatus', 'errorFormat'])
    },
  )

  it.each([[[]], [['--json']]])('sends nothing on a dry run with %j', async (more) => {
    const service = await startStandIn()
    const { outcome, out } = await runMain(['calibrate', ...flagsOf(service), '--dry-run', ...more])
    expect(outcome).toEqual({ exitCode: 0 })
    expect(out).toContain('POST /paymentLinks/{paymentLink}/cancel, twice')
    expect(out).toContain('up to 3 payment links')
    expect(service.seen).toEqual([])
  })

  it.each([[['--yes']], [['--dry-run']]])('sends nothing with %j when the seed cannot be written', async (more) => {
    const service = await startStandIn()
    const file = jsonFile({})
    const places = [
      [`${dirname(file)}/none/x.json`, 'the folder does not exist'],
      [dirname(file), 'it is a directory'],
      [`${file}/x.json`, 'part of its path is not a directory'],
    ] as const
    for (const [out, why] of places)
      expect(await runMain(['calibrate', ...flagsOf(service), '--out', out, ...more])).toEqual({
        outcome: { exitCode: 1 },
        out: '',
        err: `The seed ${out} cannot be written: ${why}.\n`,
      })
    expect(service.seen).toEqual([])
  })

  it('prints the confirmation of a run on a dry run', async () => {
    const service = await startStandIn()
    const flags = ['calibrate', ...flagsOf(service), '--only', 'errorFormat']
    const { out } = await runMain([...flags, '--dry-run'])
    const { first } = JSON.parse((await runMain([...flags, '--dry-run', '--json'])).out)
    expect(out).toMatch(/^Before all others\n {2}GET \/users\?limit=1, to check the address and the token\n/)
    expect(first).toMatch(/^GET \/users\?limit=1,/)
    await runMain([...flags, '--yes'])
    expect(service.seen[0]).toBe('GET /v2/projects/acme/users?limit=1')
  })

  it('writes no seed on a dry run, and announces which file it would overwrite', async () => {
    const out = place()
    expect(await runMain(['calibrate', '--dry-run', '--out', out])).toMatchObject({ outcome: { exitCode: 0 } })
    expect(existsSync(out)).toBe(false)
    const precious = jsonFile({ idSeed: 'mine' })
    const { outcome, err } = await runMain(['calibrate', '--dry-run', '--out', precious])
    expect(outcome).toEqual({ exitCode: 2 })
    expect(err).toContain('--out would overwrite')
  })

  it('needs no URL for a dry run', async () => {
    expect(await runMain(['calibrate', '--dry-run'])).toMatchObject({ outcome: { exitCode: 0 }, err: '' })
  })

  it('sends nothing without a terminal, unless --yes', async () => {
    const service = await startStandIn()
    const { outcome, out, err } = await runMain(['calibrate', ...flagsOf(service)])
    expect({ outcome, out }).toEqual({ outcome: { exitCode: 2 }, out: '' })
    expect(err).toBe('calibrate writes to a live service. Allow it with --yes, or see the requests with --dry-run.\n')
    expect(service.seen).toEqual([])
  })

  it.each([
    ['y', 0],
    ['yes', 0],
    [' YES ', 0],
    ['', 1],
    ['no', 1],
    ['yesterday', 1],
    ['n y', 1],
  ])('asks for confirmation at the terminal: %j', async (answer, exitCode) => {
    const service = await startStandIn()
    const asked: string[] = []
    const { outcome } = await runMain(
      ['calibrate', ...flagsOf(service), '--only', 'errorFormat'],
      {},
      { onTerminal: true, ask: async (question) => (asked.push(question), answer) },
    )
    expect(outcome).toEqual({ exitCode })
    expect(asked).toEqual(['Continue? [y/N] '])
    expect(service.seen.length > 0).toBe(exitCode === 0)
  })

  it('shows its progress on a terminal', async () => {
    const service = await startStandIn()
    const flags = ['--only', 'errorFormat,createStatus', '--yes']
    const { err } = await runMain(['calibrate', ...flagsOf(service), ...flags], {}, { onTerminal: true })
    expect(err).toContain('1/2 errorFormat')
    // Each line overwrites the previous one, and the last one is cleared.
    const line = '\r\u001B[K'
    expect(err).toContain(`${line}1/2 errorFormat${line}2/2 createStatus${line}`)
    expect(err).not.toMatch(/createStatus\n/)
  })

  it('shows no progress without a terminal', async () => {
    const service = await startStandIn()
    const { err } = await runMain(['calibrate', ...flagsOf(service), '--only', 'errorFormat', '--yes'])
    expect(err).not.toMatch(/1\/1|\r/)
  })

  it('ends with exit code 130 when the confirmation is interrupted', async () => {
    const service = await startStandIn()
    const interruption = new AbortController()
    const { outcome, err } = await runMain(
      ['calibrate', ...flagsOf(service), '--only', 'errorFormat'],
      {},
      {
        onTerminal: true,
        onInterrupt: () => interruption.signal,
        ask: async (_, signal) => {
          interruption.abort()
          return signal?.aborted ? '' : 'y'
        },
      },
    )
    expect(outcome).toEqual({ exitCode: 130 })
    expect(err).toMatch(/^Nothing was sent\.$/m)
    expect(service.seen).toEqual([])
  })

  it.each([
    [true, /^Interrupted; everything it created was undone\.$/m],
    [false, /^Interrupted\.\n(?:.*\n)?User 'usr_\d+' was not deleted: DELETE \S+ returned 403\.$/m],
  ])(
    'ends with exit code 130 when it is interrupted, and says what is left where mayDelete is %s',
    async (mayDelete, said) => {
      const interruption = new AbortController()
      const service = await startStandIn({
        mayDelete,
        onRequest: (method, path) => {
          if (method === 'POST' && path.endsWith('/users')) interruption.abort()
        },
      })
      const { outcome, out, err } = await runMain(
        ['calibrate', ...flagsOf(service), '--yes'],
        {},
        { onInterrupt: () => interruption.signal },
      )
      expect({ outcome, out }).toEqual({ outcome: { exitCode: 130 }, out: '' })
      expect(err).toMatch(said)
      // The record stays, without a report that names it.
      expect(err).toMatch(/^Payment links created and canceled: pml_\d+$/m)
    },
  )

  it('ends with exit code 1 when the run fails, and lists the remaining records', async () => {
    const service = await startStandIn({
      mayDelete: false,
      failureOf: (method) => (method === 'PATCH' ? { isDone: false } : undefined),
    })
    const flags = ['calibrate', ...flagsOf(service), '--only', 'metadataUpdate', '--yes']
    const { outcome, out, err } = await runMain(flags)
    expect({ outcome, out }).toEqual({ outcome: { exitCode: 1 }, out: '' })
    expect(err).toMatch(
      / does not respond to PATCH \S+ \(.+\)\.\nUser 'usr_\d+' was not deleted: DELETE \S+ returned 403\.$/m,
    )
  })

  it.each([
    ['a wrong token', { token: 'tok_wrong_secret' }, /^The service rejects the token: .*; check --token\.$/m],
    ['an unknown project', { project: 'acne' }, /^The service has no project 'acne'/m],
    [
      'an unknown invoice',
      { invoice: 'inv_odd' },
      /^The service does not create a payment link for invoice 'inv_odd'/m,
    ],
    ['a service that is not there', { url: 'http://127.0.0.1:9' }, /^http:\/\/127\.0\.0\.1:9 does not respond/m],
  ])('ends with exit code 1 and one sentence for %s, and leaves nothing', async (_, wrong, sentence) => {
    const service = await startStandIn()
    const flags = flagsOf({ ...service, ...wrong })
    const { outcome, out, err } = await runMain(['calibrate', ...flags, '--yes'])
    expect({ outcome, out }).toEqual({ outcome: { exitCode: 1 }, out: '' })
    expect(err).toMatch(sentence)
    // The announcement and the sentence.
    expect(err.split('\n').filter((line) => /^\S/.test(line))).toHaveLength(2)
    expect(err).not.toMatch(/tok_wrong|tok_real/)
    expect(service.leftBehind()).toEqual(nothing)
  })

  it.each([
    [['--only', 'createStats'], "--only: there is no behavior 'createStats'; did you mean 'createStatus'?"],
    [['--only', 'wrongProjectToken'], /^--only: 'wrongProjectToken' cannot be probed: it needs an existing project /],
    [['--token', 'a', '--token', 'b'], 'calibrate takes one --token (got 2).'],
    [['--base-url', 'api.example'], /^--base-url must be an http or https address/],
    [['--base-url', 'https://user:pass@api.example'], /^--base-url must be an http or https address/],
    [['--base-url', 'https://api.example?a=1'], /^--base-url must be an http or https address/],
    [['--base-url', 'https://api.example/#a'], /^--base-url must be an http or https address/],
    [['--project', '..'], /^--project must be text that a URL can contain/],
    [['--provider', 'user'], /^--provider must not be the name of another field/],
    [['--port', '1'], '--port is a flag of start and health, not of calibrate.'],
    [['--behaviors', 'x.json'], '--behaviors is a flag of drift, not of calibrate.'],
    [['--dryrun'], 'Unknown flag --dryrun; did you mean --dry-run?'],
  ])('rejects %j with exit code 2 and one sentence', async (more, sentence) => {
    const flags = flagsOf({ url: 'http://127.0.0.1:9', project: 'acme', token: 't', invoice: 'inv_1' })
    const given = more[0] === '--token' ? flags.filter((flag) => flag !== '--token' && flag !== 't') : flags
    const { outcome, err } = await runMain(['calibrate', ...given, ...more, '--yes'])
    expect(outcome).toEqual({ exitCode: 2 })
    expect(err).toMatch(/^[^\n]+\n$/)
    expect(err.trimEnd()).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence))
  })

  it.each([
    ['calibrate', '--base-url', 'foo', /^--base-url must be an http or https address/],
    ['calibrate', '--token', 'two words', /^--token must be /],
    ['drift', '--base-url', 'foo', /^--base-url must be an http or https address/],
  ])('rejects %s %s %s for a dry run too', async (command, flag, value, sentence) => {
    const file = command === 'drift' ? ['--behaviors', jsonFile({ behaviors: { createStatus: 201 } })] : []
    const { outcome, out, err } = await runMain([command, ...file, flag, value, '--dry-run'])
    expect({ outcome, out }).toEqual({ outcome: { exitCode: 2 }, out: '' })
    expect(err).toMatch(sentence)
  })

  describe.each(['calibrate', 'drift'])('of %s', (command) => {
    it.each([
      'http://u:PASS@h/',
      'https://PASS@h',
      'http://u:PA/SS@h',
      'http://u:PA@SS@h',
      'ftp://u:PASS@h',
      'http://u:PASS%40h',
      'u:PASS@h',
      '//u:PASS@h',
    ])('prints no password of the base URL %s', async (url) => {
      const file = jsonFile({ behaviors: { createStatus: 201 } })
      const args = command === 'drift' ? ['drift', '--behaviors', file] : ['calibrate']
      const said = [
        await runMain([...args, '--base-url', url, '--dry-run']),
        await runMain([...args, '--yes'], { PAYLINK_MOCK_BASE_URL: url }),
      ]
      for (const { outcome, out, err } of said) {
        expect(outcome).toEqual({ exitCode: 2 })
        expect((out + err).replace('PAYLINK', '')).not.toMatch(/PA|SS/)
        expect(err).toMatch(/ must be an http or https address .*\*\*\*@h\/?'\)\.$/m)
      }
    })
  })

  it.each(['base-url', 'project', 'token', 'invoice'])('needs --%s, or its variable', async (name) => {
    const flags = flagsOf({ url: 'http://127.0.0.1:9', project: 'acme', token: 't', invoice: 'inv_1' })
    const at = flags.indexOf(`--${name}`)
    const given = ['calibrate', ...flags.toSpliced(at, 2), '--yes']
    expect(await runMain(given)).toMatchObject({
      outcome: { exitCode: 2 },
      err: `calibrate needs --${name}; see paylink-mock --help.\n`,
    })
    const variable = `PAYLINK_MOCK_${name.toUpperCase().replace('-', '_')}${name === 'token' ? 'S' : ''}`
    const { err } = await runMain(given, { [variable]: flags[at + 1]! })
    expect(err).toMatch(/does not respond/)
  })

  it('names the invalid variable', async () => {
    const { outcome, err } = await runMain(['calibrate', '--dry-run'], { PAYLINK_MOCK_BASE_URL: 'foo' })
    expect(outcome).toEqual({ exitCode: 2 })
    expect(err).toMatch(/^PAYLINK_MOCK_BASE_URL must be an http or https address/)
  })

  it('needs no invoice for behaviors whose probes create no link', async () => {
    const service = await startStandIn()
    const flags = flagsOf(service).slice(0, -2)
    const { outcome } = await runMain(['calibrate', ...flags, '--only', 'errorFormat', '--yes'])
    expect(outcome).toEqual({ exitCode: 0 })
  })

  it('ends with exit code 1 when records remain, and lists them', async () => {
    const service = await startStandIn({ mayDelete: false })
    const { outcome, err } = await runMain(['calibrate', ...flagsOf(service), '--only', 'createStatus', '--yes'])
    expect(outcome).toEqual({ exitCode: 1 })
    expect(err).toMatch(/^User 'usr_\d+' was not deleted: DELETE \S+ returned 403\.$/m)
  })

  it('writes a seed that gives a mock the same behaviors', async () => {
    const out = place()
    const behaviors = {
      createStatus: 200,
      invoiceIds: 'seeded',
      unknownProject: 'notFound',
      searchMatch: 'exact',
    } as const
    const service = createMock({ behaviors, seed: { projects: { shop: { invoices: ['inv_a'] } } } })
    onTestFinished(() => service.close())
    const { url } = await service.listen()
    const flags = flagsOf({ url, project: 'shop', token: 'tok_secret', invoice: 'inv_a' })
    const { outcome } = await runMain(['calibrate', ...flags, '--out', out, '--yes'])
    expect(outcome).toEqual({ exitCode: 0 })
    const text = readFileSync(out, 'utf8')
    expect(text).not.toContain('tok_secret')
    const seed = JSON.parse(text)
    expect(seed.behaviors).toMatchObject(behaviors)

    const mock = createMock({ seed })
    onTestFinished(() => mock.close())
    const again = await mock.listen()
    const same = await runMain([
      'drift',
      ...flagsOf({ ...again, project: 'shop', token: 't', invoice: 'inv_a' }),
      '--behaviors',
      out,
      '--yes',
    ])
    expect(same.outcome).toEqual({ exitCode: 0 })
    // The file may be overwritten.
    expect((await runMain(['calibrate', ...flags, '--out', out, '--yes'])).outcome).toEqual({ exitCode: 0 })
  })

  it('does not overwrite a seed with records', async () => {
    const service = await startStandIn()
    const out = jsonFile({ projects: { acme: { users: [{ email: 'ada@example.com' }] } } })
    const { outcome, err } = await runMain(['calibrate', ...flagsOf(service), '--out', out, '--yes'])
    expect(outcome).toEqual({ exitCode: 2 })
    expect(err).toContain('--out would overwrite')
    expect(service.seen).toEqual([])
  })

  it('writes no seed when it ends early', async () => {
    const service = await startStandIn()
    const out = place()
    await runMain(['calibrate', ...flagsOf({ ...service, token: 'wrong' }), '--out', out, '--yes'])
    expect(existsSync(out)).toBe(false)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('cleans up and ends with exit code 130 on %s', async (signal) => {
    let interrupted = false
    const service = await startStandIn({
      // The signal arrives while a user is being created, before the response.
      onRequest: async (method, path) => {
        if (interrupted || method !== 'POST' || !path.endsWith('/users')) return
        interrupted = true
        child.child.kill(signal)
      },
    })
    const child = run(['--import', noPauses, cliPath, 'calibrate', ...flagsOf(service), '--yes'])
    const { code, out, err } = await child.ended()
    expect({ code, out }).toEqual({ code: 130, out: '' })
    expect(err).toMatch(/^Interrupted; everything it created was undone\.$/m)
    expect(service.links.size).toBeGreaterThan(1)
    expect(service.leftBehind()).toEqual(nothing)
  })
})

describe('drift', () => {
  const behaviors = { cancelInactive: 'conflict', searchMatch: 'contains', emailVerifiedOnChange: 'reset' } as const

  it('ends with exit code 0 when nothing has changed, and lists the inconclusive behaviors', async () => {
    const service = await startStandIn()
    const flags = [
      ...flagsOf(service),
      '--behaviors',
      jsonFile({ behaviors: { ...behaviors, wrongProjectToken: 403 } }),
    ]
    const { outcome, out } = await runMain(['drift', ...flags, '--yes'])
    expect(outcome).toEqual({ exitCode: 0 })
    expect(out).toMatch(/^emailVerifiedOnChange +inconclusive: needs a verified user/m)
    expect(out).toMatch(/^wrongProjectToken +inconclusive: /m)
    expect(out).toMatch(/^0 changed, 2 unchanged, 2 inconclusive\.$/m)
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('ends with exit code 1 when a behavior has changed, with the old and the new value', async () => {
    const service = await startStandIn({ cancelTwice: 418 })
    const file = jsonFile({ behaviors: { ...behaviors, searchMatch: 'exact' } })
    const { outcome, out } = await runMain(['drift', ...flagsOf(service), '--behaviors', file, '--yes'])
    expect(outcome).toEqual({ exitCode: 1 })
    expect(out).toMatch(/^searchMatch +contains, was exact\n/m)
    expect(out).toMatch(/^cancelInactive +has an unknown value: the second cancel returns 418, was conflict\n/m)
    expect(out).toMatch(/^2 changed, 0 unchanged, 1 inconclusive\.$/m)
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('lists the remaining records although a behavior has changed', async () => {
    const service = await startStandIn({ mayDelete: false })
    const flags = [...flagsOf(service), '--behaviors', jsonFile({ behaviors: { searchMatch: 'exact' } })]
    const { outcome, out, err } = await runMain(['drift', ...flags, '--yes'])
    expect(outcome).toEqual({ exitCode: 1 })
    expect(out).toMatch(/^1 changed, 0 unchanged, 0 inconclusive\.$/m)
    expect(err).toMatch(/^User 'usr_\d+' was not deleted: /m)
  })

  it('ends with exit code 1 when records remain although nothing has changed', async () => {
    const service = await startStandIn({ mayDelete: false })
    const flags = [...flagsOf(service), '--behaviors', jsonFile({ behaviors: { searchMatch: 'contains' } })]
    const { outcome, err } = await runMain(['drift', ...flags, '--yes'])
    expect(outcome).toEqual({ exitCode: 1 })
    expect(err).toMatch(/^User 'usr_\d+' was not deleted: /m)
  })

  it('probes a behavior whose value is false', async () => {
    const service = await startStandIn()
    const flags = [...flagsOf(service), '--behaviors', jsonFile({ behaviors: { emailVerifiedOnCreate: false } })]
    const { outcome, out } = await runMain(['drift', ...flags, '--yes'])
    expect(outcome).toEqual({ exitCode: 0 })
    expect(out).toMatch(/^0 changed, 1 unchanged, 0 inconclusive\.$/m)
  })

  it('prints JSON with --json', async () => {
    const service = await startStandIn()
    const file = jsonFile({ behaviors: { searchMatch: 'exact' } })
    const { out } = await runMain(['drift', ...flagsOf(service), '--behaviors', file, '--yes', '--json'])
    expect(JSON.parse(out).changes).toMatchObject([{ key: 'searchMatch', was: 'exact', now: { value: 'contains' } }])
  })

  it('probes only the behaviors of the file', async () => {
    const service = await startStandIn()
    const flags = [...flagsOf(service), '--behaviors', jsonFile({ behaviors: { invalidBodyStatus: '400' } })]
    const { outcome, out } = await runMain(['drift', ...flags, '--yes'])
    expect(outcome).toEqual({ exitCode: 0 })
    expect(out).toMatch(/^0 changed, 1 unchanged, 0 inconclusive\.$/m)
  })

  it.each([
    ['no file', [], 2, 'drift needs the expected behaviors: --behaviors FILE.'],
    ['a file that is not there', ['--behaviors', '/no/such.json'], 1, /^The seed \/no\/such\.json cannot be read/],
    ['a file without behaviors', ['--behaviors', 'EMPTY'], 1, /has no behaviors; paylink-mock calibrate --out writes/],
  ])('rejects %s with one sentence', async (_, more, exitCode, sentence) => {
    const service = await startStandIn()
    const flags = more.map((flag) => (flag === 'EMPTY' ? jsonFile({}) : flag))
    const { outcome, err } = await runMain(['drift', ...flagsOf(service), ...flags, '--yes'])
    expect(outcome).toEqual({ exitCode })
    expect(err.trimEnd()).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence))
    expect(service.seen).toEqual([])
  })
})
