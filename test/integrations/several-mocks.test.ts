/** Caches are separate for each mock, project, origin and behaviors. */
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createOperations } from '../../src/api/operations.ts'
import { createMock, type MockOptions, type Mock } from '../../src/node/index.ts'
import { request } from '../cli/support/request.ts'
import { closeSearched, token } from '../support/canary.ts'
import { countDistinct } from '../support/count-distinct.ts'

const createdAt = '2025-01-01T00:00:00.123Z'
const content = {
  users: [{ id: 'usr_1', email: 'ada@example.com', createdAt }],
  paymentLinks: [{ id: 'pml_1', invoice: 'inv_0', createdAt }],
}
// All mocks share this object, which none may change.
const seed = { projects: { a: content, b: content } }

// Neighbors differ in one option, so that a cached value of one is wrong for the next.
const setups: readonly MockOptions[] = [
  {},
  { provider: 'acmepay' },
  { provider: 'acmepay', basePath: '/v2' },
  { basePath: '/v2' },
  { basePath: '/v1' },
  { publicUrl: 'https://pay.example/here' },
  { publicUrl: 'https://pay.example', behaviors: { timestampPrecision: 'seconds' } },
  { idSeed: 'another' },
]
const bases = ['', '/v1', '/v2']

/** A mock, and the expected responses of each project. */
interface Known {
  readonly mock: Mock
  readonly options: MockOptions
  readonly projects: Record<'a' | 'b', { precision: string; invoice: string; created: number }>
}

const start = (options: MockOptions): Known => {
  const mock = createMock({ seed, clock: createdAt, ...options })
  closeSearched(mock)
  const project = () => ({
    precision: options.behaviors?.timestampPrecision ?? 'milliseconds',
    invoice: 'inv_0',
    created: 0,
  })
  return { mock, options, projects: { a: project(), b: project() } }
}

const step = fc.record({
  at: fc.nat(setups.length - 1),
  project: fc.constantFrom('a' as const, 'b' as const),
  origin: fc.constantFrom('http://one', 'https://one', 'http://one:8080', 'http://one.example'),
  act: fc.constantFrom(
    ...(['retrieve', 'list', 'retrieveUser', 'listUsers', 'createUser', 'control', 'document'] as const),
    ...(['otherBase', 'changePrecision', 'changeInvoice', 'changeForAll', 'restore'] as const),
  ),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** The ids of new users in a project, which must not depend on other mocks and projects. */
const madeIds = async (options: MockOptions): Promise<Record<string, string[]>> => {
  const { mock } = start(options)
  const ids: Record<string, string[]> = { a: [], b: [] }
  for (const project of ['a', 'b'])
    for (let n = 0; n < 40; n++) ids[project]!.push((await mock.project(project).users.create({ email: 'a@b.c' })).id)
  return ids
}

const take = async (known: Known, { project, origin, act }: Step, ids: Record<string, string[]>): Promise<void> => {
  const { mock, options } = known
  const { provider = 'partner', basePath = '', publicUrl = origin } = options
  const seen = known.projects[project]
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    const response = await mock.fetch(`${origin}${path}`, { headers, ...sent })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  const time = seen.precision === 'seconds' ? '2025-01-01T00:00:00Z' : createdAt
  const common = { id: 'pml_1', invoice: seen.invoice, paymentUrl: `${publicUrl}/pay/${project}/pml_1` }
  const link = { ...common, createdAt: time, [provider]: { redirectUrl: null }, type: provider }
  const user = { id: 'usr_1', createdAt: time }
  const api = `${basePath}/projects/${project}`
  switch (act) {
    case 'retrieve': {
      const { body } = await ask(`${api}/paymentLinks/pml_1`)
      expect(body).toMatchObject(link)
      return expect(provider === 'partner' || !('partner' in body)).toBe(true)
    }
    case 'list':
      return expect((await ask(`${api}/paymentLinks`)).body.items).toMatchObject([link])
    case 'retrieveUser':
      return expect((await ask(`${api}/users/usr_1`)).body).toMatchObject(user)
    case 'listUsers':
      return expect((await ask(`${api}/users?limit=200`)).body.items.at(-1)).toMatchObject(user)
    case 'createUser':
      return expect((await ask(`${api}/users`, { email: 'a@b.c' })).body.id).toBe(ids[project]![seen.created++])
    case 'control': {
      const view = { ...common, createdAt, partner: { redirectUrl: null }, type: 'partner' }
      return expect((await ask(`/__admin/projects/${project}/paymentLinks`)).body.items).toMatchObject([view])
    }
    case 'document': {
      const { body } = await ask('/openapi.json')
      expect(Object.keys(body.components.schemas.PaymentLink.properties)).toContain(provider)
      return expect(JSON.stringify([body.servers, Object.keys(body.paths)])).toContain(basePath)
    }
    case 'otherBase': {
      const other = bases.find((base) => base !== basePath)!
      return expect((await ask(`${other}/projects/${project}/users`)).body.code).toBe('routeNotFound')
    }
    case 'changePrecision':
      seen.precision = seen.precision === 'seconds' ? 'milliseconds' : 'seconds'
      return void (await mock.project(project).behaviors.set({ timestampPrecision: seen.precision as 'seconds' }))
    case 'changeInvoice':
      seen.invoice = `inv_${Number(seen.invoice.slice(4)) + 1}`
      return void (await mock.project(project).paymentLinks.patch('pml_1', { invoice: seen.invoice }))
    case 'changeForAll':
      for (const one of Object.values(known.projects)) one.precision = 'milliseconds'
      return void (await mock.behaviors.set({ timestampPrecision: 'milliseconds' }))
    case 'restore':
      await mock.project(project).snapshots.save('here')
      await mock.project(project).paymentLinks.delete('pml_1')
      expect((await ask(`${api}/paymentLinks/pml_1`)).status).toBe(404)
      return void (await mock.project(project).snapshots.restore('here'))
  }
}

describe('several mocks in one process', () => {
  it('have the same responses as each alone, in any order of requests', async () => {
    const ids = await Promise.all(setups.map(madeIds))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
        const all = setups.map(start)
        for (const one of steps) await take(all[one.at]!, one, ids[one.at]!)
      }),
      { numRuns: 8 },
    )
  })
})

describe('one link', () => {
  it('has a separate JSON text for each combination of settings', async () => {
    const { paymentLinks } = createMock({ seed }).project('a')
    const { paymentUrl: _, ...record } = await paymentLinks.get('pml_1')
    const all = ['partner', 'acmepay'].flatMap((provider) =>
      (['seconds', 'milliseconds'] as const).flatMap((timestampPrecision) =>
        ['http://one/pay/a', 'http://two/pay/b'].map((payUrl) => ({ provider, timestampPrecision, payUrl })),
      ),
    )
    const retrieve = createOperations('partner').find(({ id }) => id === 'retrievePaymentLink')!
    // First a separate record for each setting, then one record for all.
    const expected = all.map((settings) => retrieve.view({ ...record }, settings))
    expect(countDistinct(expected)).toBe(all.length)
    for (const first of all.keys())
      for (const second of all.keys()) {
        const texts = [first, second].map((at) => retrieve.view(record, all[at]!))
        expect(texts).toEqual([expected[first], expected[second]])
      }
  })

  it('has a paymentUrl for the Host of each request, over HTTP', async () => {
    const mock = createMock({ seed })
    onTestFinished(() => mock.close())
    const urls = [(await mock.listen()).url, (await mock.listen()).url]
    const hosts = [...urls.map((url) => url.slice('http://'.length)), 'localhost:8080', 'my-app:8080', 'localhost:8080']
    for (const host of [...hosts, ...hosts.toReversed()])
      for (const path of ['/projects/a/paymentLinks/pml_1', '/__admin/projects/a/paymentLinks/pml_1']) {
        const headers = { host, authorization: `Bearer ${token}` }
        const { body } = await request(`${urls[0]}${path}`, { headers })
        expect(body.paymentUrl).toBe(`http://${host}/pay/a/pml_1`)
      }
  })
})
