import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { anyRequest, initOf, type WireRequest } from './requests.ts'

const seed = {
  projects: {
    acme: {
      invoices: ['inv_1', 'inv_2'],
      users: [{ id: 'usr_1', email: 'ada@example.com' }],
      paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }],
    },
  },
}
const options = { seed, clock: '2025-01-01T00:00:00.000Z' }

type Fetch = (path: string, init: RequestInit) => Promise<Response>

/** The bytes of all responses to a sequence of requests. */
const bytesOf = async (fetch: Fetch, requests: readonly WireRequest[], prefix = ''): Promise<string[]> => {
  const all: string[] = []
  for (const request of requests) {
    const response = await fetch(request.path, initOf(request))
    const headers = [...response.headers].filter(([name]) => !['date', 'content-length'].includes(name))
    const text = (await response.text()).replaceAll(`${prefix}/`, '/')
    all.push(JSON.stringify([response.status, headers, text]))
  }
  return all
}

const sequences = fc.array(fc.array(anyRequest, { maxLength: 8 }), { minLength: 1, maxLength: 16 })

it('a client in a sandbox gets the bytes that it would get alone in a fresh mock', async () => {
  await fc.assert(
    fc.asyncProperty(sequences, async (all) => {
      const mock = createMock(options)
      const inSandboxes = all.map((calls, index) => bytesOf(mock.sandbox(`s${index}`).fetch, calls, `/@s${index}`))
      const alone = all.map((calls) => bytesOf(createMock(options).fetch, calls))
      expect(await Promise.all(inSandboxes)).toEqual(await Promise.all(alone))
    }),
    { numRuns: Number(process.env.SANDBOX_RUNS ?? 4) },
  )
})
