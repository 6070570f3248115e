import { expect, it } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { createMock } from '../../src/node/index.ts'
import { runMain } from './support/main.ts'

const secret = 'S3CRETs3cret'
const withPassword = `https://ada:${secret}@mock.example`

it.each([
  ['health', [withPassword]],
  ['health', [`ftp://${secret}@mock.example`]],
  ['health', [`ada:${secret}@127.0.0.1:4600`]],
  ['health', [`${secret}@127.0.0.1:4600`]],
  ['health', [`http://ada:${secret}%40127.0.0.1:4600`]],
  ['health', ['http://127.0.0.1:1', withPassword]],
  ['start', [withPassword]],
  ['validate', [withPassword]],
  ['init', [`${withPassword}/seed.json`]],
  [withPassword, []],
  ['start', [`--seed=${withPassword}/seed.json`]],
  ['start', [`--public-url=${withPassword}`]],
  ['start', [`--public-url=ada:${secret}@mock.example`]],
  ['start', [`--public-url=${secret}@mock.example`]],
  ['start', [`--cors=${withPassword}`]],
  ['start', [`--cors=${secret}@mock.example`]],
  ['start', [`--allowed-hosts=${withPassword}`]],
  ['start', [`--allowed-hosts=ada:${secret}@mock.example`]],
  ['start', [`--allowed-hosts=${secret}@mock.example`]],
  ['start', [`--port=${withPassword}`]],
  ['start', [`--base-path=${withPassword}`]],
  ['start', [`--provider=${withPassword}`]],
  ['start', [`--clock=${withPassword}`]],
  ['start', [`--profile=${withPassword}`]],
  ['start', [`--log=${withPassword}`]],
  ['start', [`--behavior=${withPassword}`]],
  ['start', [`--behavior=createStatus=${withPassword}`]],
  ['start', [`--behavior=${withPassword}=201`]],
  ['start', [`--watch=${withPassword}`]],
  ['compare', [`--base-url=${withPassword}`, '--', 'true']],
  ['compare', [`--base-url=${secret}@mock.example`, '--', 'true']],
])('the message about an invalid %s %j hides the password of a URL', async (command, args) => {
  const { outcome, out, err } = await runMain([command, ...args])
  expect(outcome).toEqual({ exitCode: expect.toBeOneOf([1, 2]) })
  expect(err).toMatch(/^[^\n]+[.?]\n$/)
  expect(out + err).not.toContain(secret)
})

it.each(['PUBLIC_URL', 'CORS', 'ALLOWED_HOSTS', 'SEED', 'PORT'])(
  'the message about an invalid $PAYLINK_MOCK_%s hides the password of a URL',
  async (name) => {
    const { outcome, err } = await runMain([], { [`PAYLINK_MOCK_${name}`]: withPassword })
    expect(outcome).toEqual({ exitCode: expect.toBeOneOf([1, 2]) })
    expect(err).toContain('***@')
    expect(err).not.toContain(secret)
  },
)

const linkWithRedirect = { invoice: 'inv_1', partner: { redirectUrl: withPassword } }
const calls: [what: string, call: () => unknown][] = [
  ['publicUrl', () => createMock({ publicUrl: withPassword })],
  ['cors', () => createMock({ cors: [withPassword] })],
  ['allowedHosts', () => createMock().listen({ allowedHosts: [withPassword] })],
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
