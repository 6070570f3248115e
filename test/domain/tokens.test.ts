// Proves: Tokens.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTokens, hashTokens, isSameSecret } from '../../src/core/domain/tokens.ts'
import { redactHeader } from '../../src/core/traffic/journal.ts'
import { createMock } from '../../src/node/index.ts'

describe('two secrets', () => {
  it.each([
    ['tok_secret', 'tok_secret', true],
    ['tok_secret', 'tok_secreT', false],
    ['tok_secret', 'Tok_secret', false],
    ['tok_secret', 'tok_secre', false],
    ['tok_secret', 'tok_secrett', false],
    // Repeated, it matches at every position.
    ['abab', 'ab', false],
    ['ab', 'abab', false],
    ['a', '', false],
    ['', 'a', false],
    ['', '', true],
  ])('%j and %j are equal: %s', (expected, presented, same) => {
    expect(isSameSecret(expected, presented)).toBe(same)
  })

  it('are compared in the same number of steps wherever they differ', () => {
    const stepsFor = (presented: string): number => {
      let steps = 0
      const counted = { length: presented.length, charCodeAt: (at: number) => (steps++, presented.charCodeAt(at)) }
      isSameSecret('tok_secret', counted as unknown as string)
      return steps
    }
    const wrong = Array.from('tok_secret', (_, at) => `${'tok_secret'.slice(0, at)}~${'tok_secret'.slice(at + 1)}`)
    expect(new Set([...wrong, 'tok_secret', '~~~~~~~~~~'].map(stepsFor))).toEqual(new Set([10]))
  })
})

const hashes = (tokens: ReturnType<typeof createTokens>, project?: string) =>
  tokens.list(project).items.map(({ hash }) => hash)
const hashOf = (token: string) => hashes(createTokens(hashTokens([{ token }])))

it('tokens are those of the new seed after a restart, also for a project that had its own', () => {
  const tokens = createTokens(hashTokens([{ token: 'old' }]))
  tokens.replace([{ token: 'own' }], 'acme')
  expect([hashes(tokens), hashes(tokens, 'acme')]).toEqual([hashOf('old'), hashOf('own')])
  tokens.restart(hashTokens([{ token: 'new' }]))
  expect([hashes(tokens), hashes(tokens, 'acme')]).toEqual([hashOf('new'), hashOf('new')])
  tokens.replace([])
  tokens.reset()
  expect(hashes(tokens)).toEqual(hashOf('new'))
  tokens.restart([])
  expect(hashes(tokens)).toEqual([])
})

it('a token is a hash in the journal, also if it looks like a hash', async () => {
  const mock = createMock({ tokens: ['#0123abcd'] })
  const headers = { authorization: 'Bearer #0123abcd' }
  expect((await mock.fetch('/projects/acme/users', { headers })).status).toBe(200)
  expect(JSON.stringify(await mock.requests.list())).not.toContain('0123abcd')
})

it('a header without a secret is unchanged', () => {
  expect(redactHeader('x-colour', 'Bearer tok_blue')).toBe('Bearer tok_blue')
})

it.each([
  ['authorization', 'Bearer tok_1', /^Bearer #[\da-f]{8}$/],
  ['authorization', 'tok_1', /^#[\da-f]{8}$/],
  ['authorization', 'tok_1 #0123abcd', /^#[\da-f]{8}$/],
  ['authorization', '#0123abcd tok_1', /^#[\da-f]{8}$/],
  ['authorization', 'Bearer tok_1#0123abcd', /^Bearer #[\da-f]{8}$/],
  ['proxy-authorization', 'Basic tok_1', /^#[\da-f]{8}$/],
  ['cookie', 'session=tok_1', /^#[\da-f]{8}$/],
  ['set-cookie', 'session=tok_1', /^#[\da-f]{8}$/],
  ['x-api-key', 'tok_1', /^#[\da-f]{8}$/],
  ['x-auth-token', 'tok_1', /^#[\da-f]{8}$/],
  ['api-key', 'tok_1', /^#[\da-f]{8}$/],
])('a secret in a header is replaced by a distinct hash: %s: %s', (name, value, shown) => {
  expect(redactHeader(name, value)).toMatch(shown)
  expect(redactHeader(name, value)).not.toBe(redactHeader(name, value.replace('tok_1', 'tok_2')))
})

const src = new URL('../../src/', import.meta.url).pathname

// A token that is compared in another way would tell by its time how much of it was right.
it('tokens are compared in one place, which the mocked API and the control API share', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const linesWith = (pattern: RegExp) =>
    files.flatMap((file) =>
      readFileSync(join(src, file), 'utf8')
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  const comparing = linesWith(/(?<!const )isSameSecret\(/).map((line) => line.replace(/:.*/, ''))
  expect(new Set(comparing)).toEqual(new Set(['core/control/access.ts', 'core/domain/tokens.ts']))
  const otherwise = linesWith(/\b(?:presented|\w*[tT]oken)\b\)? [!=]==? (?!undefined|null|'none'|'')/)
  // A tab of the browser, which asks whether another call of its own has learned the token meanwhile.
  expect(otherwise.filter((line) => !line.startsWith('dashboard/browser/'))).toEqual([])
})
