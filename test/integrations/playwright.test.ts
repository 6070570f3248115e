import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Control, ProjectControl } from '../../src/client/index.ts'
import { createMock, type Mock, type MockOptions } from '../../src/node/index.ts'
import { paylinkTest, type RunningMock } from '../../src/playwright/index.ts'

type Use<T> = (value: T) => Promise<void>

/** What a fixture is told of its test. */
interface Info {
  readonly project: { readonly name: string }
  readonly titlePath: readonly string[]
  readonly repeatEachIndex: number
  readonly retry: number
  readonly status: string
  readonly expectedStatus: string
  readonly attach: (name: string, attachment: { readonly body: string; readonly contentType: string }) => Promise<void>
}

/** The fixtures as Playwright calls them. */
interface Fixtures {
  readonly mock: [(given: object, use: Use<Control>) => Promise<void>, object]
  readonly serviceUrl: [(given: { mock: Control }, use: Use<string>) => Promise<void>, object]
  readonly project: (given: { mock: Control }, use: Use<ProjectControl>, info: Info) => Promise<void>
}

// Stands in for the `test` of Playwright: what it is extended with is what is looked at.
const base = { extend: (fixtures: Fixtures) => fixtures }
const fixturesFor = (where?: MockOptions | RunningMock) => paylinkTest(base as never, where) as unknown as Fixtures

const info: Info = {
  project: { name: 'chromium' },
  titlePath: ['shop.spec.ts', 'a link', 'is paid'],
  repeatEachIndex: 0,
  retry: 0,
  status: 'passed',
  expectedStatus: 'passed',
  attach: async () => {},
}

/** Runs a body as one test, in a worker of its own. */
const runTest = async (
  fixtures: Fixtures,
  body: (given: { mock: Control; project: ProjectControl; serviceUrl: string }) => Promise<void>,
  told: Partial<Info> = {},
): Promise<void> =>
  fixtures.mock[0]({}, (mock) =>
    fixtures.serviceUrl[0]({ mock }, (serviceUrl) =>
      fixtures.project({ mock }, (project) => body({ mock, project, serviceUrl }), { ...info, ...told }),
    ),
  )

const startMock = async (adminToken?: string): Promise<{ mock: Mock; url: string }> => {
  const mock = createMock()
  onTestFinished(() => mock.close())
  return { mock, url: (await mock.listen({ adminToken })).url }
}

const addUser = async ({ project }: { project: ProjectControl }) =>
  void (await project.users.create({ email: 'ada@example.com' }))
const countUsers = async (project: ProjectControl) => (await project.users.list()).items.length

describe('a project on a mock that runs already', () => {
  it('starts empty, whatever an earlier run has left there', async () => {
    const { url } = await startMock()
    const fixtures = fixturesFor({ url })
    await runTest(fixtures, async ({ project }) => {
      await addUser({ project })
      await project.faults.add({ effect: { status: 503 } })
    })
    await runTest(fixtures, async ({ project }) => {
      expect(await countUsers(project)).toBe(0)
      expect(await project.faults.list()).toEqual([])
    })
  })

  it('leaves other projects as they are', async () => {
    const { mock, url } = await startMock()
    await addUser({ project: mock.project('other') })
    await runTest(fixturesFor({ url }), async () => {})
    expect(await countUsers(mock.project('other'))).toBe(1)
  })

  it('is reached with the admin token', async () => {
    const { url } = await startMock('secret')
    await runTest(fixturesFor({ url, adminToken: 'secret' }), addUser)
    await expect(runTest(fixturesFor({ url }), addUser)).rejects.toMatchObject({ code: 'adminTokenMissing' })
  })

  it.each([
    ['', '', ''],
    ['/', '', ''],
    ['', '/v1', '/v1'],
    ['/', '/v1', '/v1'],
    ['', '/v1/', '/v1'],
  ])('has a service URL, from an address that ends in %j and the base path %j', async (end, basePath, path) => {
    const { url } = await startMock()
    await runTest(fixturesFor({ url: url + end, basePath }), async ({ serviceUrl }) =>
      expect(serviceUrl).toBe(url + path),
    )
  })

  it('outlives the worker', async () => {
    const { url } = await startMock()
    await runTest(fixturesFor({ url }), async () => {})
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })
})

describe('a project on a mock of the worker', () => {
  it('is made from the options, and its mock ends with the worker', async () => {
    let url = ''
    const fixtures = fixturesFor({ basePath: '/v1', seed: { template: { users: [{ email: 'a@b.c' }] } } })
    await runTest(fixtures, async ({ project, serviceUrl }) => {
      url = serviceUrl
      expect(await countUsers(project)).toBe(1)
      const headers = { authorization: 'Bearer any' }
      expect((await fetch(`${serviceUrl}/projects/${project.id}/users`, { headers })).status).toBe(200)
    })
    expect(new URL(url).pathname).toBe('/v1')
    await expect(fetch(url)).rejects.toThrow(TypeError)
  })

  it('starts empty in another try', async () => {
    const { project } = fixturesFor()
    const mock = createMock()
    const run = (told: Partial<Info>, users: number) =>
      project(
        { mock },
        async (one) => {
          expect(await countUsers(one)).toBe(users)
          await addUser({ project: one })
        },
        { ...info, ...told },
      )
    await run({}, 0)
    await run({ retry: 1 }, 0)
  })

  it.each<[string, Partial<Info>]>([
    ['another browser', { project: { name: 'firefox' } }],
    ['another round', { repeatEachIndex: 1 }],
    ['another file', { titlePath: ['cart.spec.ts', 'a link', 'is paid'] }],
    ['another suite', { titlePath: ['shop.spec.ts', 'a cart', 'is paid'] }],
  ])('is another one for %s', async (_, told) => {
    const ids: string[] = []
    for (const one of [{}, told, {}])
      await runTest(fixturesFor(), async ({ project }) => void ids.push(project.id), one)
    expect(ids[0]).toMatch(/^is-paid-[0-9a-z]{16}$/)
    expect(ids[2]).toBe(ids[0])
    expect(ids[1]).not.toBe(ids[0])
  })
})

describe('the report of a project', () => {
  const reports = async (told: Partial<Info>) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => printed.mockRestore())
    const attached: unknown[] = []
    const attach: Info['attach'] = async (...attachment) => void attached.push(attachment)
    await runTest(fixturesFor(), addUser, { ...told, attach })
    return { printed: printed.mock.calls.flat(), attached }
  }

  it.each([
    ['a test that fails', { status: 'failed' }],
    ['a test that times out', { status: 'timedOut' }],
    ['a test that passes and should not', { expectedStatus: 'failed' }],
  ])('is printed and attached for %s', async (_, told) => {
    const { printed, attached } = await reports(told)
    expect(printed).toEqual([expect.stringContaining('ada@example.com')])
    expect(attached).toEqual([['paylink-mock', { body: printed[0], contentType: 'text/plain' }]])
  })

  it.each([
    ['passes', {}],
    ['fails as expected', { status: 'failed', expectedStatus: 'failed' }],
    ['is skipped', { status: 'skipped', expectedStatus: 'skipped' }],
  ])('is left out for a test that %s', async (_, told) => {
    expect(await reports(told)).toEqual({ printed: [], attached: [] })
  })
})
