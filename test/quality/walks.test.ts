// Proves: Tests themselves.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { type Profiler, Session } from 'node:inspector/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createMock, type Mock } from '../../src/node/index.ts'
import { textOf } from '../docs/pages.ts'
import { root } from '../support/installed.ts'

/** Returns the source files that a section of the page names. */
const listNamedFiles = (heading: string): string[] => {
  const section = textOf('docs/architecture.md')
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`))
  return [...new Set([...(section ?? '').matchAll(/`src\/([\w/-]+\.ts)`/g)].map(([, file]) => file!))]
}

/** Runs a walk, and returns the source files that executed functions, with the number of those that have a name. */
const countFunctions = async (run: () => Promise<unknown>): Promise<Map<string, number>> => {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  // The counts begin here: what was executed before does not count.
  await session.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  return new Map(result.flatMap((script) => countInScript(script)))
}

const countInScript = ({ url, functions }: Profiler.ScriptCoverage): [string, number][] => {
  const file = relative(join(root, 'src'), url.startsWith('file:') ? fileURLToPath(url) : url)
  // The module itself starts at 0.
  const executed = functions.filter(({ ranges: [range] }) => range!.count > 0 && range!.startOffset > 0)
  const named = executed.filter(({ functionName }) => functionName !== '')
  return file.startsWith('..') || executed.length === 0 ? [] : [[file, named.length]]
}

const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
const seed = {
  projects: { acme: { paymentLinks: [{ id: 'pml_open', invoice: 'inv_1' }], users: [{ email: 'ada@example.com' }] } },
}

/** Sends a request, unlike `fetch` without the check of the response by the setup of the tests, which runs code of `src`. */
const send = async (url: string, method = 'GET', body = '') => {
  const outgoing = request(url, { method, headers, agent: false }).end(body)
  const [incoming] = await once(outgoing, 'response')
  incoming.resume()
  await once(incoming, 'end')
}

/** The walks of the page. */
const walks: Readonly<Record<string, (url: string, mock: Mock) => Promise<unknown>>> = {
  'One request': (url) => send(`${url}/projects/acme/users`),
  'One command': (url) => send(`${url}/__admin/projects/acme/paymentLinks/pml_open/pay`, 'POST'),
  'A fault after the change': (url) => send(`${url}/projects/acme/users`, 'POST', '{"email":"bob@example.com"}'),
  'A call of the library': (_, mock) => mock.project('acme').users.create({ email: 'bob@example.com' }),
}

describe('the walks of docs/architecture.md', () => {
  it.each(Object.entries(walks))('%s: names the files to read', async (heading, walk) => {
    await using mock = createMock({ clock: 'frozen', seed })
    const { url } = await mock.listen()
    const prepare = async () => {
      await mock.reset()
      const match = { operation: 'createUser' as const }
      await mock.project('acme').faults.add({ match, phase: 'after', effect: { status: 503 } })
    }
    // The first time, a walk also loads what is loaded on demand.
    await prepare()
    await walk(url, mock)
    await prepare()
    const executed = await countFunctions(() => walk(url, mock))
    const named = listNamedFiles(heading)
    expect(named.filter((file) => !existsSync(join(root, 'src', file)))).toEqual([])
    expect(named.filter((file) => !executed.has(file))).toEqual([])
    const unnamed = [...executed].filter(([file, count]) => count > 2 && !named.includes(file))
    expect(unnamed.filter(([file]) => /^(?:api|domain|control|mock)\//.test(file))).toEqual([])
  })
})
