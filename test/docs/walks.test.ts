import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { explore } from '../../src/explore/index.ts'
import { root } from '../support/installed.ts'
import { textOf } from './pages.ts'
import { listeningMock } from '../support/mock.ts'

const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }

/** Starts a mock with a user and a link, and returns the walks of the guide by their titles. */
const startWalks = async () => {
  const paymentLinks = Array.from({ length: 2 }, (_, index) => ({ id: `pml_${index}`, invoice: 'inv_1' }))
  const { mock, url } = await listeningMock({
    seed: { projects: { acme: { users: [{ email: 'ada@example.com' }], paymentLinks } } },
  })
  const acme = mock.project('acme')
  const send = async (status: number, method: string, path: string, body?: object) => {
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    expect(response.status).toBe(status)
    await response.text()
  }
  let count = 0
  const createEmail = () => `user-${++count}@example.com`
  return {
    'One request': () => send(200, 'GET', '/projects/acme/users'),
    'One command': () => send(200, 'POST', `/__admin/projects/acme/paymentLinks/pml_${count++}/pay`, {}),
    'A fault after the change': async () => {
      await acme.faults.add({ phase: 'after', effect: { status: 503 } })
      await send(503, 'POST', '/projects/acme/users', { email: createEmail() })
    },
    'A call of the library': () => acme.users.create({ email: createEmail() }),
    'A search in this process': () =>
      explore({ flow: ({ fetch: call }) => call('/projects/acme/users', { headers }), invariant: () => {} }),
  }
}

/** Returns the files of `src` in which a function ran during a call. */
const listRunFiles = async (run: () => Promise<unknown>): Promise<string[]> => {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await session.post('Profiler.takePreciseCoverage')
    await run()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => ranges.some((range) => range.count > 0)))
      .map(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : url))
      .flatMap((path) => (path.startsWith(`${root}src/`) ? path.slice(root.length) : []))
  } finally {
    session.disconnect()
  }
}

const titles = [
  'One request',
  'One command',
  'A fault after the change',
  'A call of the library',
  'A search in this process',
] as const

it.each(titles)('the walk "%s" names at most ten files, and each runs in it', async (title) => {
  const [, text = ''] = new RegExp(`^## ${title}\\n([^]*?)^## `, 'm').exec(textOf('docs/architecture.md')) ?? []
  const named = [...new Set([...text.matchAll(/`(src\/[\w./-]+\.ts)`/g)].map(([, file]) => file!))]
  const walk = (await startWalks())[title]
  // Modules are loaded, and functions compiled, before the walk that counts.
  await walk()
  const runFiles = await listRunFiles(walk)
  expect(
    named.filter((file) => !runFiles.includes(file)),
    'named, but not run',
  ).toEqual([])
  expect(named.length).toBeGreaterThan(4)
  expect(named.length).toBeLessThanOrEqual(10)
})
