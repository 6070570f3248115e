import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'

const seed = {
  projects: {
    acme: {
      invoices: ['inv_1', 'inv_2'],
      users: [{ id: 'usr_ada', email: 'ada@example.com' }],
      paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }],
    },
  },
}
const options = { seed, clock: '2025-01-01T00:00:00.000Z' }

const path = fc.constantFrom(
  '/users',
  '/users/usr_ada',
  '/users/search',
  '/paymentLinks',
  '/paymentLinks/pml_1',
  '/paymentLinks/pml_1/cancel',
  '/invoices',
)
const body = fc.constantFrom(
  undefined,
  { email: 'grace@example.com' },
  { fullName: 'Ada' },
  { invoice: 'inv_2', type: 'partner', partner: { user: {} } },
  { email: 7 },
)
const call = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'),
  path: path.map((rest) => `/projects/acme${rest}`),
  body,
  token: fc.constantFrom('any', ''),
})
type Call = typeof call extends fc.Arbitrary<infer C> ? C : never

type Fetch = (path: string, init: RequestInit) => Promise<Response>

/** The bytes of all responses to a sequence of calls. */
const bytesOf = async (fetch: Fetch, calls: readonly Call[], prefix = ''): Promise<string[]> => {
  const all: string[] = []
  for (const { method, path, body, token } of calls) {
    const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
    const response = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(body) }),
    })
    const headers = [...response.headers].filter(([name]) => !['date', 'content-length'].includes(name))
    const text = (await response.text()).replaceAll(`http://mock${prefix}/pay/`, 'http://mock/pay/')
    all.push(JSON.stringify([response.status, headers, text]))
  }
  return all
}

const sequences = fc.array(fc.array(call, { maxLength: 8 }), { minLength: 1, maxLength: 16 })

it('a client in a sandbox gets the bytes that it would get alone in a fresh mock', async () => {
  await fc.assert(
    fc.asyncProperty(sequences, async (all) => {
      const mock = createMock(options)
      const inSandboxes = all.map((calls, index) => bytesOf(mock.sandbox(`s${index}`).fetch, calls, `/@s${index}`))
      const alone = all.map((calls) => bytesOf(createMock(options).fetch, calls))
      expect(await Promise.all(inSandboxes)).toEqual(await Promise.all(alone))
    }),
    { numRuns: Number(process.env.SANDBOX_RUNS ?? 6) },
  )
})
