// Proves: HTTP edge.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import naughty from 'big-list-of-naughty-strings' with { type: 'json' }
import { expect, it } from 'vitest'
import parsedUris from 'fast-uri/test/fixtures/uri-js-parse.json' with { type: 'json' }
import registry from 'language-subtag-registry/data/json/registry.json' with { type: 'json' }
import { createMock, type MockOptions } from '../../../src/node/index.ts'
import { Locale } from '../../../src/core/schema/field.ts'
import { parseUrl } from '../../../src/core/schema/url.ts'
import { buildControlContract } from '../../support/control-contract.ts'
import { buildContract } from '../../support/openapi.ts'
import { guardError, findLoneSurrogate } from '../../support/read.ts'

// `TEXTS=all` uses the whole list; otherwise a part of each section.
const part = process.env.TEXTS === 'all' ? 1 : 32

const texts = [
  ...new Set(
    [
      naughty.map(String).filter((_, index) => index % part === 0),
      '__proto__ constructor toString hasOwnProperty valueOf then toJSON $where'.split(' '),
      ['[object Object]'],
      ['.', '..', '../..', 'a/b', '%2f', '%00', '%', '%zz', 'a?b#c', 'a&b=c', ';', '+', '~', "'", '"', '\\', '`'],
      ['\0', '\u0001', '\u007f', '\u0085', '\u00a0', '\u200b', '\u2028', '\u2029', '\ufeff', '\ufffd', '\uffff'],
      ['\ud800', '\udfff', '\udc00\ud800', 'a\ud83d', '💳', 'é', 'e\u0301', 'ß', 'İ', 'ﬃ', '\u202eabc', '👩‍👩‍👧'],
      ['\r\nSet-Cookie: a=b', 'a\tb', ' a ', '\n', '-->', ']]>', '</script>', '<!--', '{{7*7}}', '${7*7}'],
      // Where a message cuts them, a character of two units would be cut in half.
      ...['', 'x'].map((before) => [`${before}${'💳'.repeat(60)}`]),
      ['x'.repeat(10_000), '💳'.repeat(5000), '{'.repeat(1000), 'null', 'true', '-0', '1e999', 'NaN'],
    ].flat(),
  ),
]
const isWellFormed = (text: string) => !/\p{Cs}/u.test(text)
// URLs normalize `.` and `..`, and drop an empty segment.
const namesInPaths = texts.filter((text) => isWellFormed(text) && !['', '.', '..'].includes(text))

const json = 'application/json'
const always = { authorization: 'Bearer any', accept: json, 'content-type': json }

const start = (options: MockOptions = {}) => {
  const mock = createMock({ clock: '2025-06-01T12:00:00.000Z', ...options })
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const all = { ...always, ...headers }
    const response = await mock.fetch(path, { method, headers: all, body: JSON.stringify(body) })
    const text = await response.text()
    if (response.status >= 400) expect(findLoneSurrogate(text)).toBeUndefined()
    return { status: response.status, body: guardError(response.status, JSON.parse(text)) }
  }
  const post = (path: string, body: unknown) => send('POST', path, body)
  return { mock, send, post }
}

const users = '/projects/acme/users'
const links = '/projects/acme/paymentLinks'
const partner = { user: {} }

it('every text is a valid name, and is returned unchanged', async () => {
  const { send, post } = start()
  for (const fullName of texts) {
    const { status, body } = await post(users, { email: 'a@b.c', fullName })
    expect(status, fullName).toBe(201)
    expect((await send('GET', `${users}/${body.id}`)).body).toStrictEqual({ ...body, fullName })
  }
})

it('every text is a valid key and value of metadata, and is returned unchanged', async () => {
  const { post } = start()
  const metadata = JSON.parse(`{${texts.map((text) => `${JSON.stringify(text)}:[${JSON.stringify(text)}]`).join(',')}}`)
  const { status, body } = await post(users, { email: 'a@b.c', metadata })
  expect(status).toBe(201)
  expect(JSON.stringify(body.metadata)).toBe(JSON.stringify(metadata))
  expect(Object.keys(body.metadata)).toHaveLength(texts.length)
})

it('every non-empty text is a valid invoice, and a valid filter of links', async () => {
  const { send, post } = start()
  expect(await post(links, { invoice: '', type: 'partner', partner })).toMatchObject({
    status: 422,
    body: { code: 'invalidBody', details: [{ path: 'invoice', message: "invoice must not be empty (got '')." }] },
  })
  for (const invoice of texts.filter((text) => text !== '')) {
    const { status, body } = await post(links, { invoice, type: 'partner', partner })
    expect({ status, invoice: body.invoice }).toEqual({ status: 201, invoice })
    if (!isWellFormed(invoice)) continue
    const found = await send('GET', `${links}?${new URLSearchParams({ invoice })}`)
    expect(found.body.items, invoice).toEqual([body])
  }
})

it('every text is a valid payer, which is never returned', async () => {
  const { post } = start()
  for (const text of texts) {
    const user = { fullName: text, email: text, taxNumber: text }
    const { status, body } = await post(links, { invoice: 'inv_1', type: 'partner', partner: { user } })
    expect(status).toBe(201)
    expect(body.partner).toEqual({ redirectUrl: null })
  }
})

it('every text is accepted by a search', async () => {
  const { post } = start()
  await post(users, { email: 'a@b.c' })
  for (const email of texts) expect(await post(`${users}/search`, { email })).toMatchObject({ status: 200 })
})

it('every text is an unknown id', async () => {
  const { send } = start()
  for (const id of namesInPaths) {
    const at = encodeURIComponent(id)
    for (const [method, path, code] of [
      ['GET', `${users}/${at}`, 'userNotFound'],
      ['POST', `${links}/${at}/cancel`, 'paymentLinkNotFound'],
    ] as const) {
      const { status, body } = await send(method, path)
      expect({ status, code: body.code as unknown }, id).toEqual({ status: 404, code })
    }
  }
})

it('every text is rejected as an invalid value and as an unknown name of a parameter', async () => {
  const { send } = start({ behaviors: { unknownFields: 'reject' } })
  for (const text of texts.filter(isWellFormed)) {
    const value = encodeURIComponent(text)
    for (const path of [`${users}?after=${value}`, `${users}?limit=${value}`, `${links}?status=${value}`]) {
      const { status, body } = await send('GET', path)
      if (path.includes('limit') && /^\d{1,3}$/.test(text) && Number(text) <= 200) expect(status).toBe(200)
      else expect({ status, code: body.code as unknown }, path).toMatchObject({ status: 400 })
    }
    if (text !== '') expect(await send('GET', `${users}?${value}=x`), text).toMatchObject({ status: 400 })
  }
})

it('every text is accepted in a header or rejected with an error', async () => {
  const { send } = start()
  for (const text of texts.filter((one) => /^[\t -~\x80-\xff]*$/.test(one))) {
    for (const name of ['authorization', 'accept', 'content-type', 'x-request-id', 'user-agent']) {
      const { status, body } = await send('POST', users, { email: 'a@b.c' }, { [name]: text })
      expect([201, 401, 415], `${name}: ${text}`).toContain(status)
      if (status !== 201) expect(body.object).toBe('error')
    }
  }
})

it('every text is a valid project, also in the control API, in an export and on the pages', async () => {
  const { mock, send } = start({ journalSize: 5000 })
  for (const name of namesInPaths) {
    const at = `/projects/${encodeURIComponent(name)}`
    const made = await send('POST', `${at}/paymentLinks`, { invoice: name, type: 'partner', partner })
    expect(made.status, name).toBe(201)
    const page = await mock.fetch(made.body.paymentUrl)
    expect(page.status, name).toBe(200)
    const html = await page.text()
    if (name.includes('<') && name.length > 4) expect(html).not.toContain(name)
    expect((await mock.project(name).paymentLinks.get(made.body.id)).invoice).toBe(name)
    expect((await send('GET', `/__admin${at}`)).body).toMatchObject({ id: name, paymentLinks: 1 })
    expect((await mock.project(name).requests.list()).items.map(({ project }) => project)).toEqual([name])
  }
  expect((await mock.projects()).map(({ id }) => id)).toEqual([...namesInPaths].toSorted())
  const state = await mock.state.get()
  expect(await createMock({ seed: state }).state.get()).toEqual(state)
  expect((await mock.requests.list()).items).toHaveLength(namesInPaths.length)
  for (const view of ['projects', 'journal', 'diagnostics']) {
    const page = await mock.fetch(`/__admin/dashboard/${view}`)
    expect(page.status).toBe(200)
    expect(await page.text()).not.toMatch(/<script>alert|<img src=x/i)
  }
})

// Public collections of emails, language tags and URLs, unchanged and with mistakes.
// --- Emails of Dominic Sayers, based on the RFCs and on mistakes of validators

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
// The collection has pictures of control characters.
const unescaped = (text: string) =>
  text
    .replaceAll(/&#x(\w+);/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => entities[name]!)
    .replaceAll(/[\u2400-\u241f]/g, (picture) => String.fromCodePoint(picture.codePointAt(0)! - 0x2400))

const require = createRequire(import.meta.url)
const addresses = readFileSync(require.resolve('email-addresses/test/tests.xml'), 'utf8')
  .split('</test>')
  .flatMap((one) => {
    const [, category] = /<category>(\w+)</.exec(one) ?? []
    return category ? [{ email: unescaped(/<address>(.*?)<\/address>/s.exec(one)?.[1] ?? ''), category }] : []
  })

it('the documents accept the same emails and language tags as the mock', async () => {
  const mocked = await buildContract({})
  const control = await buildControlContract()
  const isDocumented = (name: string, value: string) => [
    mocked.problems(['components', 'schemas', 'UpdateUserBody', 'properties', name], value) === '',
    control.problems(['components', 'schemas', 'PatchUserBody', 'properties', name], value) === '',
  ]
  const odd = ['', 'a@b', '@', 'a@b@c', 'a b@c', '"a@"@b', 'a"b@c', '"a@b']
  for (const email of [...addresses.map((one) => one.email), ...odd])
    expect([email, ...isDocumented('email', email)]).toEqual([email, isEmail(email), isEmail(email)])
  const oddTags = ' e en_US en- english_US x x- i-klingon I-KLINGON en-GB-oed i-x'.split(' ')
  for (const tag of [...oddTags, ...whole])
    expect([tag, ...isDocumented('preferredLocale', tag)]).toEqual([tag, isLanguageTag(tag), isLanguageTag(tag)])
})

it('every email of the collection and every text is stored unchanged and found, or rejected by its path', async () => {
  const { post } = start({ journalSize: 1 })
  expect(addresses.length).toBeGreaterThan(150)
  const made = texts
    .flatMap((text) => [text, `${text}@example.com`, `ada@${text}`, `"${text}"@example.com`])
    // The others belong to the slow tests. Each form of an email is among these.
    .filter((_, index) => process.env.SLOW_TESTS || index % 9 === 0)
  for (const { email, category } of [...addresses, ...made.map((email) => ({ email, category: 'ISEMAIL_ERR' }))]) {
    const { status, body } = await post(users, { email })
    expect(status === 201, email).toBe(isEmail(email))
    if (status === 201) {
      expect(body.email).toBe(email)
      expect((await post(`${users}/search`, { email })).body.items).toContainEqual(body)
    } else {
      expect([status, body.code, body.details]).toMatchObject([422, 'invalidBody', [{ path: 'email' }]])
      // A valid email is rejected only for folded white space.
      if (category !== 'ISEMAIL_ERR') expect(email).toMatch(/[\s\p{Cc}]/u)
    }
  }
})

// --- Language tags: all registered by IANA, and their combinations according to RFC 5646

type Entry = { Type: string; Subtag?: string; Tag?: string; Prefix?: string[] }

// A range is represented by its ends.
const ofType = (type: string) => (registry as readonly Entry[]).filter(({ Type }) => Type === type)
const subtags = (type: string): readonly string[] => ofType(type).flatMap(({ Subtag = '' }) => Subtag.split('..'))
/** A variant after a prefix that it is registered for, or after any language without one. */
const prefixed = (type: string): readonly string[] =>
  ofType(type).flatMap(({ Subtag, Prefix = ['en'] }) => Prefix.map((prefix) => `${prefix}-${Subtag}`))

const whole = [...ofType('grandfathered'), ...ofType('redundant')].map(({ Tag }) => Tag!)
const built = [
  ...prefixed('extlang'),
  ...prefixed('variant'),
  ...subtags('script').map((script) => `zh-${script}-TW-x-mock`),
  ...subtags('region').map((region) => `de-Latn-${region}-1996-u-co-phonebk`),
]
const allTags = [...subtags('language'), ...whole, ...built]
// The others belong to the slow tests.
const tags = allTags.filter((_, index) => process.env.SLOW_TESTS || index % 24 === 0)

it('every language tag of the registry and each combination is accepted in any case and stored unchanged', async () => {
  expect(allTags.length).toBeGreaterThan(9000)
  const inAnyCase = tags.flatMap((tag) => [tag, tag.toUpperCase(), tag.toLowerCase()])
  expect(inAnyCase.filter((tag) => Locale.safeParse(tag).data !== tag)).toEqual([])
  const { post } = start({ journalSize: 1 })
  for (const preferredLocale of whole)
    expect((await post(users, { email: 'a@b.c', preferredLocale })).body).toMatchObject({ preferredLocale })
})

it('no language tag is accepted with an addition that the grammar does not allow', () => {
  const isTaken = (tag: string) => Locale.safeParse(tag).success
  for (const tag of tags) {
    const never = [`-${tag}`, `${tag}-`, ` ${tag}`, `${tag}\n`, `${tag}_x`, `${tag}.`, `${tag}-é`, `${tag}--x`]
    const besides = [`${tag}-abcdefghi`, `u-${tag}`, `${tag}-x-`, tag.replace(/^\w+/, '$&_')]
    expect([...never, ...besides].filter(isTaken), tag).toEqual([])
    // Some of these are valid tags by chance.
    const reversed = tag.split('-').toReversed().join('-')
    const maybe = [`Latn-${tag}`, `${tag}-DE-Latn`, `${tag}-u`, `${tag}-x`, `${tag}-1`, tag.replace('-', ''), reversed]
    for (const one of maybe) expect(isTaken(one), one).toBe(isLanguageTag(one))
  }
  for (const text of texts) expect(isTaken(text), text).toBe(isLanguageTag(text))
})

// --- URLs: those of a parser's tests, and difficult texts in every part of a URL

const partsOfUrls = [...naughty.map(String).filter((_, index) => part === 1 || index % 8 === 0), ...texts]
const everyUrl = [
  ...parsedUris
    .map(([url]) => url as string)
    .flatMap((url) => (url.startsWith('//') ? [url, `http:${url}`, `HTTPS:${url}`] : [url, `https://a.example${url}`])),
  ...partsOfUrls.flatMap((text) => [
    text,
    `http://${text}/`,
    `https://a.example/${text}`,
    `https://a.example/?q=${text}#${text}`,
  ]),
  ...addresses.flatMap(({ email }) => [`https://${email}/`, `https://a.example/${email}`]),
]
// The others belong to the slow tests.
const urls = everyUrl.filter((_, index) => process.env.SLOW_TESTS || index % 27 === 0)

it('every URL is stored unchanged and redirected to in its standard form, or rejected by its path', async () => {
  const { mock, post } = start({ journalSize: 1 })
  let taken = 0
  for (const redirectUrl of urls) {
    const { status, body } = await post(links, { invoice: 'i', type: 'partner', partner: { ...partner, redirectUrl } })
    expect(status === 201, redirectUrl).toBe(isRedirectUrl(redirectUrl))
    if (status === 201) {
      taken++
      expect(body.partner).toEqual({ redirectUrl })
      const paid = await mock.fetch(body.paymentUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'outcome=succeeded',
      })
      expect([paid.status, paid.headers.get('location')]).toEqual([303, new URL(redirectUrl).href])
    } else
      expect([status, body.code, body.details]).toMatchObject([422, 'invalidBody', [{ path: 'partner.redirectUrl' }]])
  }
  // Otherwise the test would prove nothing.
  expect(taken).toBeGreaterThan(urls.length / 4)
  expect(taken).toBeLessThan(urls.length)
})

// --- The formats, written from the specification

/** Rejects only what cannot be an address. Assumed: in quotes anything goes but control characters, as in RFC 5321. */
function isEmail(value: string): boolean {
  if (value.length > 320 || hasControl(value)) return false
  // A quote that is never closed hides the rest. Only the part before the `@` may be quoted.
  return /^[^@\s]+@[^@\s"]+$/.test(value.replaceAll(/"(?:[^"\\]|\\.)*"?/g, '"'))
}

/** The grammar of RFC 5646 §2.1. Well-formed is not valid: a variant or singleton may repeat. */
function isLanguageTag(value: string): boolean {
  const langtag =
    /^([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[0-9a-wy-z](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$/
  const tag = value.toLowerCase()
  return langtag.test(tag) || /^x(-[a-z0-9]{1,8})+$/.test(tag) || irregularTags.includes(tag)
}

const irregularTags =
  'en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu sgn-be-fr sgn-be-nl sgn-ch-de'.split(
    ' ',
  )

/** Assumed: a space is rejected anywhere in it, not only around it: an address has none. */
function isRedirectUrl(value: string): boolean {
  if (value.length > 2048 || hasControl(value) || value.trim() !== value) return false
  // Spelled out: scheme, two slashes and a host.
  const [scheme = '', host = ''] = value.split('://')
  if (!['http', 'https'].includes(scheme.toLowerCase()) || host === '' || '/\\'.includes(host.charAt(0))) return false
  // `URL.canParse` of Node 20 rejects letters beyond ASCII after many calls.
  const { username, password } = parseUrl(value) ?? { username: 'none', password: '' }
  return username === '' && password === ''
}

const hasControl = (value: string): boolean => /\p{Cc}/u.test(value)
