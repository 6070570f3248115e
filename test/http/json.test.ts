// Proves: HTTP edge, Sizes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errors } from '../../src/core/schema/error.ts'
import { readText } from '../../src/core/http/transport.ts'
import { parseJson, allowsJson, isJson, namesJson } from '../../src/core/http/json.ts'
import { toMockError } from '../support/read.ts'

describe('parseJson', () => {
  it('reads any JSON value of up to 64 levels like JSON.parse', () => {
    const property = fc.property(values, indents, (value, indent) => {
      const text = JSON.stringify(value, undefined, indent)
      expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)))
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('quotes invalid JSON, unless it may contain secrets', () => {
    const hidden = errors.malformedBody({ text: undefined }).message
    expect(() => parseJson('{tok_secret')).toThrow(errors.malformedBody({ text: '{tok_secret' }))
    expect(() => parseJson('{tok_secret', { secret: true })).toThrow(expect.objectContaining({ message: hidden }))
  })

  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
    ['both', '[{"a":', '}]'],
  ])('allows at most 64 levels of %s', (_, open, close) => {
    const levels = (count: number) => {
      const times = count / (open.match(/[[{]/g) ?? []).length
      return `${open.repeat(times)}1${close.repeat(times)}`
    }
    expect(parseJson(levels(64))).toBeDefined()
    expect(() => parseJson(levels(66))).toThrow('deeper than 64')
  })

  it('rejects a depth of 200,000, closed or not', () => {
    expect(() => parseJson('['.repeat(2e5) + ']'.repeat(2e5))).toThrow('deeper than 64')
    for (const text of ['['.repeat(2e5), '{"a":'.repeat(2e5)])
      expect(() => parseJson(text)).toThrow('is not valid JSON')
  })

  it.each([
    ['siblings', JSON.stringify(Array.from({ length: 1000 }, () => [[{}]]))],
    ['a text of brackets', JSON.stringify({ a: '['.repeat(1000), b: '{"'.repeat(1000) })],
    ['a key of brackets', JSON.stringify({ ['[{'.repeat(1000)]: 1 })],
    ['a text that ends in backslashes', JSON.stringify(['\\', '\\\\', '["', '\\"['.repeat(100)])],
  ])('counts no levels in %s', (_, text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  it.each(['', ' ', '\n\t\r ', '\ufeff'])('rejects an empty body: %j', (text) => {
    expect(toMockError(() => parseJson(text))).toMatchObject({
      code: 'malformedBody',
      status: 400,
      message: errors.malformedBody('empty').message,
    })
  })

  it.each(
    [
      '{ } [ ] {] [} {}} {"a"} {"a":} {"a":1,} [1,] {a:1} ["a":1] "a":1 " "a {"a undefined NaN tru 01 1.'.split(' '),
      '+1 0x10 {}{} email=ada%40example.com <xml/>'.split(' '),
      ["{'a':1}", '"a\\', '{"a":1 "b":2}', '"\t"', '"\\x"', '{"\\x":1,"\\x":2}', '{"\\u12":1}', '// comment\n{}'],
      ['\u00a0{}', '\ufeff\ufeff{}'],
    ].flat(),
  )('rejects invalid JSON with its own message: %j', (text) => {
    const error = toMockError(() => parseJson(text))
    expect(error.status).toBe(400)
    expect(error.toJSON()).toEqual(errors.malformedBody({ text }).toJSON())
  })

  it('quotes only the beginning of a body', () => {
    expect(toMockError(() => parseJson('x'.repeat(1e6))).message).toHaveLength(
      errors.malformedBody({ text: '' }).message.length + 43,
    )
  })

  it('reads or rejects any text like JSON.parse', () => {
    const pieces = fc.constantFrom(...'{ } [ ] : , " \\ "a" "b": null 1 {"a":1}'.split(' '), ' ', '\n')
    const property = fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      const value = valueOf(() => JSON.parse(text) as unknown)
      const own = valueOf(() => parseJson(text))
      if (value === 'thrown') expect(own).toBe('thrown')
      else expect(own).toEqual(value)
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('keeps a key named __proto__ as data', () => {
    const value = parseJson('{"__proto__":{"polluted":true}}') as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('readText', () => {
  it.each([
    ['text', '{"a":1}'],
    ['letters of two, three and four bytes', '{"é":"日本🙂"}'],
    ['nothing', ''],
  ])('reads %s, however it is cut into chunks', async (_, text) => {
    const bytes = new TextEncoder().encode(text)
    expect(await textOf(requestOf([bytes]), 100)).toBe(text)
    expect(await textOf(requestOf([...bytes].map((byte) => Uint8Array.of(byte))), 100)).toBe(text)
    expect(await textOf(requestOf([new Uint8Array(), bytes, new Uint8Array()]), 100)).toBe(text)
  })

  it('reads a request without a body as an empty string', async () => {
    expect(await textOf(new Request('http://mock', { method: 'POST' }), 100)).toBe('')
  })

  it('drops one byte order mark at the beginning only', async () => {
    const mark = [0xef, 0xbb, 0xbf]
    expect(await textOf(requestOf([Uint8Array.of(...mark, 0x7b, 0x7d)]), 100)).toBe('{}')
    expect(await textOf(requestOf([Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf, 0x7b, 0x7d)]), 100)).toBe('{}')
    expect(await textOf(requestOf([Uint8Array.of(...mark)]), 100)).toBe('')
    expect(await textOf(requestOf([Uint8Array.of(...mark, ...mark)]), 100)).toBe('\ufeff')
    expect(await textOf(requestOf([Uint8Array.of(0x7b, ...mark, 0x7d)]), 100)).toBe('{\ufeff}')
  })

  it.each([
    ['a byte that never is', [0xff]],
    ['a continuation alone', [0x80]],
    ['a beginning alone', [0xc3]],
    ['a letter cut off', [0xf0, 0x9f, 0x99]],
    ['a letter written too long', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a letter beyond the last', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin 1', [0x22, 0xe9, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('rejects what is not UTF-8: %s', async (_, bytes) => {
    for (const chunks of [[Uint8Array.from(bytes)], bytes.map((byte) => Uint8Array.of(byte))])
      await expect(textOf(requestOf(chunks), 100)).rejects.toMatchObject({
        code: 'malformedBody',
        message: errors.malformedBody('notUtf8').message,
      })
  })

  it.each([
    ['in one chunk', [5]],
    ['in many', [1, 1, 1, 1, 1]],
    ['with an empty one at its end', [5, 0]],
  ])('accepts a body of the size of the limit, and rejects one more byte: %s', async (_, sizes) => {
    const chunks = sizes.map((size) => new Uint8Array(size).fill(0x61))
    expect(await textOf(requestOf(chunks), 5)).toBe('aaaaa')
    await expect(textOf(requestOf(chunks), 4)).rejects.toMatchObject({
      code: 'bodyTooLarge',
      status: 413,
      message: errors.bodyTooLarge(4).message,
    })
  })

  it('counts bytes, not letters', async () => {
    await expect(textOf(requestOf([new TextEncoder().encode('ééé')]), 5)).rejects.toMatchObject({
      code: 'bodyTooLarge',
    })
  })

  it('reads nothing of a body with an announced length beyond the limit', async () => {
    const source = endless()
    await expect(textOf(requestOf(source.stream, { 'content-length': '6' }), 5)).rejects.toMatchObject({
      code: 'bodyTooLarge',
    })
    expect(source.pulled()).toBe(0)
  })

  it.each([
    ['none', undefined],
    ['a lie', '1'],
    ['no number', 'many'],
    ['a negative one', '-1'],
    ['the empty text', ''],
  ])('stops reading when a body grows beyond the limit, whatever length was announced: %s', async (_, length) => {
    const source = endless()
    const request = requestOf(source.stream, length === undefined ? {} : { 'content-length': length })
    await expect(textOf(request, 2500)).rejects.toMatchObject({
      code: 'bodyTooLarge',
      message: errors.bodyTooLarge(2500).message,
    })
    expect(source.pulled()).toBeLessThan(6)
    expect(source.canceled()).toBe(true)
  })

  it.each([['5'], ['0'], ['4']])('reads a body whose announced length is within the limit: %s', async (length) => {
    const chunk = new TextEncoder().encode('aaaaa')
    expect(await textOf(requestOf([chunk], { 'content-length': length }), 5)).toBe('aaaaa')
  })

  it('rejects a body that ends too early', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('gone away')) })
    await expect(textOf(requestOf(broken), 5)).rejects.toMatchObject({
      code: 'malformedBody',
      status: 400,
      message: errors.malformedBody('incomplete').message,
    })
  })
})

// --- Random JSON

/** Any value with at most 64 levels. */
const values = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.array(fc.boolean(), { maxLength: 64 }))
  .map(([core, levels]) => wrapped(core, levels.slice(0, 64 - depthOf(core))))

const indents = fc.constantFrom(undefined, 1, '\t', '\r\n')

const wrapped = (core: unknown, levels: readonly boolean[]): unknown =>
  levels.reduce<unknown>((value, isArray) => (isArray ? [value] : { a: value, b: ']}' }), core)

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

// --- Helpers

const textOf = (raw: Request, limit: number) =>
  readText({ req: { raw }, env: {} } as Parameters<typeof readText>[0], limit)

function valueOf(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return 'thrown'
  }
}

function requestOf(body: readonly Uint8Array[] | ReadableStream, headers: Record<string, string> = {}): Request {
  const stream = body instanceof ReadableStream ? body : streamOf(body)
  return new Request('http://mock', { method: 'POST', body: stream, headers, duplex: 'half' } as RequestInit)
}

const streamOf = (chunks: readonly Uint8Array[]): ReadableStream =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

/** A body that never ends, in chunks of 1,000 bytes. */
function endless() {
  let pulled = 0
  let canceled = false
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        pulled++
        controller.enqueue(new Uint8Array(1000).fill(0x61))
      },
      cancel: () => {
        canceled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, pulled: () => pulled, canceled: () => canceled }
}

describe('a content type', () => {
  it.each([
    ...'application/json application/json;charset=UTF-8 application/json; Application/JSON'.split(' '),
    ...'application/problem+json application/vnd.api+json application/a+b+json model/gltf+json'.split(' '),
    'application/json; charset=utf-8',
    ' application/json ',
    'application/vnd.acme.user-v1+json; profile="x"',
  ])('says JSON: %j', (contentType) => {
    expect(isJson(contentType)).toBe(true)
  })

  it.each(
    [
      '; json text/json text/plain text/plain;application/json application/jsonp application/json5'.split(' '),
      'application/json-seq application/x-json application/+json application/xml xapplication/json'.split(' '),
      'application/x-www-form-urlencoded multipart/form-data image/svg+xml'.split(' '),
      ['', 'text/plain; a=application/json', 'application/json, text/plain', 'application /json'],
    ].flat(),
  )('does not say JSON: %j', (contentType) => {
    expect(isJson(contentType)).toBe(false)
  })
})

describe('an Accept header', () => {
  it.each(
    [
      'application/json APPLICATION/JSON */* application/* application/problem+json'.split(' '),
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 application/json;q=0.1'.split(' '),
      'application/json;q=0.001 application/json;q=1 application/json;v=0 application/json;xq=0'.split(' '),
      ['application/json; charset=utf-8', 'text/html, application/json', 'text/html;q=0, application/json'],
      [' , application/json'],
    ].flat(),
  )('admits JSON: %j', (accept) => {
    expect(allowsJson(accept)).toBe(true)
  })

  it.each([
    ...', text/html text/* application/json;q=0 application/json;q=0.000'.split(' '),
    ...'application/json;charset=utf-8;Q=0 */*;q=0 application/*;q=0 */json * application/jsonp'.split(' '),
    '',
    'text/html, application/xml',
    'application/json; q=0.0',
  ])('does not admit JSON: %j', (accept) => {
    expect(allowsJson(accept)).toBe(false)
  })

  // RFC 9110, section 12.5.1: the most specific range counts.
  const acceptHeaders = [
    'application/json;q=0, */*',
    '*/*, application/json;q=0',
    'application/*, application/json;q=0',
  ]
  it.each(acceptHeaders)('does not admit JSON when it rejects that by name: %j', (accept) => {
    expect(allowsJson(accept)).toBe(false)
  })

  const withName = ['application/json', 'text/html, application/problem+json', '*/*;q=0, application/json;q=0.1']
  it.each(withName)('names JSON: %j', (accept) => {
    expect(namesJson(accept)).toBe(true)
  })

  const withoutName = ['', '*/*', 'application/*', 'text/html', 'application/json;q=0, text/html']
  it.each(withoutName)('does not name JSON: %j', (accept) => {
    expect(namesJson(accept)).toBe(false)
  })
})
