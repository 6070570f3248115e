// Proves: Tokens.
import { describe, expect, it } from 'vitest'
import { createTokens, hashTokens, isSameSecret } from '../../../src/domain/tokens.ts'
import { createMock } from '../../../src/node/index.ts'

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

describe('tokens', () => {
  const hashes = (tokens: ReturnType<typeof createTokens>, project?: string) =>
    tokens.list(project).items.map(({ hash }) => hash)
  const hashOf = (token: string) => hashes(createTokens(hashTokens([{ token }])))

  it('are those of the new seed after a restart, also for a project that had its own', () => {
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
})

it('a reset of a project restores its initial tokens, also if the tokens of all projects were replaced', () => {
  const tokens = createTokens(hashTokens([{ token: 'start' }]))
  const atStart = tokens.list()
  tokens.replace([{ token: 'for all' }])
  tokens.reset('acme')
  expect(tokens.list('acme')).toEqual(atStart)
  expect(tokens.list()).not.toEqual(atStart)
})

it('tokens are listed with a short hash only', () => {
  const tokens = createTokens(hashTokens([{ token: 'tok_secret', projects: ['acme'] }]))
  expect(tokens.list()).toEqual({
    object: 'list',
    items: [{ hash: expect.stringMatching(/^[\da-f]{8}$/), projects: ['acme'], expiresAt: null }],
  })
})

it('a deleted project has the tokens of all projects', () => {
  const tokens = createTokens(hashTokens([{ token: 'for all' }]))
  tokens.replace([], 'acme')
  expect(tokens.list('acme').items).toHaveLength(0)
  tokens.delete('acme')
  expect(tokens.list('acme')).toEqual(tokens.list())
})

describe('a token', () => {
  it('is a hash in the journal, also if it looks like a hash', async () => {
    const mock = createMock({ tokens: ['#0123abcd'] })
    const headers = { authorization: 'Bearer #0123abcd' }
    expect((await mock.fetch('/projects/acme/users', { headers })).status).toBe(200)
    expect(JSON.stringify(await mock.requests.list())).not.toContain('0123abcd')
  })
})
