import type { Client } from '../../../src/explore/index.ts'

export const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }

/** Sends a request to the project `acme`. */
export const send = ({ fetch }: Pick<Client, 'fetch'>, method: string, path: string, body?: object) =>
  fetch(`/projects/acme${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })

export const createUser = (client: Pick<Client, 'fetch'>, email = 'ada@example.com') =>
  send(client, 'POST', '/users', { email })

export const listUsers = (client: Pick<Client, 'fetch'>) => send(client, 'GET', '/users')

/** The options of a POST whose body is a stream. It reads its text when it is sent. */
export const streamed = (readText: () => Promise<string>): RequestInit => {
  const pull = async (controller: ReadableStreamDefaultController) => {
    controller.enqueue(new TextEncoder().encode(await readText()))
    controller.close()
  }
  const body = new ReadableStream({ pull }, { highWaterMark: 0 })
  const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
  return init
}

/** How many users the project has. */
export const countUsers = async ({ mock }: Pick<Client, 'mock'>) => (await mock.project('acme').summary()).users

export const holds = (): void => {}

export const atMostOneUser = async (run: Pick<Client, 'mock'>): Promise<void> => {
  const count = await countUsers(run)
  if (count > 1) throw new Error(`${count} users`)
}

export const oneUser = async (run: Pick<Client, 'mock'>): Promise<void> => {
  const count = await countUsers(run)
  if (count !== 1) throw new Error(`${count} users`)
}

/** A request of a failed run. */
export const request = {
  actor: null,
  operation: 'listUsers',
  method: 'GET',
  path: '/',
  body: null,
  status: 200,
  response: null,
  time: '2025-01-01T00:00:00.000Z',
  fault: null,
  note: null,
}
