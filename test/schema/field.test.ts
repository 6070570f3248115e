import { describe, expect, it } from 'vitest'
import { Birthday, Email, Locale, Metadata, RedirectUrl, resourceId, Timestamp } from '../../src/core/schema/field.ts'
import { PaymentLinkRecordsQuery, UserRecordsQuery } from '../../src/core/control/record-commands.ts'
import { ListQuery, PaymentLinkListQuery } from '../../src/core/schema/list.ts'
import { parse } from '../../src/core/schema/problem.ts'
import { parseStrict } from '../../src/core/schema/unknown-fields.ts'
import { parseUrl } from '../../src/core/schema/url.ts'

describe('Email', () => {
  it.each(
    [
      'ada@example.com a@b te~st@example.com ADA@EXAMPLE.COM a..b@example.com .a@example.com'.split(' '),
      '"a@b"@example.com ada@[127.0.0.1] ada@[IPv6:2001:db8::1] müller@exämple.de 用户@例子.广告 🙂@example.com'.split(
        ' ',
      ),
      ["o'hara+tag@example.co.uk", '"quoted local"@example.com', String.raw`"a\"b"@example.com`],
      [String.raw`"a\\"@example.com`, `${'a'.repeat(308)}@example.com`],
    ].flat(),
  )('accepts %s unchanged', (text) => {
    expect(parse(Email, text)).toEqual({ ok: true, value: text })
  })

  it.each(
    [
      'ada @ @example.com ada@ ada@@example.com ada@example@com "ada@example.com a"b@example.com'.split(' '),
      '"a"b"@example.com ada@"example.com"'.split(' '),
      ['', 'ada @example.com', ' ada@example.com', 'ada@example.com ', 'ada@exa mple.com', 'ada@example.com\n'],
      ['ada\n@example.com', 'ada\t@example.com', 'ada\0@example.com', 'ada\u0085@example.com'],
      ['ada\u00a0@example.com', '"a\nb"@example.com', String.raw`"a\"@example.com`, `${'a'.repeat(309)}@example.com`],
    ].flat(),
  )('rejects %j', (text) => {
    expect(parse(Email, text).ok).toBe(false)
  })
})

describe('Locale', () => {
  // The examples of RFC 5646, appendix A, and the tags of section 2.2.8.
  it.each(
    [
      'de fr ja i-enochian zh-Hant zh-Hans sr-Cyrl sr-Latn zh-cmn-Hans-CN cmn-Hans-CN zh-yue-HK yue-HK zh-Hans-CN',
      'sr-Latn-RS sl-rozaj sl-rozaj-biske sl-nedis de-CH-1901 sl-IT-nedis hy-Latn-IT-arevela de-DE en-US es-419',
      'de-CH-x-phonebk az-Arab-x-AZE-derbend x-whatever qaa-Qaaa-QM-x-southern de-Qaaa sr-Latn-QM sr-Qaaa-RS',
      'en-US-u-islamcal zh-CN-a-myext-x-private en-a-myext-b-another',
      'en-GB-oed i-ami i-bnn i-default i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu',
      'sgn-BE-FR sgn-BE-NL sgn-CH-DE art-lojban cel-gaulish no-bok no-nyn zh-guoyu zh-hakka zh-min zh-min-nan zh-xiang',
      'EN-us pt-BR zh-abc-def-ghi abcd abcdefgh de-1996 de-1abc en-a-bb-cc-ddd-12345678 x-1-2-3 en-x-a-b-c',
      `x${'-abcdefgh'.repeat(28)}-a`,
      // Two extensions with one singleton: well-formed by the grammar, though not valid.
      'ar-a-aaa-b-bbb-a-ccc',
    ].flatMap((tags) => tags.split(' ')),
  )('accepts %s unchanged', (tag) => {
    expect(parse(Locale, tag)).toEqual({ ok: true, value: tag })
  })

  it.each(
    [
      // The other two invalid tags of appendix A.
      'de-419-DE a-DE - e en- -en en--US en_US en-US- 12 e1 abcdefghi en-abcdefghi en-x en-x-'.split(' '),
      'en-x-abcdefghi x x- en-a en-a-b en-a-x-private i-foo zh-abc-def-ghi-jkl en-USA1 en-1ab en-US-GB'.split(' '),
      'en-Latn-Cyrl dé en-ÜS ſl * en;q=1'.split(' '),
      ['', 'en US', ' en', 'en\n', 'en-\u212a\u212a', `x${'-abcdefgh'.repeat(28)}-ab`],
    ].flat(),
  )('rejects %j', (tag) => {
    expect(parse(Locale, tag).ok).toBe(false)
  })
})

describe('RedirectUrl', () => {
  const longest = `https://shop.example/${'a'.repeat(2048 - 'https://shop.example/'.length)}`

  it.each([
    ...'https://shop.example/done https://shop.example http://localhost:3000'.split(' '),
    ...'http://my-app:8080/x?y=1&z=%20#hash http://127.0.0.1/ https://[::1]:8443/'.split(' '),
    ...'HTTPS://SHOP.EXAMPLE/Done https://exämple.de/ü https://shop.example/a@b:c'.split(' '),
    'https://shop.example/a b',
    longest,
  ])('accepts %s unchanged', (text) => {
    expect(parse(RedirectUrl, text)).toEqual({ ok: true, value: text })
  })

  it.each(
    [
      'done /done //shop.example/done shop.example https:// https://:80 https://shop.example:99999'.split(' '),
      'http://[::1 ftp://shop.example myapp://done mailto:ada@example.com javascript:alert(1)'.split(' '),
      'JavaScript:alert(1) data:text/html,x blob:https://shop.example/x file:///etc/passwd'.split(' '),
      'https://ada@shop.example https://ada:secret@shop.example https://:secret@shop.example'.split(' '),
      ['', ' https://shop.example', 'https://shop.example ', 'https://shop.example/\r\nSet-Cookie: a=b'],
      ['https://shop.example/\t', 'https://shop.example/\0', 'https://shop.example/\u007f'],
      ['https://shop.example/\u0085', 'https://shop.example/\u00a0', 'https://shop.example/\u2028'],
      ['\ufeffhttps://shop.example', `${longest}a`],
    ].flat(),
  )('rejects %j', (text) => {
    expect(parse(RedirectUrl, text).ok).toBe(false)
  })
})

describe('Birthday', () => {
  const realDays = ['1990-12-31', '2000-02-29', '2024-02-29', '1900-01-01', '0001-01-01', '9999-12-31']
  it.each(realDays)('accepts %s', (text) => {
    expect(parse(Birthday, text)).toEqual({ ok: true, value: text })
  })

  it.each([
    ...'2025-02-29 1900-02-29 2025-02-30 2025-04-31 2025-13-01 2025-00-01 2025-01-00 2025-01-32 2025-1-1'.split(' '),
    ...'25-01-01 12025-01-01 -2025-01-01 20250101 2025/01/01 31-12-1990 2025-01-01T00:00:00Z ٢٠٢٥-٠١-٠١'.split(' '),
    '',
    ' 2025-01-01',
    '2025-01-01\n',
  ])('rejects %j', (text) => {
    expect(parse(Birthday, text).ok).toBe(false)
  })
})

describe('Timestamp', () => {
  it.each([
    ['2025-01-01T00:00:00Z', '2025-01-01T00:00:00.000Z'],
    ['2025-01-01T00:00:00.1Z', '2025-01-01T00:00:00.100Z'],
    ['2025-01-01T00:00:00.123456789Z', '2025-01-01T00:00:00.123Z'],
    ['2025-01-01T00:00:00.9999Z', '2025-01-01T00:00:00.999Z'],
    ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('reads %s to the millisecond', (text, value) => {
    expect(parse(Timestamp, text)).toEqual({ ok: true, value })
  })

  it.each(
    [
      'now 2025-01-01 2025-01-01T00:00:00 2025-01-01T00:00:00+00:00 2025-01-01T00:00:00+02:00'.split(' '),
      '2025-02-29T00:00:00Z 2025-01-01T24:00:00Z 2025-01-01T00:60:00Z 2025-01-01T00:00:60Z'.split(' '),
      '+012025-01-01T00:00:00Z 1735689600000'.split(' '),
      ['', '2025-01-01 00:00:00Z', ' 2025-01-01T00:00:00Z', '2025-01-01T00:00:00Z\n', 1_735_689_600_000, null],
    ].flat(),
  )('rejects %j', (value) => {
    expect(parse(Timestamp, value).ok).toBe(false)
  })
})

describe('Metadata', () => {
  const texts = ['{}', '{"a":1,"b":[true,null,{"c":"d"}]}', '{"__proto__":{"a":1},"constructor":2,"":3}']
  it.each(texts)('takes any JSON object with all its keys: %s', (text) => {
    const result = parse(Metadata, JSON.parse(text))
    expect(result.ok).toBe(true)
    expect(JSON.stringify(result.ok && result.value)).toBe(text)
  })

  it.each([null, [], [{}], 'text', 7, true, undefined])('rejects %j', (value) => {
    expect(parse(Metadata, value).ok).toBe(false)
  })

  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })

  it('accepts objects without a prototype, and 64 levels', () => {
    const bare = Object.assign(Object.create(null), { b: 1 })
    expect(parse(Metadata, { a: bare })).toEqual({ ok: true, value: { a: { b: 1 } } })
    expect(parse(Metadata, nested(64))).toEqual({ ok: true, value: nested(64) })
  })

  it.each([
    ['65 levels', nested(65)],
    ['undefined', { a: undefined }],
    ['a function', { a: () => 1 }],
    ['a date', { a: new Date(0) }],
    ['a map', { a: [new Map()] }],
    ['an infinity', { a: { b: Infinity } }],
  ])('rejects %s, which JSON does not preserve', (_, value) => {
    const message =
      'The value must contain only JSON values, at most 64 levels deep, and no infinite numbers (got an object).'
    expect(parse(Metadata, value)).toEqual({ ok: false, problems: [{ path: '', message }] })
  })
})

describe('resourceId', () => {
  it.each(['usr_1', 'usr__', 'usr_usr_', 'usr_a-b.c~d', `usr_${'x'.repeat(28)}`])('accepts %s', (id) => {
    expect(parse(resourceId('usr'), id)).toEqual({ ok: true, value: id })
  })

  it.each(
    [
      'usr usr_ usr-1 USR_1 pml_1 xusr_1 usr_a/b usr_?'.split(' '),
      ['', ' usr_1', 'usr_a b', 'usr_1\n', 1, null],
    ].flat(),
  )('rejects %j', (id) => {
    expect(parse(resourceId('usr'), id).ok).toBe(false)
  })
})

it.each([
  [Email, 'ada', "must be an email address such as 'ada@example.com' (got 'ada')"],
  [Birthday, 'today', "must be a real date of the form YYYY-MM-DD, such as '1990-12-31' (got 'today')"],
  [Locale, '-', "must be an IETF language tag such as 'en-US' (got '-')"],
  [RedirectUrl, 'https://ada@a.b', "must have no user name and no password (got 'https://***@a.b')"],
  [RedirectUrl, 'a'.repeat(2049), `must be at most 2048 characters long (got '${'a'.repeat(40)}...')`],
  [Locale, 'a'.repeat(256), `must be at most 255 characters long (got '${'a'.repeat(40)}...')`],
  [RedirectUrl, '/', "must be an absolute http or https URL such as 'https://shop.example/done' (got '/')"],
  [Timestamp, 'now', "must be an ISO 8601 time in UTC, such as '2025-01-01T00:00:00.000Z' (got 'now')"],
  [Metadata, 7, 'must be an object (got 7)'],
  [Metadata, () => 7, 'must be an object (got a function)'],
  [resourceId('usr'), 'usr_', "must be 'usr_' followed by letters, digits, -, _, . or ~ (got 'usr_')"],
])('a rejected field gets one sentence with the expected value: %#', (schema, value, sentence) => {
  expect(parse(schema, value)).toEqual({ ok: false, problems: [{ path: '', message: `The value ${sentence}.` }] })
})

// The control API takes bodies of hundreds of megabytes: no pattern may run out of stack on one of them.
it.each([
  ['Email', Email, 'a'.repeat(20_000_000)],
  ['Email', Email, '"'.repeat(20_000_000)],
  ['Email', Email, `"${'a'.repeat(20_000_000)}"@b`],
  ['Locale', Locale, `en${'-abcde'.repeat(4_000_000)}`],
  ['Locale', Locale, `x${'-a'.repeat(10_000_000)}`],
  ['RedirectUrl', RedirectUrl, `https://${'a'.repeat(20_000_000)}`],
  ['Birthday', Birthday, '2'.repeat(20_000_000)],
  ['Timestamp', Timestamp, `2025-01-01T00:00:00.${'0'.repeat(20_000_000)}`],
  ['resourceId', resourceId('usr'), '_'.repeat(20_000_000)],
])('a text that is far too long is rejected as %s in a short sentence, not with a crash', (_, schema, text) => {
  const result = parse(schema, text)
  expect(result.ok).toBe(false)
  if (!result.ok) for (const { message } of result.problems) expect(message.length).toBeLessThan(200)
})

describe('limit', () => {
  it.each([
    [undefined, 10],
    ['0', 0],
    ['1', 1],
    ['10', 10],
    ['199', 199],
    ['200', 200],
  ])('reads %j as %i', (limit, value) => {
    expect(parse(ListQuery, { limit })).toMatchObject({ ok: true, value: { limit: value } })
  })

  const limits = ['0200 201 999 1000 -1 -0 +5 1.5 1.0 1e2 0x10 ten ٥ 0000'.split(' '), ['', ' 5', '5 ', '5\n']].flat()
  // The last four are not strings.
  it.each<[limit: unknown]>([...limits, 5, null, ['5', '6'], ['5']].map((limit) => [limit]))('rejects %j', (limit) => {
    const message = expect.stringMatching(/^limit must be an integer from 0 to 200 \(got /) as string
    expect(parse(ListQuery, { limit })).toEqual({ ok: false, problems: [{ path: 'limit', message }] })
  })
})

describe('a list query', () => {
  it.each([
    ['active', ['active']],
    ['active,completed', ['active', 'completed']],
    ['canceled,completed,active', ['canceled', 'completed', 'active']],
  ])('reads status=%s', (status, value) => {
    expect(parse(PaymentLinkListQuery, { status })).toMatchObject({ ok: true, value: { status: value } })
  })

  it.each([
    ...', active, ,active active,,canceled Active paid active;canceled'.split(' '),
    '',
    ' active',
    'active, canceled',
  ])('rejects status=%j with the allowed values', (status) => {
    const result = parse(PaymentLinkListQuery, { status })
    expect(result.ok).toBe(false)
    if (!result.ok)
      for (const { message } of result.problems) {
        expect(message).toContain("'active'")
        expect(message).toContain("'canceled' or 'completed'")
      }
  })
})

describe('a query of records', () => {
  it.each([
    [UserRecordsQuery, {}, {}],
    [UserRecordsQuery, { after: 'usr_1', limit: '0', email: 'a' }, { after: 'usr_1', limit: 0, email: 'a' }],
    [UserRecordsQuery, { before: '' }, { before: '' }],
    [UserRecordsQuery, { limit: '123456789' }, { limit: 123_456_789 }],
    [PaymentLinkRecordsQuery, { invoice: 'i', status: 'active' }, { invoice: 'i', status: ['active'] }],
  ])('may have any limit, or none, and filters: %#', (schema, query, value) => {
    expect(parseStrict<typeof schema>(schema, query)).toEqual({ ok: true, value })
  })

  it.each([
    [UserRecordsQuery, { limit: ['1', '2'] }, 'limit must be an integer from 0 (got an array).'],
    ...['', '-1', '1.5', 'x1', '1x', '1234567890'].map(
      (limit) => [UserRecordsQuery, { limit }, `limit must be an integer from 0 (got '${limit}').`] as const,
    ),
    [UserRecordsQuery, { email: 5 }, 'email must be a string (got 5).'],
    [PaymentLinkRecordsQuery, { invoice: 5 }, 'invoice must be a string (got 5).'],
    [UserRecordsQuery, { status: 'active' }, 'status is not a field here; the fields are after, before, limit, email.'],
    [
      PaymentLinkRecordsQuery,
      { email: 'a' },
      'email is not a field here; the fields are after, before, limit, invoice, status.',
    ],
  ] as const)('is rejected in one sentence: %#', (schema, query, message) => {
    expect(parseStrict<typeof schema>(schema, query)).toMatchObject({ ok: false, problems: [{ message }] })
  })
})

it('a redirect with letters beyond ASCII is taken, however many were taken before', () => {
  const rejected = Array.from({ length: 10_000 }, () => RedirectUrl.safeParse('https://bücher.example/ü').success)
  expect(rejected.indexOf(false)).toBe(-1)
})

it('a text that is no address has none', () => {
  expect(parseUrl('//example')).toBeUndefined()
  expect(parseUrl('https://example/a b')?.href).toBe('https://example/a%20b')
})
