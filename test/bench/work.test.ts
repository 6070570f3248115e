import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Collection } from '../../src/core/domain/collection.ts'
import { createMock, type Mock, type Verification } from '../../src/node/index.ts'
import { getRoutes } from '../../src/core/mock/routes.ts'
import { readJson } from '../support/read.ts'
import { exec } from '../support/exec.ts'

// Time depends on the machine; work does not. These tests count operations that made requests slow before.

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }

const send = (url: string, method = 'GET', body?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => void text(response).then(resolve, reject))
    sent.on('error', reject).end(body)
  })

const listening = async () => {
  const mock = createMock({ seed: { projects: { acme: { generate: { users: 100 } } } } })
  const { url } = await mock.listen()
  const [user] = (await mock.project('acme').users.list({ limit: 1 })).items
  return { mock, users: `${url}/projects/acme/users`, id: user!.id }
}

describe('a request over HTTP', () => {
  it('replaces none of the web classes', async () => {
    const before = [globalThis.Request, globalThis.Response]
    const { mock, users, id } = await listening()
    await send(`${users}/${id}`)
    expect([globalThis.Request, globalThis.Response]).toEqual(before)
    await mock.close()
  })

  it('stringifies a record once', async () => {
    const { mock, users, id } = await listening()
    const first = await send(`${users}/${id}`)
    const stringify = vi.spyOn(JSON, 'stringify')
    expect(await send(`${users}/${id}`)).toBe(first)
    expect(stringify).not.toHaveBeenCalled()
    await mock.close()
  })
})

/** Counts how often a body that contains this is parsed as JSON. */
const countParsing = (part: string) => {
  const parse = vi.spyOn(JSON, 'parse')
  return () => parse.mock.calls.filter(([text]) => text.startsWith('{"email"') && text.includes(part)).length
}

const bodyOf = (n: number) => JSON.stringify({ email: `user${n}@example.com`, fullName: `Grace ${n} Marker` })

const create = (mock: Mock, n: number) =>
  mock.fetch('/projects/acme/users', { method: 'POST', headers, body: bodyOf(n) })

describe('a body', () => {
  it.each([1, 2, 30])('is parsed once to be matched and once to be created, with %i faults', async (count) => {
    await using mock = createMock()
    for (let n = 0; n < count; n++)
      await mock.faults.add({ match: { body: { email: `nobody${n}@example.com` } }, effect: { status: 503 } })
    const parsed = countParsing('Marker')
    expect((await create(mock, 1)).status).toBe(201)
    expect(parsed()).toBe(2)
  })

  it.each<[string, Verification]>([
    ['a match that is not there', { match: { body: { email: 'nobody@example.com' } } }],
    ['a match that is there', { match: { body: { email: 'user3@example.com' } } }],
    ['too many matches', { match: { body: {} }, times: { atMost: 1 } }],
    ['a sequence that is missing', { sequence: [{ body: { email: 'user1@example.com' } }, { body: { email: '-' } }] }],
  ])('is parsed once for a verification of %s', async (_, verification) => {
    await using mock = createMock()
    for (let n = 0; n < 8; n++) await create(mock, n)
    const parsed = countParsing('Marker')
    await mock.requests.verify(verification).catch(() => {})
    expect(parsed()).toBe(8)
  })

  it('is parsed once by a verification that waits for the last of many requests', async () => {
    await using mock = createMock()
    for (let n = 0; n < 4; n++) await create(mock, n)
    const parsed = countParsing('Marker')
    const waiting = mock.requests.verify({ match: { body: {} }, times: { atLeast: 8 }, within: 30_000 })
    for (let n = 4; n < 8; n++) await create(mock, n)
    expect(await waiting).toMatchObject({ actual: 8 })
    // Each of the last four was parsed to be created, too.
    expect(parsed()).toBe(8 + 4)
  })

  it('is not parsed by a verification of another operation', async () => {
    await using mock = createMock()
    for (let n = 0; n < 4; n++) await create(mock, n)
    const parsed = countParsing('Marker')
    await mock.requests.verify({ match: { operation: 'updateUser', body: {} }, times: { exactly: 0 } })
    expect(parsed()).toBe(0)
  })
})

/** The number of records that an action visits. */
const walkedDuring = async (act: () => Promise<unknown>): Promise<number> => {
  let count = 0
  const walk = Reflect.get(Collection.prototype, 'scan') as (...args: unknown[]) => Iterable<unknown>
  vi.spyOn(Collection.prototype, 'scan').mockImplementation(function* (this: Collection<never>, ...args) {
    for (const one of Reflect.apply(walk, this, args)) {
      count++
      yield one as never
    }
  })
  await act()
  vi.restoreAllMocks()
  return count
}

/** The number of records that are visited for a page of ten. */
const visited = async (records: number): Promise<number> => {
  await using mock = createMock({ seed: { projects: { acme: { generate: { users: records } } } } })
  const path = '/projects/acme/users'
  const page = (await readJson(mock.fetch(path, { headers }))) as { moreItemsAfter: string }
  return walkedDuring(() => mock.fetch(`${path}?after=${page.moreItemsAfter}`, { headers }))
}

it('the cost of a page does not depend on the number of records', async () => {
  expect(await visited(100)).toBe(12)
  expect(await visited(20_000)).toBe(12)
})

/** The number of records that an action looks up. */
const searchedDuring = async (act: () => Promise<unknown>): Promise<number> => {
  const lookups = vi.spyOn(Collection.prototype, 'get')
  await act()
  const count = lookups.mock.calls.length
  vi.restoreAllMocks()
  return count
}

it.each([
  ['user', '/projects/p0001/users/usr_none'],
  ['payment link', '/projects/p0001/paymentLinks/pml_none'],
  ['cursor', '/projects/p0001/users?after=usr_none'],
])('the cost of an unknown %s does not depend on the number of projects', async (_, path) => {
  const searched = (count: number) => {
    const names = Array.from({ length: count }, (__, n) => `p${String(n).padStart(4, '0')}`)
    const mock = createMock({ seed: { projects: Object.fromEntries(names.map((name) => [name, {}])) } })
    return searchedDuring(async () => expect((await mock.fetch(path, { headers })).ok).toBe(false))
  }
  const few = await searched(300)
  expect(few).toBeGreaterThan(0)
  expect(await searched(2000)).toBe(few)
})

it('mocks with equal options share their routes', () => {
  expect(getRoutes('partner', '', undefined).app).toBe(getRoutes('partner', '', undefined).app)
  expect(getRoutes('partner', '/v1', undefined).app).not.toBe(getRoutes('partner', '', undefined).app)
})

const dist = new URL('../../dist/', import.meta.url)
const sourceOf = (file: string) => readFileSync(new URL(file, dist), 'utf8')

/** The files that a file imports before it runs, itself included. */
const closure = (file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, name] of sourceOf(file).matchAll(/^import .*?["'](\.[^"']+)["'];$/gm))
    closure(new URL(name!, new URL(file, dist)).href.slice(dist.href.length), seen)
  return seen
}

const bytesOf = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + Buffer.byteLength(sourceOf(file)), 0)

it('the command line loads few files, and little before it has parsed its arguments', () => {
  const always = closure('cli/cli.js')
  const start = new Set([...always, ...closure('chunks/run-start.js')])
  expect([...always]).toEqual(['cli/cli.js', 'chunks/command-line.js', 'chunks/client.js'])
  expect(start.size).toBeLessThanOrEqual(12)
  expect(bytesOf(start)).toBeLessThan(570_000)
  expect(bytesOf(always)).toBeLessThan(91_000)
})

it.each([
  ['the library', 'node/index.js', 6, 510_000],
  ['the client', 'core/client/index.js', 3, 60_000],
])('an import of %s reads few files', (_, entry, maxFiles, maxBytes) => {
  const files = closure(entry)
  expect(files.size).toBeLessThanOrEqual(maxFiles)
  expect(bytesOf(files)).toBeLessThan(maxBytes)
})

it('an import of the library formats no number for a locale, which would load all locales', async () => {
  const program = `Number.prototype.toLocaleString = () => { throw new Error('formatted for a locale') }
    await import('${new URL('node/index.js', dist).href}')`
  await expect(exec(process.execPath, ['--input-type=module', '-e', program])).resolves.toBeDefined()
})
