import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createCurl, quoteForShell } from '../../src/core/openapi/curl.ts'

describe('a word of the shell', () => {
  it.each([
    ['usr_1', 'usr_1'],
    ['', "''"],
    ['a b', "'a b'"],
    ["it's", String.raw`'it'\''s'`],
    ['two\nlines', "'two\nlines'"],
    ['\u0001', String.raw`$'\u0001'`],
    ["\u001B[31m'\\", String.raw`$'\u001b[31m\'\\'`],
  ])('is %j as %s', (text, word) => {
    expect(quoteForShell(text)).toBe(word)
  })

  // Not with control characters: the form with a dollar is unknown to `sh`.
  it.each(['', 'a b', "it's", 'two\nlines', '$HOME `x` "y" \\'])('is %j again after the shell', (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${quoteForShell(text)}`], { encoding: 'utf8' })).toBe(text)
  })
})

it.each([
  ['GET', undefined, String.raw`curl -w '\n' http://mock/a`],
  ['DELETE', undefined, String.raw`curl -w '\n' -X DELETE http://mock/a`],
  ['HEAD', undefined, 'curl -I http://mock/a'],
  ['POST', { a: 1 }, String.raw`curl -w '\n' --data-raw '{"a":1}' http://mock/a`],
  ['PATCH', 'not json', String.raw`curl -w '\n' -X PATCH --data-raw 'not json' http://mock/a`],
])('%s with the body %j is %s', (method, body, line) => {
  expect(createCurl({ method, url: 'http://mock/a', headers: [], body }).join(' ')).toBe(line)
})

it('an empty header has the form that curl sends', () => {
  const headers = [
    ['X-Empty', ''],
    ['X-Full', 'a b'],
    ['Authorization', 'Bearer $TOKEN'],
    ['X-Price', '$5'],
  ] as const
  expect(createCurl({ method: 'GET', url: 'http://mock/[a]', headers })).toEqual([
    'curl',
    String.raw`-w '\n'`,
    '-g',
    "-H 'X-Empty;'",
    "-H 'X-Full: a b'",
    '-H "Authorization: Bearer $TOKEN"',
    "-H 'X-Price: $5'",
    "'http://mock/[a]'",
  ])
})
