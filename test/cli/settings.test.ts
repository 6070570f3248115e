import { describe, expect, it } from 'vitest'
import { readArgs } from '../../src/command-line/args.ts'
import { type Settings, readSettings } from '../../src/command-line/flag-values.ts'
import { runMain } from './support/main.ts'
import { connect } from '../../src/core/client/index.ts'
import { createMock } from '../../src/node/index.ts'

const read = (argv: readonly string[], env: Readonly<Record<string, string>> = {}, onTerminal = false): Settings =>
  readSettings(readArgs(argv, env), onTerminal)

describe('readSettings', () => {
  it('has the defaults of the documentation', () => {
    expect(read([])).toEqual({ mock: {}, listen: { port: 4600 }, watch: false, seed: 'demo', log: 'json' })
  })

  it('logs for a person on a terminal, and for machines elsewhere', () => {
    expect(read([], {}, true).log).toBe('pretty')
    expect(read([], {}, false).log).toBe('json')
    expect(read(['--log', 'json'], {}, true).log).toBe('json')
  })

  it.each([
    ['--port', '0', { listen: { port: 0 } }],
    ['--port', '65535', { listen: { port: 65_535 } }],
    ['--host', '0.0.0.0', { listen: { host: '0.0.0.0' } }],
    ['--base-path', '/v1', { mock: { basePath: '/v1' } }],
    ['--base-path', '/v1/', { mock: { basePath: '/v1' } }],
    ['--base-path', '/', { mock: { basePath: '' } }],
    ['--provider', 'acmepay', { mock: { provider: 'acmepay' } }],
    ['--seed', 'a.json', { seed: 'a.json' }],
    ['--token', 'tok_1', { mock: { tokens: ['tok_1'] } }],
    ['--admin-token', 'none', { listen: { adminToken: 'none' } }],
    ['--allowed-hosts', 'a.example, *.b.example', { listen: { allowedHosts: ['a.example', '*.b.example'] } }],
    ['--allowed-hosts', 'Mock.example:80,[::1]', { listen: { allowedHosts: ['Mock.example:80', '[::1]'] } }],
    ['--clock', 'real', { mock: { clock: { mode: 'real' } } }],
    ['--clock', 'frozen', { mock: { clock: { mode: 'frozen' } } }],
    ['--clock', 'stepping', { mock: { clock: { mode: 'stepping' } } }],
    ['--clock', '2025-03-01T00:00:00Z', { mock: { clock: { mode: 'frozen', now: '2025-03-01T00:00:00.000Z' } } }],
    ['--id-seed', 'mine', { mock: { idSeed: 'mine' } }],
    ['--behavior', 'createStatus=200', { mock: { behaviors: { createStatus: 200 } } }],
    ['--behavior', 'emailVerifiedOnCreate=false', { mock: { behaviors: { emailVerifiedOnCreate: false } } }],
    ['--behavior', 'cancelInactive=idempotent', { mock: { behaviors: { cancelInactive: 'idempotent' } } }],
    ['--public-url', 'https://mock.example/', { mock: { publicUrl: 'https://mock.example' } }],
    ['--cors', 'https://shop.example', { mock: { cors: ['https://shop.example'] } }],
    ['--cors', '*', { mock: { cors: ['*'] } }],
    ['--log', 'silent', { log: 'silent' }],
    ['--profile', 'strict', { mock: { profile: 'strict' } }],
    ['--max-sandboxes', '0', { mock: { maxSandboxes: 0 } }],
    ['--body-limit', '1', { mock: { bodyLimit: 1 } }],
    ['--body-limit', '1073741824', { mock: { bodyLimit: 1_073_741_824 } }],
    ['--journal-size', '1000000', { mock: { journalSize: 1_000_000 } }],
  ])('reads %s %s', (flag, value, settings) => {
    expect(read([flag, value])).toMatchObject(settings)
  })

  it('reads the last value of a flag that is repeated', () => {
    const flags = '--seed a.json --seed b.json --port 1 --port 2 --clock=real --clock=frozen'
    expect(read(flags.split(' '))).toMatchObject({
      seed: 'b.json',
      listen: { port: 2 },
      mock: { clock: { mode: 'frozen' } },
    })
  })

  it('takes a behavior that is given twice with the same value', () => {
    const flags = ['--behavior=createStatus=200', '--behavior=createStatus=200']
    expect(read(flags).mock.behaviors).toEqual({ createStatus: 200 })
  })

  it('merges the values of --behavior over those of its variable, key by key', () => {
    const env = { PAYLINK_MOCK_BEHAVIORS: 'cancelInactive=idempotent,createStatus=201' }
    expect(read(['--behavior', 'createStatus=200'], env).mock.behaviors).toEqual({
      cancelInactive: 'idempotent',
      createStatus: 200,
    })
  })

  it('takes all of a flag that is repeatable', () => {
    const flags = '--token a --token b --behavior=createStatus=200 --behavior=unknownFields=reject'
    const { mock } = read(flags.split(' '))
    expect(mock).toMatchObject({ tokens: ['a', 'b'], behaviors: { createStatus: 200, unknownFields: 'reject' } })
  })
})

describe('main rejects', () => {
  const port = 'must be an integer from 0 to 65535'
  const clock = "must be 'real', 'frozen', 'stepping' or a time to freeze at such as '2025-01-01T00:00:00.000Z'"
  const path = "must be a path such as '/v1'"

  it.each([
    ['--port', 'abc', `--port ${port} (got 'abc').`],
    ['--port', '65536', `--port ${port} (got '65536').`],
    ['--port', ' 1', `--port ${port} (got ' 1').`],
    ['--body-limit', '0', "--body-limit must be an integer from 1 to 1073741824 (got '0')."],
    ['--journal-size', '1000001', "--journal-size must be an integer from 0 to 1000000 (got '1000001')."],
    ['--body-limit', '1MB', "--body-limit must be an integer from 1 to 1073741824 (got '1MB')."],
    ['--clock', 'slow', `--clock ${clock} (got 'slow').`],
    ['--clock', '2025-02-30T00:00:00Z', `--clock ${clock} (got '2025-02-30T00:00:00Z').`],
    ['--provider', 'user', "--provider must not be the name of another field (got 'user')."],
    ['--base-path', 'v1', `--base-path ${path} (got 'v1').`],
    ['--base-path', '//v1', `--base-path ${path} (got '//v1').`],
    ['--base-path', '/{v}', `--base-path ${path} (got '/{v}').`],
    ['--base-path', '/..', `--base-path ${path} (got '/..').`],
    ['--behavior', 'createStats=200', "--behavior: there is no behavior 'createStats'; did you mean 'createStatus'?"],
    ['--behavior', 'createStatus=202', "--behavior createStatus must be 201 or 200 (got '202')."],
    ['--behavior', 'createStatus', "--behavior must be KEY=VALUE (got 'createStatus')."],
    ['--base-path', '/__admin', "--base-path must not be a path of the mock itself (got '/__admin')."],
    ['--behavior', 'cancelInactive=conflict=1', /^--behavior cancelInactive must be 'conflict' or 'idempotent'/],
    ['--behavior', '=x', /^--behavior: there is no behavior ''; the keys are createStatus, /],
    ['--behavior', '__proto__=x', /^--behavior: there is no behavior '__proto__'/],
    ['--log', 'loud', "--log must be 'pretty', 'json' or 'silent' (got 'loud')."],
    ['--cors', 'shop.example', /^--cors must be an origin such as 'https:\/\/.*, or '\*' \(got 'shop.example'\)\./],
    ['--public-url', 'mock.example', /^--public-url must be an http or https address/],
    ['--public-url', 'https://mock.example/?a=1', /^--public-url must be an http or https address/],
  ])('%s %s with exit code 2 and one sentence', async (flag, value, sentence) => {
    const { outcome, out, err } = await runMain(['start', `${flag}=${value}`])
    expect({ outcome, out }).toEqual({ outcome: { exitCode: 2 }, out: '' })
    expect(err).toMatch(/^[^\n]+[.?]\n$/)
    if (sentence instanceof RegExp) expect(err).toMatch(sentence)
    else expect(err).toBe(`${sentence}\n`)
  })

  const wrongHosts = ['http://mock.example', 'mock.example/', '*', 'a.*.example', '*.', 'a b', 'mück.example']
  it.each(wrongHosts)('allowed hosts that no Host can be: %s', async (hosts) => {
    const { outcome, err } = await runMain([`--allowed-hosts=${hosts}`, '--seed', '/no/such/seed.json'])
    expect(outcome).toEqual({ exitCode: 2 })
    expect(err).toMatch(/^--allowed-hosts must be a host name such as 'mock\.example' or '\*\.mock\.example' \(got /)
  })

  it.each([
    ['PORT', 'abc', `${port} (got 'abc')`],
    ['BODY_LIMIT', '1MB', "must be an integer from 1 to 1073741824 (got '1MB')"],
    ['CLOCK', 'slow', `${clock} (got 'slow')`],
    ['BASE_PATH', 'v1', `${path} (got 'v1')`],
    ['LOG', 'loud', "must be 'pretty', 'json' or 'silent' (got 'loud')"],
    ['BEHAVIORS', 'createStatus=200,createStatus', "must be KEY=VALUE (got 'createStatus')"],
    ['BEHAVIORS', 'createStatus=202', "createStatus must be 201 or 200 (got '202')"],
    ['BEHAVIORS', 'createStatus=200,,', 'has an empty entry'],
    ['BEHAVIORS', 'createStatus=200,createStatus=201', 'sets createStatus to both 200 and 201'],
    ['TOKENS', 'tok_1,,tok_2', 'has an empty entry'],
    ['TOKENS', 'tok_1,s3cret-ü', 'must be one or more visible ASCII characters without spaces'],
    ['ADMIN_TOKEN', 's3cret with spaces', 'must be one or more visible ASCII characters without spaces'],
  ])('a bad $PAYLINK_MOCK_%s like the flag, with its name', async (variable, value, sentence) => {
    const { outcome, err } = await runMain([], { [`PAYLINK_MOCK_${variable}`]: value })
    expect(outcome).toEqual({ exitCode: 2 })
    expect(err).toBe(`PAYLINK_MOCK_${variable} ${sentence}.\n`)
  })

  it('a behavior that there is not in a variable, by its name', async () => {
    const { err } = await runMain([], { PAYLINK_MOCK_BEHAVIORS: 'createStats=200' })
    expect(err).toBe("PAYLINK_MOCK_BEHAVIORS: there is no behavior 'createStats'; did you mean 'createStatus'?\n")
  })

  it.each([
    ['createStatus=200', 'createStatus=202', 'PAYLINK_MOCK_BEHAVIORS'],
    ['createStatus=202', 'createStatus=200', '--behavior'],
  ])('a bad behavior by its source, with the flag %s and the variable %s', async (flag, variable, source) => {
    const { outcome, err } = await runMain(['--behavior', flag], { PAYLINK_MOCK_BEHAVIORS: variable })
    expect(outcome).toEqual({ exitCode: 2 })
    expect(err).toBe(`${source} createStatus must be 201 or 200 (got '202').\n`)
  })

  it('a behavior with two values', async () => {
    const { outcome, err } = await runMain(['--behavior=createStatus=200', '--behavior=createStatus=201'])
    expect(outcome).toEqual({ exitCode: 2 })
    expect(err).toBe('--behavior sets createStatus to both 200 and 201.\n')
  })

  it('the flag by its name where it beats a variable', async () => {
    const { err } = await runMain(['--port', 'abc'], { PAYLINK_MOCK_PORT: '1' })
    expect(err).toBe(`--port ${port} (got 'abc').\n`)
  })

  it.each([
    ['--token', 's3cret with spaces'],
    ['--admin-token', 's3cret with spaces'],
  ])('a %s that no header can carry (%s), and does not print it', async (flag, token) => {
    // A seed that is not there keeps the mock from starting where the token is let pass.
    const { outcome, err } = await runMain([flag, token, '--seed', '/no/such/seed.json'])
    expect(outcome).toEqual({ exitCode: 2 })
    expect(err).toMatch(new RegExp(`^${flag} `))
    expect(err).not.toContain('s3cret')
  })

  it.each([
    ['health', ['health', '--port', 'abc']],
    ['openapi', ['openapi', '--base-path', 'v1']],
  ])('the flags of %s too', async (_, argv) => {
    const { outcome, err } = await runMain(argv)
    expect(outcome).toEqual({ exitCode: 2 })
    expect(err).toMatch(/^--\S+ must be [^\n]+\n$/)
  })
})

const secret = 'S3CRETs3cret'
// With an `@` in the password itself.
const withPassword = `https://ada:${secret}@${secret}@mock.example`

it.each([
  ['health', [withPassword]],
  ['health', [`ftp://${secret}@mock.example`]],
  ['health', [`ada:${secret}@127.0.0.1:4600`]],
  ['health', [`http://ada:${secret}%40127.0.0.1:4600`]],
  ['health', ['http://127.0.0.1:1', withPassword]],
  ['start', [withPassword]],
  ['validate', [withPassword]],
  ['init', [`${withPassword}/seed.json`]],
  [withPassword, []],
  ['start', [`--seed=${withPassword}/seed.json`]],
  ['start', [`--public-url=${withPassword}`]],
  ['start', [`--cors=${withPassword}`]],
  ['start', [`--allowed-hosts=${withPassword}`]],
  ['start', [`--host=ada:${secret}@${secret}@mock.example`]],
  ['start', [`--port=${withPassword}`]],
  ['start', [`--base-path=${withPassword}`]],
  ['start', [`--provider=${withPassword}`]],
  ['start', [`--clock=${withPassword}`]],
  ['start', [`--behavior=${withPassword}`]],
  ['start', [`--behavior=createStatus=${withPassword}`]],
  ['start', [`--watch=${withPassword}`]],
  ['compare', [`--base-url=${withPassword}`, '--', 'true']],
])('the message about an invalid %s %j hides the password of a URL', async (command, args) => {
  const { outcome, out, err } = await runMain([command, ...args])
  expect(outcome).toEqual({ exitCode: expect.toBeOneOf([1, 2]) })
  expect(err).toMatch(/^[^\n]+[.?]\n$/)
  expect(out + err).not.toContain(secret)
})

const names = ['PUBLIC_URL', 'CORS', 'ALLOWED_HOSTS', 'SEED', 'HOST', 'PORT']
it.each(names)('the message about an invalid $PAYLINK_MOCK_%s hides the password of a URL', async (name) => {
  const { outcome, err } = await runMain([], { [`PAYLINK_MOCK_${name}`]: withPassword })
  expect(outcome).toEqual({ exitCode: expect.toBeOneOf([1, 2]) })
  expect(err).toContain('***@')
  expect(err).not.toContain(secret)
})

const linkWithRedirect = { invoice: 'inv_1', partner: { redirectUrl: withPassword } }
const calls: [what: string, call: () => unknown][] = [
  ['publicUrl', () => createMock({ publicUrl: withPassword })],
  ['cors', () => createMock({ cors: [withPassword] })],
  ['allowedHosts', () => createMock().listen({ allowedHosts: [withPassword] })],
  ['host', () => createMock().listen({ host: withPassword })],
  ['redirectUrl', () => createMock().project('acme').paymentLinks.create(linkWithRedirect)],
  ['redirectUrl of a seed', () => createMock({ seed: { projects: { acme: { paymentLinks: [linkWithRedirect] } } } })],
  ['address of connect', () => connect(withPassword)],
]

it.each(calls)('the error about an invalid %s hides the password of a URL', async (_, call) => {
  const error = await (async () => call())().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Error)
  const { message, details } = error as Error & { details?: unknown }
  expect(message).toContain('***@')
  expect(message + JSON.stringify(details)).not.toContain(secret)
})
