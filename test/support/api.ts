// Proves: Rejected means unchanged.
import { describe, expect } from 'vitest'
import { createOperations } from '../../src/core/api/operations.ts'
import { createMock, type ErrorObject, type MockOptions } from '../../src/node/index.ts'
import { errorDefinitions } from '../../src/core/schema/error.ts'
import { parse } from '../../src/core/schema/problem.ts'
import { findUnknownFields } from '../../src/core/schema/unknown-fields.ts'
import { listMethods } from '../../src/core/openapi/route.ts'
import { within } from './within.ts'
import { closeSearched, expectNoLeak, token } from './canary.ts'
import { buildContract } from './openapi.ts'
import { guardError, findLoneSurrogate } from './read.ts'

export type Transport = 'in process' | 'over HTTP'
export const transports: readonly Transport[] = ['in process', 'over HTTP']

/** Those of suites that concern no transport. CI runs them over HTTP too. */
export const commonTransports = process.env.SLOW_TESTS ? transports : transports.slice(0, 1)

/** The parts of a response that tests check. `body` is undefined for an empty body. */
interface ReceivedResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

interface Sending {
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: RequestInit['body']
  readonly headers?: Readonly<Record<string, string | undefined>>
}

/** A client of the mocked API that checks every response against the OpenAPI document. */
export type Api = Awaited<ReturnType<typeof startApi>>

/** The start of most tests. */
export const noon = '2025-06-01T12:00:00.000Z'

/** A new mock for one test, and its client over the given transport. */
export const startApi = async (transport: Transport, options: MockOptions = {}) => {
  const mock = createMock({ clock: noon, ...options })
  closeSearched(mock)
  const origin = transport === 'in process' ? 'http://mock' : (await mock.listen()).url
  const call = transport === 'in process' ? mock.fetch : fetch
  const operations = createOperations(options.provider ?? 'partner')
  const base = options.basePath ?? ''
  const send = async (method: string, path: string, { body, raw, headers = {} }: Sending = {}) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const all = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
    const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const project = mock.project(decodeURIComponent(/\/projects\/([^/?]+)/.exec(path)?.[1] ?? 'none'))
    const before = await project.summary()
    const { values } = await project.behaviors.get()
    const sending = call(new URL(path, origin), {
      method,
      headers: kept,
      redirect: 'manual',
      ...(sent !== undefined && { body: sent, duplex: 'half' as const }),
    })
    const response = await within(`the response to ${method} ${path}`, sending)
    const text = await response.text()
    expectNoLeak(response.headers, text)
    const received = {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : guardError(response.status, JSON.parse(text)),
    }
    if (received.status >= 400) {
      if (text !== '') expect(findLoneSurrogate(text)).toBeUndefined()
      // A rejected request changes nothing.
      expect((await project.summary()).revision, 'revision after an error').toBe(before.revision)
      if (method !== 'HEAD') expectError(received)
    } else if (received.body !== undefined) expectDocumented(received, method, new URL(path, origin).pathname)
    const { provider, basePath } = options
    const contract = await buildContract({ provider, basePath, behaviors: values })
    contract.hold({ ...received, method, pathname: new URL(path, origin).pathname, sent: body })
    return received
  }
  const expectDocumented = ({ status, body }: ReceivedResponse, method: string, pathname: string) => {
    const at = pathname.slice(base.length)
    const operation = operations.find((one) => one.method === method && listMethods([one], at).length > 0)
    if (operation === undefined) return
    expect(parse(operation.response, body), `${operation.id} responds as documented`).toMatchObject({ ok: true })
    expect(findUnknownFields(operation.response, body), `${operation.id} has documented fields`).toEqual([])
    expect(status).toBe(operation.creates ? (options.behaviors?.createStatus ?? 201) : 200)
  }
  return {
    mock,
    origin,
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown) => send('POST', path, { body }),
    patch: (path: string, body: unknown) => send('PATCH', path, { body }),
    delete: (path: string) => send('DELETE', path),
  }
}

const expectError = ({ status, headers, body }: ReceivedResponse) => {
  if (headers.get('content-type') === 'application/problem+json') return
  expect(headers.get('content-type')).toBe('application/json')
  expect(Object.keys(errorDefinitions)).toContain(body.code)
  expect(body).toMatchObject({
    object: 'error',
    type: errorDefinitions[body.code as keyof typeof errorDefinitions].type,
  })
  expectSentences(body)
  expect(status).toBeLessThan(500)
}

/** Expects complete sentences in an error: the message, the hint, and each problem. */
export const expectSentences = ({ message, hint, details = [] }: ErrorObject): void => {
  const texts = [message, ...(hint === undefined ? [] : [hint]), ...details.map((problem) => problem.message)]
  for (const text of texts) expect(text).toMatch(/^\S.*[.?]$/s)
}

/** The expected error response: status, code, and the paths of its details. */
export const errorResponse = (status: number, code: ErrorObject['code'], paths?: readonly string[]) => ({
  status,
  body: expect.objectContaining({
    object: 'error',
    code,
    ...(paths && { details: paths.map((path) => expect.objectContaining({ path })) }),
  }),
})

/** Runs one suite in process and, with SLOW_TESTS, over HTTP. */
export const describeMatrix = (name: string, suite: (start: (options?: MockOptions) => Promise<Api>) => void): void => {
  describe.each(commonTransports)(`${name}, %s`, (transport) => {
    suite((options) => startApi(transport, options))
  })
}
