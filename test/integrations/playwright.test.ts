import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ProjectControl, Sandbox, ServerControl } from '../../src/core/client/index.ts'
import { createMock, type Mock, type MockOptions } from '../../src/node/index.ts'
import { paylinkTest, type RunningMock } from '../../src/testing/playwright/index.ts'
import { readJson, countDistinct } from '../support/read.ts'
import { listeningMock } from '../support/mock.ts'

type Use<T> = (value: T) => Promise<void>

/** The test info of a fixture. */
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
  readonly mock: [(given: object, use: Use<ServerControl>) => Promise<void>, object]
  readonly address: [(given: { mock: ServerControl }, use: Use<string>) => Promise<void>, object]
  readonly serviceUrl: [(given: { address: string }, use: Use<string>) => Promise<void>, object]
  readonly project: (given: { mock: ServerControl }, use: Use<ProjectControl>, info: Info) => Promise<void>
}

// Replaces the `test` of Playwright and returns the fixtures that it is extended with.
const base = { extend: (fixtures: Fixtures) => fixtures }
/** The fixtures that a sandbox replaces. */
interface SandboxFixtures {
  readonly sandbox: (given: { mock: ServerControl }, use: Use<Sandbox>, info: Info) => Promise<void>
  readonly serviceUrl: (given: { sandbox: Sandbox }, use: Use<string>) => Promise<void>
}

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

/** Runs a body as one test, in a separate worker. */
const runTest = async (
  fixtures: Fixtures,
  body: (given: { mock: ServerControl; project: ProjectControl; serviceUrl: string }) => Promise<void>,
  testInfo: Partial<Info> = {},
): Promise<void> =>
  fixtures.mock[0]({}, (mock) =>
    fixtures.address[0]({ mock }, (address) =>
      fixtures.serviceUrl[0]({ address }, (serviceUrl) =>
        fixtures.project({ mock }, (project) => body({ mock, project, serviceUrl }), { ...info, ...testInfo }),
      ),
    ),
  )

const addUser = async ({ project }: { project: ProjectControl }) =>
  void (await project.users.create({ email: 'ada@example.com' }))
const countUsers = async (project: ProjectControl) => (await project.users.list()).items.length

describe('a project on a running mock', () => {
  it('starts empty after any earlier run', async () => {
    const { url } = await listeningMock()
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

  it('leaves other projects unchanged', async () => {
    const { mock, url } = await listeningMock()
    await addUser({ project: mock.project('other') })
    await runTest(fixturesFor({ url }), async () => {})
    expect(await countUsers(mock.project('other'))).toBe(1)
  })

  it('is reached with the admin token', async () => {
    const { url } = await listeningMock({}, { adminToken: 'secret' })
    await runTest(fixturesFor({ url, adminToken: 'secret' }), addUser)
    await expect(runTest(fixturesFor({ url }), addUser)).rejects.toMatchObject({ code: 'adminTokenMissing' })
  })

  it.each([
    ['', '', ''],
    ['/', '', ''],
    ['', '/v1', '/v1'],
    ['/', '/v1', '/v1'],
    ['', '/v1/', '/v1'],
  ])('has a service URL for a URL that ends in %j and the base path %j', async (end, basePath, path) => {
    const { url } = await listeningMock()
    await runTest(fixturesFor({ url: url + end, basePath }), async ({ serviceUrl }) =>
      expect(serviceUrl).toBe(url + path),
    )
  })

  it('outlives the worker', async () => {
    const { url } = await listeningMock()
    await runTest(fixturesFor({ url }), async () => {})
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })
})

describe('a project on a mock of the worker', () => {
  it('uses the options, and its mock ends with the worker', async () => {
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

  it('starts empty in a retry', async () => {
    const { project } = fixturesFor()
    const mock = createMock()
    const run = (testInfo: Partial<Info>, users: number) =>
      project(
        { mock },
        async (one) => {
          expect(await countUsers(one)).toBe(users)
          await addUser({ project: one })
        },
        { ...info, ...testInfo },
      )
    await run({}, 0)
    await run({ retry: 1 }, 0)
  })

  it.each<[string, Partial<Info>]>([
    ['another browser', { project: { name: 'firefox' } }],
    ['another round', { repeatEachIndex: 1 }],
    ['another file', { titlePath: ['cart.spec.ts', 'a link', 'is paid'] }],
    ['another suite', { titlePath: ['shop.spec.ts', 'a cart', 'is paid'] }],
  ])('is different for %s', async (_, testInfo) => {
    const ids: string[] = []
    for (const one of [{}, testInfo, {}])
      await runTest(fixturesFor(), async ({ project }) => void ids.push(project.id), one)
    expect(ids[0]).toMatch(/^is-paid-[0-9a-z]{16}$/)
    expect(ids[2]).toBe(ids[0])
    expect(ids[1]).not.toBe(ids[0])
  })
})

describe('the report of a project', () => {
  const reports = async (testInfo: Partial<Info>) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => printed.mockRestore())
    const attached: unknown[] = []
    const attach: Info['attach'] = async (...attachment) => void attached.push(attachment)
    await runTest(fixturesFor(), addUser, { ...testInfo, attach })
    return { printed: printed.mock.calls.flat(), attached }
  }

  it.each([
    ['a test that fails', { status: 'failed' }],
    ['a test that times out', { status: 'timedOut' }],
    ['a test that passes and should not', { expectedStatus: 'failed' }],
  ])('is printed and attached for %s', async (_, testInfo) => {
    const { printed, attached } = await reports(testInfo)
    expect(printed).toEqual([expect.stringContaining('ada@example.com')])
    expect(attached).toEqual([['paylink-mock', { body: printed[0], contentType: 'text/plain' }]])
  })

  it.each([
    ['passes', {}],
    ['fails as expected', { status: 'failed', expectedStatus: 'failed' }],
    ['is skipped', { status: 'skipped', expectedStatus: 'skipped' }],
  ])('is omitted for a test that %s', async (_, testInfo) => {
    expect(await reports(testInfo)).toEqual({ printed: [], attached: [] })
  })
})

describe('a fault that never applied', () => {
  const warningsOf = async (call: (given: { mock: ServerControl; project: ProjectControl }) => Promise<unknown>) => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warned.mockRestore())
    await runTest(fixturesFor(), async (given) => void (await call(given)))
    return warned.mock.calls.flat()
  }
  const rule = { match: { operation: 'listUsers' }, effect: { status: 503 } } as const

  it('is printed as a warning at the end of the test, with the nearest request', async () => {
    const warnings = await warningsOf(async ({ mock, project }) => {
      await project.faults.add(rule)
      await (mock as Mock).fetch(`/projects/${project.id}/paymentLinks`)
    })
    expect(warnings).toEqual([expect.stringMatching(/^A fault with .* GET .*paymentLinks \(401\)/)])
  })

  it('is not printed once it has applied, or was removed', async () => {
    const warnings = await warningsOf(async ({ mock, project }) => {
      await project.faults.add(rule)
      await (mock as Mock).fetch(`/projects/${project.id}/users`)
      await (await project.faults.add(rule)).remove()
    })
    expect(warnings).toEqual([])
  })
})

describe('a sandbox of a test', () => {
  type Given = { sandbox: Sandbox; serviceUrl: string }
  const runInSandbox = async (where: object, body: (given: Given) => Promise<void>, testInfo: Partial<Info> = {}) => {
    const fixtures = paylinkTest(base as never, { ...where, isolation: 'sandbox' }) as unknown as Fixtures &
      SandboxFixtures
    await fixtures.mock[0]({}, (mock) =>
      fixtures.address[0]({ mock }, () =>
        fixtures.sandbox(
          { mock },
          (sandbox) => fixtures.serviceUrl({ sandbox }, (serviceUrl) => body({ sandbox, serviceUrl })),
          { ...info, ...testInfo },
        ),
      ),
    )
  }
  const projects = { acme: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } }

  it('is in its service URL, on a mock of the worker', async () => {
    await runInSandbox({ basePath: '/v1', seed: { projects } }, async ({ sandbox, serviceUrl }) => {
      expect(sandbox.name).toMatch(/^is-paid-[0-9a-f]{16}$/)
      expect(new URL(serviceUrl).pathname).toBe(`/@${sandbox.name}/v1`)
      const headers = { authorization: 'Bearer any' }
      const response = await fetch(`${serviceUrl}/projects/acme/paymentLinks/pml_1`, { headers })
      expect((await readJson(response)).paymentUrl).toContain(`/@${sandbox.name}/pay/acme/pml_1`)
    })
  })

  it('starts from the seed on a running mock, whatever an earlier run left', async () => {
    const { mock, url } = await listeningMock({}, { adminToken: 'secret' })
    const where = { url, adminToken: 'secret' }
    const names: string[] = []
    for (const testInfo of [{}, {}, { retry: 1 }])
      await runInSandbox(
        where,
        async ({ sandbox, serviceUrl }) => {
          names.push(sandbox.name)
          expect(serviceUrl).toBe(`${url}/@${sandbox.name}`)
          expect(await sandbox.projects()).toEqual([])
          await sandbox.project('acme').users.create({ email: 'ada@example.com' })
        },
        testInfo,
      )
    expect(countDistinct(names)).toBe(1)
    expect((await mock.sandboxes.list()).map(({ name }) => name)).toEqual([names[0]])
  })

  it('is printed and attached with all its projects if the test fails', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => printed.mockRestore())
    const attached: unknown[] = []
    const fill = async ({ sandbox }: Given) => {
      for (const project of ['acme', 'nova']) await sandbox.project(project).users.create({ email: `${project}@b.c` })
    }
    await runInSandbox({}, fill, { status: 'failed', attach: async (...one) => void attached.push(one) })
    const text = String(printed.mock.calls.flat())
    expect(text).toContain('acme@b.c')
    expect(text).toContain('nova@b.c')
    expect(attached).toEqual([['paylink-mock', { body: text, contentType: 'text/plain' }]])
  })

  it('prints a warning of a fault that never applied', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warned.mockRestore())
    await runInSandbox({}, async ({ sandbox }) => void (await sandbox.faults.add({ effect: { status: 503 } })))
    expect(warned.mock.calls).toEqual([[expect.stringContaining('never applied')]])
  })

  it('rejects another isolation', () => {
    const message = "isolation must be 'project' or 'sandbox' (got 'test')."
    expect(() => paylinkTest(base as never, { isolation: 'test' as never })).toThrow(message)
  })
})
