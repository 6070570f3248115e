import { describe, expect, it } from 'vitest'
import { z } from 'zod/mini'
import { cut, findNearest, formatSeconds, shorten, toWellFormed } from '../../src/core/schema/text.ts'
import { MockError } from '../../src/core/schema/error.ts'
import { buildPaymentLinkCreateSchema, Provider, ScheduledPayment } from '../../src/core/schema/payment-link.ts'
import { formatList, parse, formatPath, listProblems, formatProblems, quote } from '../../src/core/schema/problem.ts'
import { Seed } from '../../src/core/schema/seed.ts'
import { findUnknownFields } from '../../src/core/schema/unknown-fields.ts'
import { UserCreate, UserUpdate } from '../../src/core/schema/user.ts'
import { intFrom } from '../../src/core/schema/zod-helpers.ts'

describe('a problem', () => {
  const inThree = { paymentLink: 'pml_1', outcome: 'succeeded', when: { in: 3 } }
  const threeLetters = z.string().check(z.minLength(3))
  const oneItem = z.array(z.int()).check(z.maxLength(1))
  it.each([
    [z.object({ a: z.string() }), {}, 'a is required.'],
    [z.object({ a: z.string() }), { a: undefined }, 'a is required.'],
    [z.object({ a: z.string() }), { a: null }, 'a must be a string (got null).'],
    [z.object({ a: z.string() }), { a: 7 }, 'a must be a string (got 7).'],
    [z.object({ a: z.string() }), { a: [1] }, 'a must be a string (got an array).'],
    [z.object({ a: z.string() }), { a: { b: 1 } }, 'a must be a string (got an object).'],
    [z.object({ a: z.boolean() }), { a: 'true' }, "a must be true or false (got 'true')."],
    [z.object({ a: z.int() }), { a: 1.5 }, 'a must be an integer (got 1.5).'],
    [z.object({ a: z.int() }), { a: '1' }, "a must be a number (got '1')."],
    [z.object({ a: z.int().check(z.minimum(3)) }), { a: 2 }, 'a must be at least 3 (got 2).'],
    [z.object({ a: z.int().check(z.maximum(3)) }), { a: 4 }, 'a must be at most 3 (got 4).'],
    [z.object({ a: intFrom(0, 3) }), { a: 1e18 }, 'a must be at most 3 (got 1000000000000000000).'],
    [z.object({ a: intFrom(0) }), { a: -1e18 }, 'a must be at least 0 (got -1000000000000000000).'],
    [ScheduledPayment, inThree, 'when must be { "reads": 3 } or { "at": "<time>" } (got an object).'],
    [z.object({ a: threeLetters }), { a: 'ab' }, "a must be at least 3 characters long (got 'ab')."],
    [z.object({ a: z.string().check(z.minLength(1)) }), { a: '' }, "a must not be empty (got '')."],
    [z.object({ a: z.array(z.int()).check(z.minLength(1)) }), { a: [] }, 'a must not be empty (got an array).'],
    [z.object({ a: z.int().check(z.minimum(1)) }), { a: 0 }, 'a must be at least 1 (got 0).'],
    [z.object({ a: oneItem }), { a: [1, 2] }, 'a must be at most 1 items long (got an array).'],
    [z.object({ a: z.array(z.int()) }), { a: {} }, 'a must be an array (got an object).'],
    [z.object({ a: z.array(z.int()) }), { a: [1, 'b'] }, "a[1] must be a number (got 'b')."],
    [z.object({ a: z.object({ b: z.string() }) }), { a: { b: 1 } }, 'a.b must be a string (got 1).'],
    [z.object({ a: z.enum(['x', 'y', 'z']) }), { a: 'w' }, "a must be 'x', 'y' or 'z' (got 'w')."],
    [z.object({ a: z.literal('x') }), { a: 'y' }, "a must be 'x' (got 'y')."],
    [z.object({ a: z.string().check(z.regex(/b/, 'must have a b')) }), { a: 'c' }, "a must have a b (got 'c')."],
    [z.object({ a: z.string('must be a name') }), { a: 1 }, 'a must be a name (got 1).'],
    [z.object({}), [], 'The value must be an object (got an array).'],
    [z.object({}), 'text', "The value must be an object (got 'text')."],
    [z.object({}), undefined, 'The value is required.'],
    [z.record(z.string(), z.int()), 7, 'The value must be an object (got 7).'],
    [z.union([z.string(), z.int()]), true, 'The value must have one of the documented forms (got true).'],
    [z.string().check(z.regex(/b/)), 'c', "The value has an invalid form (got 'c')."],
  ])('has the expected and the actual value: %#', (schema, value, message) => {
    expect(parse(schema, value)).toMatchObject({ ok: false, problems: [{ message }] })
  })

  const count = z.int().check(z.minimum(0))
  const range = z.object({ from: count, to: z.object({ end: count }) })
  const some = z.union([count, range], 'must be 1 or more')
  const either = z.union([z.object({ b: count }), range], 'must be either')
  const inner = z.union([z.union([z.boolean(), range]), z.string()], 'must be either')
  it.each([
    [some, 'x', { a: "must be 1 or more (got 'x')." }],
    [some, null, { a: 'must be 1 or more (got null).' }],
    [some, 1.5, { a: 'must be an integer (got 1.5).' }],
    [some, -1, { a: 'must be at least 0 (got -1).' }],
    [
      some,
      { from: 'x', to: { end: -1 } },
      { 'a.from': "must be a number (got 'x').", 'a.to.end': 'must be at least 0 (got -1).' },
    ],
    [either, { b: 'x' }, { 'a.b': "must be a number (got 'x')." }],
    [either, { c: 'x' }, { a: 'must be either (got an object).' }],
    [inner, { from: 1, to: {} }, { 'a.to.end': 'is required.' }],
  ])('of a union is that of the variant with the type of the value: %#', (schema, value, messages) => {
    const problems = Object.entries(messages).map(([path, message]) => ({ path, message: `${path} ${message}` }))
    expect(parse(z.object({ a: schema }), { a: value })).toEqual({ ok: false, problems })
  })

  it('has the path of the value in the input', () => {
    expect(parse(z.object({ a: z.string() }), { a: 1 }, ['seed', 'users', 3])).toEqual({
      ok: false,
      problems: [{ path: 'seed.users[3].a', message: 'seed.users[3].a must be a string (got 1).' }],
    })
  })

  it('has the path inside the value by default', () => {
    const { error } = z.object({ a: z.string('must be a name') }).safeParse({ a: 1 }, { reportInput: true })
    expect(listProblems(error!)).toEqual([{ path: 'a', message: 'a must be a name (got 1).' }])
  })

  it('is reported together with all others', () => {
    const user = { email: 'ada', birthday: 'today', fullName: 7, metadata: 1, preferredLocale: '-' }
    const result = parse(UserCreate, user)
    expect(result.ok || result.problems.map(({ path }) => path)).toEqual(Object.keys(user))
  })

  it.each([
    [{}, ['invoice is required.', 'type is required.', 'acme is required.']],
    [
      { invoice: 1, type: 'partner', acme: null },
      [
        'invoice must be a string (got 1).',
        "type must be 'acme' (got 'partner').",
        'acme must be an object (got null).',
      ],
    ],
    [{ invoice: 'inv_1', type: 'acme', acme: {} }, ['acme.user is required.']],
    [
      { invoice: 'inv_1', type: 'acme', acme: { user: { email: null }, redirectUrl: 'x' } },
      [
        'acme.user.email must be a string (got null).',
        "acme.redirectUrl must be an absolute http or https URL such as 'https://shop.example/done' (got 'x').",
      ],
    ],
  ])('of a payment link uses the name of the provider: %j', (body, messages) => {
    const result = parse(buildPaymentLinkCreateSchema('acme'), body)
    expect(result.ok || result.problems.map(({ message }) => message)).toEqual(messages)
  })

  const names = 'id invoice type user redirectUrl paymentUrl status 1a __proto__'.split(' ')
  it.each([...names, '', 'a b'])('is a provider that is called %j', (name) => {
    expect(parse(Provider, name).ok).toBe(false)
  })

  it.each([
    ['1a', "must be a name of letters, digits, - and _, such as partner (got '1a')"],
    ['user', "must not be the name of another field (got 'user')"],
  ])('explains why %s is not a valid provider', (name, sentence) => {
    expect(parse(Provider, name)).toMatchObject({ problems: [{ message: `The value ${sentence}.` }] })
  })

  it.each(['partner', 'acme', 'Acme_Pay-2', 'constructor'])('is not a provider that is called %s', (name) => {
    expect(parse(Provider, name)).toEqual({ ok: true, value: name })
  })
})

describe('a token', () => {
  it.each([
    [['token'], 'token'],
    [['tokens'], 'tokens'],
    [['tokens', 0], 'tokens[0]'],
    [['tokens', 10], 'tokens[10]'],
    [['tokens', 0, 'token'], 'tokens[0].token'],
    [['--admin-token'], '--admin-token'],
    [['effect', 'headers', 'x-token'], 'effect.headers.x-token'],
  ])('at %j is not quoted, also when it is invalid', (at, name) => {
    const problems = [{ path: name, message: `${name} must be a number.` }]
    expect(parse(z.int(), 's3cret', at)).toEqual({ ok: false, problems })
  })

  it('is not quoted in other fields of a token either', () => {
    const problems = Object.entries({
      'tokens[0].token': 'must be one or more visible ASCII characters without spaces.',
      'tokens[0].projects': 'must be an array.',
      'tokens[0].expiresAt': "must be an ISO 8601 time in UTC, such as '2025-01-01T00:00:00.000Z'.",
      'tokens[1].token': 'must be a string.',
    }).map(([path, message]) => ({ path, message: `${path} ${message}` }))
    const tokens = [{ token: 's3 cret', projects: 7, expiresAt: 'never' }, { token: 7 }]
    expect(parse(Seed, { tokens })).toEqual({ ok: false, problems })
  })
})

describe('formatProblems', () => {
  const problem = (_: unknown, index: number) => ({ path: `p${index}`, message: `p${index} is wrong.` })
  const five = 'p0 is wrong; p1 is wrong; p2 is wrong; p3 is wrong; p4 is wrong'

  it.each([
    [1, 'p0 is wrong.'],
    [2, 'It has 2 problems: p0 is wrong; p1 is wrong.'],
    [5, `It has 5 problems: ${five}.`],
    [7, `It has 7 problems: ${five}; and 2 more.`],
    [1000, `It has 1000 problems: ${five}; and 995 more.`],
    [1001, `It has more than 1000 problems: ${five}; and many more.`],
  ])('is one sentence for %i', (count, text) => {
    expect(formatProblems('It', Array.from({ length: count }, problem))).toBe(text)
  })

  it('keeps the punctuation within a sentence', () => {
    const mark = { path: 'a.b', message: "a.b must be c (got '?.')." }
    const text = "It has 2 problems: a.b must be c (got '?.'); a.b must be c (got '?.')."
    expect(formatProblems('It', [mark, mark])).toBe(text)
  })

  it('ends with one punctuation mark', () => {
    const question = { path: 'a', message: "a is not a field here; did you mean 'b'?" }
    const text = "It has 2 problems: p0 is wrong; a is not a field here; did you mean 'b'?"
    expect(formatProblems('It', [problem(undefined, 0), question])).toBe(text)
  })
})

describe('the formatting of a problem', () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a.b'],
    [['projects', 'acme', 'paymentLinks', 3, 'completedAt'], 'projects.acme.paymentLinks[3].completedAt'],
    [['tokens', 0], 'tokens[0]'],
    [['a', '0'], 'a.0'],
  ])('has the path %j', (path, text) => {
    expect(formatPath(path)).toBe(text)
  })

  it.each([
    ['', "''"],
    ['short', "'short'"],
    ['x'.repeat(40), `'${'x'.repeat(40)}'`],
    ['x'.repeat(41), `'${'x'.repeat(40)}...'`],
    [[], 'an array'],
    [{}, 'an object'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
    [-1.5, '-1.5'],
    [() => 'a long source', 'a function'],
    [{ toString: null }, 'an object'],
    [Object.create(null), 'an object'],
  ])('quotes %j', (value, text) => {
    expect(quote(value)).toBe(text)
  })

  it('limits the length of numbers like that of texts', () => {
    expect(quote(10n ** 50n)).toBe(`1${'0'.repeat(39)}...`)
  })

  it.each([
    [[], ''],
    [['a'], "'a'"],
    [['a', 1], "'a' or 1"],
    [['a', 'b', true], "'a', 'b' or true"],
  ])('lists %j', (values, text) => {
    expect(formatList(values)).toBe(text)
  })
})

describe('unknownFields', () => {
  const link = buildPaymentLinkCreateSchema('acme')
  const offset = "clock.ofset is not a field here; did you mean 'offset'?"
  it.each([
    [UserCreate, { email: 'a@b' }, []],
    [UserCreate, { email: 'a@b', fullname: 'A' }, ["fullname is not a field here; did you mean 'fullName'?"]],
    [UserCreate, { emial: 'a@b' }, ["emial is not a field here; did you mean 'email'?"]],
    [UserUpdate, { id: '' }, [`id is not a field here; the fields are ${Object.keys(UserUpdate.shape).join(', ')}.`]],
    [UserCreate, { metadata: { anything: { goes: 1 } } }, []],
    [UserCreate, null, []],
    [UserCreate, [{ x: 1 }], []],
    [UserCreate, 'text', []],
    [
      link,
      { invoice: 'i', type: 'acme', acme: { user: { taxnumber: '1' }, redirectURL: 'x' } },
      [
        "acme.user.taxnumber is not a field here; did you mean 'taxNumber'?",
        "acme.redirectURL is not a field here; did you mean 'redirectUrl'?",
      ],
    ],
    [link, { partner: {} }, ['partner is not a field here; the fields are invoice, type, acme.']],
    [Seed, { projects: { a: { users: [{}, { e: 1 }] } } }, [expect.stringMatching(/^projects\.a\.users\[1\]\.e is /)]],
    [Seed, { clock: { mode: 'real', ofset: 1 } }, [offset]],
    [Seed, { clock: { mode: 'real', offset: 'x', ofset: 1 } }, [offset]],
    [Seed, { clock: { mode: 'bogus', ofset: 1 } }, []],
    [Seed, { clock: null }, []],
    [z.object({ a: z.int() }), JSON.parse('{"__proto__":1,"a":1}'), [expect.stringMatching(/^__proto__ is not a/)]],
  ])('are reported with the nearest known name: %#', (schema, value, messages) => {
    expect(findUnknownFields(schema, value).map(({ message }) => message)).toEqual(messages)
  })

  it('are found in the intended variant of a union', () => {
    const schema = z.object({ token: z.union([z.string(), z.object({ token: z.string() })]) })
    expect(findUnknownFields(schema, { token: { token: 'a', tokn: 1 } })).toMatchObject([{ path: 'token.tokn' }])
    expect(findUnknownFields(schema, { token: 'a' })).toEqual([])
  })

  it.each([1000, 1001, 1500])('are counted up to the limit of reported problems: of %i', (count) => {
    const flat = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]))
    const records = Array.from({ length: count }, () => ({ fullname: 'Ada' }))
    expect(findUnknownFields(UserCreate, flat)).toHaveLength(Math.min(count, 1001))
    expect(findUnknownFields(z.array(UserCreate), records)).toHaveLength(Math.min(count, 1001))
  })

  it('are found among many fields with long names', () => {
    const value = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${'x'.repeat(2000)}${index}`, 1]))
    expect(findUnknownFields(UserCreate, value)).toHaveLength(1000)
  })
})

const fields = ['metadata', 'id', 'fullName', 'email', 'preferredLocale']
const tokens = ['adminToken', 'clientToken']

it.each<[word: string, candidates: readonly string[], nearest: string | undefined]>([
  ['fullname', fields, 'fullName'],
  ['FULLNAME', fields, 'fullName'],
  ['emial', fields, 'email'],
  ['e-mail', fields, 'email'],
  ['mail', fields, 'email'],
  ['prefered_locale', fields, 'preferredLocale'],
  ['metdata', fields, 'metadata'],
  ['ids', fields, 'id'],
  ['locale', fields, 'preferredLocale'],
  ['', fields, undefined],
  ['colour', fields, undefined],
  ['xx', fields, undefined],
  ['x'.repeat(100_000), fields, undefined],
  ['name', fields, undefined],
  ['cancelled', ['cancel', 'canceled', 'canceledAt'], 'canceled'],
  ['bat', ['cat', 'hat'], 'cat'],
  ['bat', [], undefined],
  // Neighbors that are swapped are one mistake, also at the ends of a word.
  ...['tsale', 'satle', 'stlae', 'stael'].map((word): [string, string[], string] => [word, ['stale'], 'stale']),
  ['tslae', ['stale'], undefined],
  ['talse', ['stale'], undefined],
  ['token', ['adminToken', 'host'], 'adminToken'],
  // Two names with the same ending: either may be meant.
  ['token', tokens, undefined],
  ['token', tokens.toReversed(), undefined],
  ['tokn', [...tokens, 'token'], 'token'],
  ['nothing', tokens, undefined],
  // Words of at most 64 characters are compared, and those that lack at most 16.
  ['a'.repeat(64), ['a'.repeat(63)], 'a'.repeat(63)],
  ['a'.repeat(65), ['a'.repeat(64)], undefined],
  ['x'.repeat(44), ['x'.repeat(44) + 'y'.repeat(16)], 'x'.repeat(44) + 'y'.repeat(16)],
  ['x'.repeat(40), ['x'.repeat(40) + 'y'.repeat(20)], undefined],
])('the nearest name of %s among %j is %s', (word, candidates, nearest) => {
  expect(findNearest(word, candidates)).toBe(nearest)
})

it.each([
  ['ada', 5, 'ada'],
  ['ada', 3, 'ada'],
  ['ada', 2, 'ad'],
  ['ada', 0, ''],
  ['a💳b', 4, 'a💳b'],
  ['a💳b', 3, 'a💳'],
  ['a💳b', 2, 'a'],
  ['💳', 1, ''],
])('cuts %o to %i characters, and never half a character', (text, max, expected) => {
  expect(cut(text, max)).toBe(expected)
  expect(shorten(text, max)).toBe(expected === text ? text : `${expected}...`)
})

it('replaces lone surrogates, and keeps pairs', () => {
  expect(toWellFormed('a\ud83d 💳 \udcb3')).toBe('a\ufffd 💳 \ufffd')
  expect(shorten('a\ud83d', 5)).toBe('a\ufffd')
  expect(quote('\udcb3')).toBe("'\ufffd'")
})

it('never has a lone surrogate in an error', () => {
  const details = [{ path: 'metadata.\ud83d', message: 'metadata.\ud83d is wrong.' }]
  const error = new MockError('invalidBody', 'No \ud83d.', { hint: 'Send no \udcb3.', details })
  expect(error.message).toBe('No \ufffd.')
  expect(error.toJSON()).toMatchObject({
    message: 'No \ufffd.',
    hint: 'Send no \ufffd.',
    details: [{ path: 'metadata.\ufffd', message: 'metadata.\ufffd is wrong.' }],
  })
})

it('formats a time for people', () => {
  expect(formatSeconds('2025-01-01T12:00:00.123Z')).toBe('2025-01-01 12:00:00')
})
