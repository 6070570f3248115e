import { expect, it } from 'vitest'
import type { ErrorCode, MockOptions } from '../../src/node/index.ts'
import { errorDefinitions } from '../../src/schema/error.ts'
import { startApi } from '../support/api.ts'
import { token as canary } from '../support/canary.ts'
import { describeMatrix } from '../support/matrix.ts'
import { readJson } from '../support/read.ts'

const users = '/projects/acme/users'
const links = '/projects/acme/paymentLinks'
const link = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }
const seed = {
  projects: {
    acme: {
      users: [{ id: 'usr_1', email: 'ada@example.com' }],
      paymentLinks: [{ id: 'pml_1', invoice: 'inv_1', status: 'canceled' as const }],
      progress: { deleted: { users: [{ id: 'usr_gone', createdAt: '2024-01-01T00:00:00.000Z', index: 0 }] } },
    },
  },
}

interface Case {
  readonly send: readonly [method: string, path: string, body?: unknown]
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly options?: MockOptions
  /** The status if it is not that of the code. */
  readonly status?: number
  /** Expected headers of the response. */
  readonly has?: Readonly<Record<string, string>>
}

const bearer = { 'www-authenticate': 'Bearer' }
const configured = (token: object): MockOptions => ({ tokens: [{ token: canary, ...token }] })

const cases: readonly (readonly [code: ErrorCode, one: Case])[] = [
  ['tokenMissing', { send: ['GET', users], headers: { authorization: undefined }, has: bearer }],
  ['tokenInvalid', { send: ['GET', users], options: { tokens: ['other'] }, has: bearer }],
  ['tokenInvalid', { send: ['GET', '/projects/acme/nowhere'], options: { tokens: ['other'] }, has: bearer }],
  ['tokenExpired', { send: ['GET', users], options: configured({ expiresAt: '2020-01-01T00:00:00Z' }), has: bearer }],
  ['tokenNotForProject', { send: ['GET', users], options: configured({ projects: ['beta'] }) }],
  [
    'tokenInvalid',
    {
      send: ['GET', users],
      options: { ...configured({ projects: ['beta'] }), behaviors: { wrongProjectToken: 401 } },
      has: bearer,
    },
  ],
  [
    'projectNotFound',
    { send: ['GET', users], options: { ...configured({ projects: ['beta'] }), behaviors: { wrongProjectToken: 404 } } },
  ],
  ['projectNotFound', { send: ['GET', '/projects/no/users'], options: { behaviors: { unknownProject: 'notFound' } } }],
  ['routeNotFound', { send: ['GET', '/projects/acme/nowhere'] }],
  ['routeNotFound', { send: ['GET', '/nowhere'] }],
  ['methodNotAllowed', { send: ['PUT', users], has: { allow: 'POST, GET, HEAD, OPTIONS' } }],
  [
    'notAcceptable',
    { send: ['GET', users], headers: { accept: 'text/html' }, options: { behaviors: { requestHeaders: 'required' } } },
  ],
  ['unsupportedMediaType', { send: ['POST', users], raw: '{}', headers: { 'content-type': 'text/plain' } }],
  ['userNotFound', { send: ['GET', `${users}/usr_no`] }],
  ['paymentLinkNotFound', { send: ['POST', `${links}/pml_no/cancel`] }],
  ['invalidQuery', { send: ['GET', `${users}?limit=ten`] }],
  ['cursorNotFound', { send: ['GET', `${users}?after=usr_no`] }],
  ['cursorDeleted', { send: ['POST', `${users}/search?before=usr_gone`, {}] }],
  ['bodyTooLarge', { send: ['POST', users], raw: '{"email":"a@b.c"}', options: { bodyLimit: 3 } }],
  ['malformedBody', { send: ['POST', users], raw: '{' }],
  ['invalidBody', { send: ['POST', users, {}] }],
  ['invalidBody', { send: ['POST', users, {}], options: { behaviors: { invalidBodyStatus: 400 } }, status: 400 }],
  [
    'idempotencyKeyInvalid',
    {
      send: ['POST', users, { email: 'a@b.c' }],
      headers: { 'idempotency-key': '' },
      options: { behaviors: { idempotencyKey: 'replay' } },
    },
  ],
  ['invoiceNotFound', { send: ['POST', links, link], options: { behaviors: { invoiceIds: 'seeded' } } }],
  ['paymentLinkNotActive', { send: ['POST', `${links}/pml_1/cancel`] }],
  [
    'emailTaken',
    { send: ['POST', users, { email: 'ada@example.com' }], options: { behaviors: { duplicateEmail: 'conflict' } } },
  ],
]

describeMatrix('errorFormat=problem', (start) => {
  it.each(cases)('returns %s as a problem of RFC 9457, with all its headers', async (code, one) => {
    const { send } = await start({
      seed,
      ...one.options,
      behaviors: { ...one.options?.behaviors, errorFormat: 'problem' },
    })
    const [method, path, body] = one.send
    const sending = { body, headers: one.headers ?? {}, ...(one.raw !== undefined && { raw: one.raw }) }
    const response = await send(method, path, sending)
    const status = one.status ?? errorDefinitions[code].status
    expect([response.status, response.body.code]).toEqual([status, code])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/problem+json',
      ...one.has,
    })
    expect(response.headers.get('mock-request-id')).toMatch(/^req_/)
    expect(response.body).toMatchObject({
      type: `urn:paylink-mock:error:${code}`,
      title: errorDefinitions[code].summary,
      status,
      detail: expect.stringMatching(/\.$/),
    })
  })

  it('has the same content as the error object', async () => {
    for (const [, one] of cases) {
      const [object, problem] = await Promise.all(
        (['object', 'problem'] as const).map(async (errorFormat) => {
          const behaviors = { ...one.options?.behaviors, errorFormat }
          const { send } = await start({ seed, ...one.options, behaviors })
          const [method, path, body] = one.send
          return send(method, path, {
            body,
            headers: one.headers ?? {},
            ...(one.raw !== undefined && { raw: one.raw }),
          })
        }),
      )
      const { message, code, hint, details } = object!.body
      const said = problem!.body
      expect([said.detail, said.code, said.hint, said.details]).toEqual([message, code, hint, details])
      expect(said.status).toBe(object!.status)
    }
  })

  it('has no body for HEAD, with the same content type', async () => {
    const { send } = await start({ seed, behaviors: { errorFormat: 'problem' } })
    const { status, headers, body } = await send('HEAD', `${users}/usr_no`)
    expect([status, headers.get('content-type'), body]).toEqual([404, 'application/problem+json', undefined])
  })

  it('is that of the project if it is set for the project', async () => {
    const { mock, get } = await start({ behaviors: { errorFormat: 'problem' } })
    await mock.project('acme').behaviors.set({ errorFormat: 'object' })
    expect((await get(`${users}/usr_no`)).headers.get('content-type')).toBe('application/json')
    expect((await get('/projects/beta/users/usr_no')).headers.get('content-type')).toBe('application/problem+json')
  })
})

it('covers every error that a client can provoke', () => {
  // Errors of the control API, of the parser (test/cli/parser-errors.test.ts), and errors that a request alone cannot cause.
  const others: readonly ErrorCode[] = [
    ...(['adminTokenMissing', 'adminTokenWrong', 'hostNotAllowed', 'originNotAllowed', 'invalidOptions'] as const),
    ...(['snapshotNotFound', 'scheduledPaymentNotFound', 'idTaken', 'requestNotFound', 'faultNotFound'] as const),
    ...(['verificationFailed', 'journalTruncated', 'violationsFound'] as const),
    ...(['sandboxNotFound', 'tooManySandboxes'] as const),
    // Errors of faults: test/control/traffic.
    ...(['injectedFault', 'rateLimited'] as const),
    ...(['malformedRequest', 'requestTimeout', 'expectationFailed', 'headersTooLarge'] as const),
    ...(['unsupportedTransferCoding'] as const),
    ...(['stateReplaced', 'shuttingDown', 'internal'] as const),
    // It needs an earlier request: test/api/idempotency-keys.test.ts.
    ...(['idempotencyKeyReused'] as const),
    // Errors of a Worker: test/integrations/worker.
    ...(['stateUnreadable', 'tooManySnapshots'] as const),
  ]
  const covered = new Set([...cases.map(([code]) => code), ...others])
  expect((Object.keys(errorDefinitions) as ErrorCode[]).filter((code) => !covered.has(code))).toEqual([])
})

it('a state that was replaced during the request is also a problem of RFC 9457', async () => {
  const { mock } = await startApi('in process', { behaviors: { errorFormat: 'problem' } })
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    await mock.project('acme').reset()
    controller.enqueue(new TextEncoder().encode('{"email":"a@b.c"}'))
    controller.close()
  }
  // Without buffering, so that the reset happens while the mock reads the body.
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
  const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
  const response = await mock.fetch(users, request)
  expect([response.status, response.headers.get('content-type')]).toEqual([503, 'application/problem+json'])
  expect(await readJson(response, 503)).toMatchObject({
    code: 'stateReplaced',
    type: 'urn:paylink-mock:error:stateReplaced',
  })
})
