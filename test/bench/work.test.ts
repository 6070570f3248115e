import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { OrderedSet } from '../../src/domain/ordered-set.ts'
import { createMock } from '../../src/node/index.ts'
import { routesOf } from '../../src/routes.ts'

// Time depends on the machine; work does not. What is counted here is what made requests slow before.

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

/** Counts how often the web's classes are made while something is done. */
const counting = () => {
  const made = { Request: 0, Response: 0, Headers: 0 }
  for (const name of ['Request', 'Response', 'Headers'] as const)
    vi.stubGlobal(
      name,
      new Proxy(globalThis[name], {
        construct: (target, args, newTarget) => {
          made[name]++
          return Reflect.construct(target, args, newTarget) as object
        },
      }),
    )
  return made
}

const listening = async () => {
  const mock = createMock({ seed: { projects: { acme: { generate: { users: 100 } } } } })
  const { url } = await mock.listen()
  const [user] = (await mock.project('acme').users.list({ limit: 1 })).items
  return { mock, users: `${url}/projects/acme/users`, id: user!.id }
}

describe('a request over HTTP', () => {
  it('makes none of the classes of the web, and replaces none', async () => {
    const { mock, users, id } = await listening()
    const before = [globalThis.Request, globalThis.Response]
    await send(`${users}/${id}`)
    expect([globalThis.Request, globalThis.Response]).toEqual(before)

    const made = counting()
    await send(`${users}/${id}`)
    await send(users)
    await send(users, 'POST', '{"email":"ada@example.com"}')
    await send(`${users}/search`, 'POST', '{"email":"ada@example.com"}')
    await send(`${users}/usr_none`)
    expect(made).toMatchObject({ Request: 0, Response: 0 })
    await mock.close()
  })

  it('makes the text of a row once', async () => {
    const { mock, users, id } = await listening()
    const first = await send(`${users}/${id}`)
    const stringify = vi.spyOn(JSON, 'stringify')

    expect(await send(`${users}/${id}`)).toBe(first)
    expect(stringify).not.toHaveBeenCalled()
    await mock.close()
  })
})

/** How many rows are looked at for a page of ten. */
const visited = async (rows: number): Promise<number> => {
  await using mock = createMock({ seed: { projects: { acme: { generate: { users: rows } } } } })
  const path = '/projects/acme/users'
  const page = (await (await mock.fetch(path, { headers })).json()) as { moreItemsAfter: string }
  let count = 0
  const walk = Reflect.get(OrderedSet.prototype, 'walk') as (...args: unknown[]) => Iterable<unknown>
  vi.spyOn(OrderedSet.prototype, 'walk').mockImplementation(function* (this: OrderedSet<unknown>, ...args) {
    for (const one of Reflect.apply(walk, this, args)) {
      count++
      yield one as never
    }
  })
  await mock.fetch(`${path}?after=${page.moreItemsAfter}`, { headers })
  vi.restoreAllMocks()
  return count
}

it('a page costs what it shows, however many rows there are', async () => {
  expect(await visited(100)).toBe(12)
  expect(await visited(20_000)).toBe(12)
})

it('mocks that are alike share their routes', () => {
  expect(routesOf('partner', '').app).toBe(routesOf('partner', '').app)
  expect(routesOf('partner', '/v1').app).not.toBe(routesOf('partner', '').app)
})

const sourceOf = (file: string) => readFileSync(new URL(`../../dist/node/${file}`, import.meta.url), 'utf8')

/** The files that a file imports before it runs, itself included. */
const closure = (file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, name] of sourceOf(file).matchAll(/^import .*?["']\.\/([^"']+)["'];$/gm)) closure(name!, seen)
  return seen
}

const bytesOf = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + Buffer.byteLength(sourceOf(file)), 0)

it('the command line reads few files, and little before it knows what is asked', () => {
  const always = closure('cli.js')
  const start = new Set([...always, ...closure('start.bundle.js')])
  expect(start.size).toBeLessThanOrEqual(24)
  expect(bytesOf(start)).toBeLessThan(900_000)
  expect(bytesOf(always)).toBeLessThan(40_000)
  // These bring HTTP/2 and all of `fetch` with them: only what streams needs it.
  expect([...start].filter((file) => /from "node:http2"|globalThis\.Response/.test(sourceOf(file)))).toEqual([])
})
