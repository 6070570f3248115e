// Proves: HTTP edge.
/** Public collections of emails, language tags and URLs, unchanged and with mistakes. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import naughty from 'big-list-of-naughty-strings' with { type: 'json' }
import parsedUris from 'fast-uri/test/fixtures/uri-js-parse.json' with { type: 'json' }
import registry from 'language-subtag-registry/data/json/registry.json' with { type: 'json' }
import { expect, it } from 'vitest'
import { createMock } from '../../../src/node/index.ts'
import { Locale } from '../../../src/schema/field.ts'
import { isEmail, isLanguageTag, isRedirectUrl } from '../../properties/model/formats.ts'
import { buildControlContract } from '../../support/control-contract.ts'
import { buildContract } from '../../support/openapi.ts'
import { readResponse } from '../../support/read.ts'

// `TEXTS=all` uses all of them.
const all = process.env.TEXTS === 'all'

const start = () => {
  const mock = createMock({ journalSize: 1 })
  const post = async (path: string, body: unknown) => {
    const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
    const response = await mock.fetch(`/projects/acme${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return readResponse(response)
  }
  return { mock, post }
}

// --- Emails of Dominic Sayers, based on the RFCs and on mistakes of validators

interface Address {
  readonly email: string
  readonly category: string
}

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
  .flatMap((one): Address[] => {
    const category = /<category>(\w+)</.exec(one)?.[1]
    return category === undefined
      ? []
      : [{ email: unescaped(/<address>(.*?)<\/address>/s.exec(one)?.[1] ?? ''), category }]
  })

it('the documents accept the same emails and language tags as the mock', async () => {
  const mocked = await buildContract({})
  const control = await buildControlContract()
  const isDocumented = (name: string, value: string) => [
    mocked.problems(['components', 'schemas', 'UpdateUserBody', 'properties', name], value) === '',
    control.problems(['components', 'schemas', 'PatchUserBody', 'properties', name], value) === '',
  ]
  for (const email of [
    ...addresses.map((one) => one.email),
    '',
    'a@b',
    '@',
    'a@b@c',
    'a b@c',
    '"a@"@b',
    'a"b@c',
    '"a@b',
  ])
    expect([email, ...isDocumented('email', email)]).toEqual([email, isEmail(email), isEmail(email)])
  for (const tag of [
    '',
    'e',
    'en_US',
    'en-',
    'english_US',
    'x',
    'x-',
    'i-klingon',
    'I-KLINGON',
    'en-GB-oed',
    'i-x',
    ...whole,
  ])
    expect([tag, ...isDocumented('preferredLocale', tag)]).toEqual([tag, isLanguageTag(tag), isLanguageTag(tag)])
})

it('every email of the collection is stored unchanged and found, or rejected by its path', async () => {
  const { post } = start()
  expect(addresses.length).toBeGreaterThan(150)
  for (const { email, category } of addresses) {
    const { status, body } = await post('/users', { email })
    expect(status === 201, email).toBe(isEmail(email))
    if (status === 201) {
      expect(body.email).toBe(email)
      expect((await post('/users/search', { email })).body.items).toContainEqual(body)
    } else {
      expect([status, body.code, body.details]).toMatchObject([422, 'invalidBody', [{ path: 'email' }]])
      // A valid email is rejected only for folded white space.
      if (category !== 'ISEMAIL_ERR') expect(email).toMatch(/[\s\p{Cc}]/u)
    }
  }
})

// --- Language tags: all registered by IANA, and their combinations according to RFC 5646

interface Entry {
  readonly Type: string
  readonly Subtag?: string
  readonly Tag?: string
  readonly Prefix?: readonly string[]
}

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
const tags = [...subtags('language'), ...whole, ...built]

it('every language tag of the registry and each combination is accepted in any case and stored unchanged', async () => {
  expect(tags.length).toBeGreaterThan(9000)
  const inAnyCase = tags.flatMap((tag) => [tag, tag.toUpperCase(), tag.toLowerCase()])
  expect(inAnyCase.filter((tag) => Locale.safeParse(tag).data !== tag)).toEqual([])
  const { post } = start()
  for (const preferredLocale of [...whole, ...prefixed('variant')])
    expect((await post('/users', { email: 'a@b.c', preferredLocale })).body).toMatchObject({ preferredLocale })
})

it('no language tag is accepted with an addition that the grammar does not allow', () => {
  const isTaken = (tag: string) => Locale.safeParse(tag).success
  const some = [...subtags('language').filter((_, index) => index % 16 === 0), ...whole, ...built]
  for (const tag of some) {
    const never = [`-${tag}`, `${tag}-`, ` ${tag}`, `${tag}\n`, `${tag}_x`, `${tag}.`, `${tag}-é`, `${tag}--x`]
    const besides = [`${tag}-abcdefghi`, `u-${tag}`, `${tag}-x-`, tag.replace(/^\w+/, '$&_')]
    expect([...never, ...besides].filter(isTaken), tag).toEqual([])
    // Some of these are valid tags by chance.
    const reversed = tag.split('-').toReversed().join('-')
    const maybe = [`Latn-${tag}`, `${tag}-DE-Latn`, `${tag}-u`, `${tag}-x`, `${tag}-1`, tag.replace('-', ''), reversed]
    for (const one of maybe) expect(isTaken(one), one).toBe(isLanguageTag(one))
  }
})

// --- URLs: those of a parser's tests, and difficult texts in every part of a URL

const parts = naughty.map(String).filter((_, index) => all || index % 8 === 0)
const urls = [
  ...parsedUris
    .map(([url]) => url as string)
    .flatMap((url) => (url.startsWith('//') ? [url, `http:${url}`, `HTTPS:${url}`] : [url, `https://a.example${url}`])),
  ...parts.flatMap((text) => [
    text,
    `http://${text}/`,
    `https://a.example/${text}`,
    `https://a.example/?q=${text}#${text}`,
  ]),
  ...addresses.flatMap(({ email }) => [`https://${email}/`, `https://a.example/${email}`]),
]

it('every URL is stored unchanged and redirected to in its standard form, or rejected by its path', async () => {
  const { mock, post } = start()
  let taken = 0
  for (const redirectUrl of urls) {
    const { status, body } = await post('/paymentLinks', {
      invoice: 'inv_1',
      type: 'partner',
      partner: { user: {}, redirectUrl },
    })
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
