// Proves: Tokens.
import { expect } from 'vitest'
import { createMock, type MockEvent, type MockOptions } from '../../../../src/node/index.ts'
import { within } from '../../../support/within.ts'
import { noon, type Transport } from '../../../support/api.ts'
import { closeSearched, expectNoLeak, findLeaks, token } from '../../../support/canary.ts'
import { buildControlContract } from '../../../support/control-contract.ts'

interface Sending {
  readonly method?: string
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: RequestInit['body']
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const jsonIn = (text: string): any => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A new mock for one test, and a client that accepts any response: responses of faults may match no schema. */
export const startClient = async (transport: Transport, options: MockOptions = {}) => {
  const mock = createMock({ clock: noon, ...options })
  closeSearched(mock)
  const server = transport === 'in process' ? undefined : await mock.listen()
  const call = (path: string, { method = 'GET', body, raw, headers = {}, signal }: Sending = {}) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const url = new URL(
      path.startsWith('/projects') || path.startsWith('/_') ? path : `/projects/acme${path}`,
      server?.url ?? 'http://mock',
    )
    const response = (server === undefined ? mock.fetch : fetch)(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent, duplex: 'half' as const }),
      ...(signal && { signal }),
    })
    return within(`the response to ${method} ${path}`, response)
  }
  const ask = async (path: string, sending?: Sending) => {
    const response = await call(path, sending)
    const text = await response.text()
    expectNoLeak(response.headers, text)
    return { status: response.status, headers: response.headers, text, body: jsonIn(text) }
  }
  return {
    mock,
    /** The project for paths without one: `/users`. */
    acme: mock.project('acme'),
    port: server?.port ?? 0,
    call,
    ask,
    /** Creates a user, as most tests do. */
    create: (sending?: Sending) => ask('/users', { method: 'POST', body: { email: 'ada@example.com' }, ...sending }),
  }
}

/** The first `count` events, or fewer if they end. */
export const take = async (events: AsyncIterable<MockEvent>, count: number): Promise<MockEvent[]> => {
  const taken: MockEvent[] = []
  if (count === 0) return taken
  for await (const event of events) if (taken.push(event) === count) break
  expect(findLeaks(JSON.stringify(taken)), 'a token in an event').toEqual([])
  const { problems } = await buildControlContract()
  const wrong = taken
    .map((event) => problems(['components', 'schemas', 'MockEvent'], event))
    .filter((one) => one !== '')
  expect(wrong, 'events that the document does not allow').toEqual([])
  return taken
}
