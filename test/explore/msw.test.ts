import http from 'node:http'
import axios from 'axios'
import { setupServer } from 'msw/node'
import { request } from 'undici'
import { expect, it } from 'vitest'
import { explore, type Flow } from '../../src/explore/index.ts'
import { paylinkHandlers } from '../../src/testing/msw/index.ts'
import { atMostOneUser, headers } from './support/service.ts'

const base = 'http://api.example.com/v1'

const create = { url: `${base}/projects/acme/users`, body: '{"email":"ada@example.com"}' }

/** How clients that take no `fetch` create a user. Each returns the status. */
const clients: Record<string, () => Promise<number | undefined>> = {
  'node:http': () =>
    new Promise((resolve, reject) => {
      const sent = http.request(create.url, { method: 'POST', headers }, (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode))
      })
      sent.on('error', reject)
      sent.end(create.body)
    }),
  axios: async () => {
    const response = await axios.post(create.url, create.body, { headers, adapter: 'http', validateStatus: null })
    return response.status
  },
}

it.each(Object.keys(clients))('explores a client that takes no `fetch`, through msw: %s', async (name) => {
  const createUser = clients[name]!
  const flow: Flow = async ({ mock, fetch }) => {
    const server = setupServer(...paylinkHandlers({ ...mock, fetch }, base))
    server.listen({ onUnhandledRequest: 'error' })
    try {
      if ((await createUser().catch(() => 0)) !== 201) await createUser()
    } finally {
      server.close()
    }
  }
  const { runs, failures } = await explore({ flow, effects: ['reset', 'unavailable'], invariant: atMostOneUser })
  expect(failures.map(({ replay }) => replay)).toEqual(['1.after.reset', '1.after.unavailable'])
  expect(runs).toBe(5)
})

it('leaves a client that calls `undici.request` to the network, as the guide says', async () => {
  const closed = 'http://127.0.0.1:1'
  const flow: Flow = async ({ mock, fetch }) => {
    const server = setupServer(...paylinkHandlers({ ...mock, fetch }, closed))
    server.listen({ onUnhandledRequest: 'error' })
    try {
      await request(`${closed}/projects/acme/users`, { headers })
    } finally {
      server.close()
    }
  }
  await expect(explore({ flow, invariant: () => {} })).rejects.toThrow('ECONNREFUSED')
})
