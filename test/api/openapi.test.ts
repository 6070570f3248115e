import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { createMock, type ErrorCode, type MockOptions } from '../../src/node/index.ts'
import { errorDefinitions, serverErrors } from '../../src/core/schema/error.ts'
import { type Api, startApi, transports } from '../support/api.ts'
import { token } from '../support/canary.ts'
import { buildContract, loadDocument } from '../support/openapi.ts'
import { nullableNames } from '../support/fields.ts'
import { readJson, readResponse } from '../support/read.ts'

const variants = [{}, { provider: 'acme-pay' }, { basePath: '/v1' }]
const plain = await buildContract({})
const operations = Object.entries(plain.document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)
type Documented = (typeof operations)[number]

describe('GET /openapi.json', () => {
  it.each(transports)('needs no token and is the same after any request, %s', async (transport) => {
    const { mock, origin, post } = await startApi(transport)
    const get = async () => (transport === 'in process' ? mock.fetch : fetch)(new URL('/openapi.json', origin))
    const response = await get()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await readJson(response)).toEqual(plain.document)
    await post('/projects/acme/users', { email: 'ada@example.com' })
    expect(await readJson(get())).toEqual(plain.document)
  })

  it.each(process.env.SLOW_TESTS ? variants : [{}])('is valid by its own schema, with %j', async (options) => {
    const { valid, errors } = await new Validator().validate(await loadDocument(options))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('has the ten operations of the specification, with its paths', () => {
    expect(operations.map(({ method, path, operation }) => `${operation.operationId} ${method} ${path}`)).toEqual([
      'createUser POST /projects/{project}/users',
      'listUsers GET /projects/{project}/users',
      'searchUsers POST /projects/{project}/users/search',
      'retrieveUser GET /projects/{project}/users/{user}',
      'updateUser PATCH /projects/{project}/users/{user}',
      'deleteUser DELETE /projects/{project}/users/{user}',
      'createPaymentLink POST /projects/{project}/paymentLinks',
      'listPaymentLinks GET /projects/{project}/paymentLinks',
      'retrievePaymentLink GET /projects/{project}/paymentLinks/{paymentLink}',
      'cancelPaymentLink POST /projects/{project}/paymentLinks/{paymentLink}/cancel',
    ])
  })

  it('has the base path as server, and the paths without it', async () => {
    const { servers, paths } = await loadDocument({ basePath: '/v1' })
    expect(servers[0]!.url).toBe('/v1')
    expect(Object.keys(paths)).toEqual(Object.keys(plain.document.paths))
    expect(plain.document.servers[0]!.url).toBe('/')
  })

  it('uses the name of the provider', async () => {
    const { components, ...document } = await loadDocument({ provider: 'acme-pay' })
    for (const name of ['PaymentLink', 'CreatePaymentLinkBody']) {
      const { properties, required } = components.schemas![name]
      expect(properties.type.const).toBe('acme-pay')
      expect(required).toContain('acme-pay')
      expect(properties).not.toHaveProperty('partner')
    }
    expect(JSON.stringify([components, document])).not.toMatch(/\bpartner\b/)
  })
})

describe('the parameters', () => {
  const parameters = plain.document.components.parameters!
  it('limit is an integer from 0 to 200, with a default of 10', () => {
    expect(parameters.limit.schema).toEqual({ type: 'integer', minimum: 0, maximum: 200, default: 10 })
  })

  it('status has comma-separated values', () => {
    expect(parameters.status).toMatchObject({ in: 'query', style: 'form', explode: false, schema: { type: 'array' } })
    expect(parameters.status.schema.items.enum).toEqual(['active', 'canceled', 'completed'])
  })

  it.each([
    ['listUsers', 'projectInPath after before limit'],
    ['searchUsers', 'projectInPath after before limit'],
    ['listPaymentLinks', 'projectInPath after before limit invoice status'],
    ['createUser', 'projectInPath IdempotencyKey'],
    ['createPaymentLink', 'projectInPath IdempotencyKey'],
    ['cancelPaymentLink', 'projectInPath paymentLinkInPath IdempotencyKey'],
    ['updateUser', 'projectInPath userInPath'],
  ])('of %s are %s', (id, names) => {
    const { operation } = operations.find((one) => one.operation.operationId === id)!
    expect(operation.parameters.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1)).join(' ')).toBe(names)
  })
})

it.each([
  ['ignore', { type: 'string' }],
  ['replay', { type: 'string', minLength: 1, maxLength: 255 }],
] as const)('the header Idempotency-Key is optional with idempotencyKey=%s', async (idempotencyKey, schema) => {
  const { components } = await loadDocument({ behaviors: { idempotencyKey } })
  const { description, ...parameter } = components.parameters!.IdempotencyKey
  expect(parameter).toEqual({ name: 'Idempotency-Key', in: 'header', schema })
  expect(description).toMatch(idempotencyKey === 'replay' ? /again/ : /^Ignored/)
})

describe('the schemas', () => {
  const { schemas } = plain.document.components as { schemas: Record<string, any> }
  const isNullable = (schema: any): boolean =>
    schema.type?.includes?.('null') === true || schema.anyOf?.some((one: any) => one.type === 'null') === true

  const nullable = nullableNames.map((name) => `${name}?`).join(' ')

  // Spec §2 and §4: required and nullable fields.
  it.each([
    ['User', `object id metadata createdAt email emailVerified preferredLocale ${nullable}`, ''],
    ['PaymentLink', 'object id canceledAt? completedAt? createdAt partner? invoice paymentUrl status type', ''],
    ['UserList', 'object items moreItemsAfter? moreItemsBefore?', ''],
    ['PaymentLinkList', 'object items moreItemsAfter? moreItemsBefore?', ''],
    ['CreateUserBody', 'email', `metadata preferredLocale? ${nullable}`],
    ['UpdateUserBody', '', `email? metadata preferredLocale? ${nullable}`],
    ['SearchUsersBody', '', 'email?'],
    ['CreatePaymentLinkBody', 'invoice type partner', ''],
  ])('%s has the fields %j, and may have %j', (name, required, optional) => {
    const { properties, required: needed = [] } = schemas[name]
    const texts = (wanted: boolean) =>
      Object.keys(properties)
        .filter((field) => needed.includes(field) === wanted)
        .map((field) => `${field}${isNullable(properties[field]) ? '?' : ''}`)
    const sorted = (names: string) => names.split(' ').filter(Boolean).toSorted()
    expect(texts(true).toSorted()).toEqual(sorted(required))
    expect(texts(false).toSorted()).toEqual(sorted(optional))
  })

  it.each(Object.keys(schemas))('%s allows unknown fields in a request, not in a response', (name) => {
    expect(schemas[name].additionalProperties).toBe(name.endsWith('Body') ? undefined : false)
  })

  it('have only portable patterns', () => {
    expect(JSON.stringify(schemas)).not.toMatch(/\\\\p\{|\(\?[<a-z]/)
  })

  it('describe each field', () => {
    for (const name of ['User', 'PaymentLink'])
      for (const [field, schema] of Object.entries<any>(schemas[name].properties))
        expect(schema, `${name}.${field}`).toSatisfy((one) => 'description' in one || 'const' in one)
  })
})

describe('the examples', () => {
  it.each(operations)('of $operation.operationId are valid', ({ path, method, operation }) => {
    const place = ['paths', path, method.toLowerCase()]
    const bodies = operation.requestBody ? [[...place, 'requestBody']] : []
    const responses = Object.keys(operation.responses).map((status) => [...place, 'responses', status])
    for (const part of [...bodies, ...responses])
      for (const [type, { examples = {} }] of Object.entries<any>(plain.at(part).content)) {
        if (type === 'application/json') expect(Object.keys(examples)).not.toEqual([])
        for (const name of Object.keys(examples))
          expect(
            plain.problems(
              [...plain.resolved(part), 'content', type, 'schema'],
              plain.at([...part, 'content', type, 'examples', name]).value,
            ),
            `${part.join(' ')} ${name}`,
          ).toBe('')
      }
  })

  it('show a paid link, a canceled one, and the payer nowhere', () => {
    const examples = JSON.stringify(operations.map(({ operation }) => operation.responses))
    expect(examples).toMatch(/"status":"completed"/)
    expect(examples).toMatch(/"status":"canceled"/)
    expect(examples).not.toContain('taxNumber')
  })
})

/** How to provoke an error: options of the mock, and changes of a valid request. */
interface Provocation {
  readonly options?: MockOptions
  readonly method?: string
  readonly path?: (path: string) => string
  readonly headers?: Record<string, string | undefined>
  readonly raw?: string
  /** The expected status, if it is 503. */
  readonly status?: 503
  readonly body?: unknown
  /** An action before the request. */
  readonly first?: (api: Api) => unknown
}

const onlyTokens = (token: MockOptions['tokens']): Provocation => ({ options: { tokens: token } })
const asText = { 'content-type': 'text/plain' }
const missing = (path: string) => path.replace(/(usr|pml)_\w+/, '$1_unknown')
const deleteUser = ({ mock }: Api) => mock.project('acme').users.delete('usr_deleted')
const deleteLink = ({ mock }: Api) => mock.project('acme').paymentLinks.delete('pml_deleted')
const cursor = (id: string) => (path: string) => `${path}?after=${path.includes('paymentLinks') ? 'pml' : 'usr'}_${id}`

const replaying = { options: { behaviors: { idempotencyKey: 'replay' } } } as const
const withKey = { 'idempotency-key': 'order-1' }
/** Other bodies with the key that the request has. */
const sendOthersWithKey = async ({ send }: Api) => {
  const link = { invoice: 'inv_other', type: 'partner', partner: { user: {} } }
  await send('POST', '/projects/acme/users', { body: { email: 'other@example.com' }, headers: withKey })
  await send('POST', '/projects/acme/paymentLinks', { body: link, headers: withKey })
  await send('POST', '/projects/acme/paymentLinks/pml_active/cancel', { body: {}, headers: withKey })
}

const provocations: Record<string, Provocation> = {
  tokenMissing: { headers: { authorization: undefined } },
  tokenInvalid: onlyTokens(['tok_acme']),
  tokenExpired: onlyTokens([{ token, expiresAt: '2025-01-01T00:00:00.000Z' }]),
  tokenNotForProject: onlyTokens([{ token, projects: ['beta'] }]),
  projectNotFound: { options: { behaviors: { unknownProject: 'notFound' }, seed: { projects: { beta: {} } } } },
  methodNotAllowed: { method: 'PUT' },
  notAcceptable: { options: { behaviors: { requestHeaders: 'required' } }, headers: { accept: 'text/html' } },
  unsupportedMediaType: { headers: asText, raw: 'x' },
  userNotFound: { path: missing },
  paymentLinkNotFound: { path: missing },
  // An operation without parameters rejects them if unknown fields are rejected.
  invalidQuery: { options: { behaviors: { unknownFields: 'reject' } }, path: (path) => `${path}?limit=ten` },
  cursorNotFound: { path: cursor('unknown') },
  cursorDeleted: { path: cursor('deleted'), first: async (api) => [await deleteUser(api), await deleteLink(api)] },
  malformedBody: { raw: ' ' },
  bodyTooLarge: { raw: ' '.repeat(1024 * 1024 + 1) },
  invalidBody: { body: { email: 'ada' } },
  emailTaken: { options: { behaviors: { duplicateEmail: 'conflict' } }, body: { email: 'ada@example.com' } },
  idempotencyKeyInvalid: { ...replaying, headers: { 'idempotency-key': '' } },
  idempotencyKeyReused: { ...replaying, headers: withKey, first: sendOthersWithKey },
  invoiceNotFound: { options: { behaviors: { invoiceIds: 'seeded' } } },
  paymentLinkNotActive: { path: (path) => path.replace('pml_active', 'pml_canceled') },
  rateLimited: {
    first: async ({ mock, get }) => {
      await mock.project('acme').faults.add({ effect: { rateLimit: { limit: 1, window: 1000 } } })
      await get('/projects/acme/users')
    },
  },
  injectedFault: { status: 503, first: ({ mock }) => mock.project('acme').faults.add({ effect: { status: 503 } }) },
  stateReplaced: {
    status: 503,
    first: async ({ mock }) => {
      const acme = mock.project('acme')
      const fault = await acme.faults.add({ effect: { hold: true } })
      void fault.waitForHeld(1, { within: 30_000 }).then(() => acme.reset())
    },
  },
}

const seed = {
  projects: {
    acme: {
      users: [
        { id: 'usr_deleted', email: 'deleted@example.com' },
        { id: 'usr_taken', email: 'ada@example.com' },
        { id: 'usr_1', email: 'grace@example.com' },
      ],
      paymentLinks: [
        { id: 'pml_deleted', invoice: 'inv_1' },
        { id: 'pml_canceled', invoice: 'inv_1', status: 'canceled' as const },
        { id: 'pml_active', invoice: 'inv_1' },
      ],
    },
  },
}

/** A valid request of the operation with one mistake. */
const provoke = async (
  { path, method, operation }: Documented,
  code: string,
  behaviors: MockOptions['behaviors'] = {},
) => {
  const by =
    code === 'invalidBody' && operation.operationId === 'searchUsers' ? { body: { email: 1 } } : provocations[code]!
  const options = { ...by.options, behaviors: { ...by.options?.behaviors, ...behaviors } }
  const api = await startApi('in process', { seed, ...options })
  await by.first?.(api)
  const good = filled(path, { user: 'usr_1', paymentLink: 'pml_active' })
  const [example] = Object.values(operation.requestBody?.content['application/json']?.examples ?? {})
  const target = by.path?.(good) ?? good
  const body = 'body' in by ? by.body : example?.value
  if (by.status === 503) return sendWithoutChecks(api, method, target, body)
  const sending = by.raw === undefined ? { body } : { raw: by.raw }
  return api.send(by.method ?? method, target, { ...sending, headers: by.headers ?? {} })
}

/** The test client expects no status from 500 on, and no reset during a request. */
const sendWithoutChecks = async ({ mock }: Api, method: string, path: string, body: unknown) => {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' }
  return await readResponse(mock.fetch(path, { method, headers, body: JSON.stringify(body) }))
}

const otherErrors = { errorFormat: 'problem', invalidBodyStatus: 400, createStatus: 200 } as const

// The other form of errors belongs to the slow tests; `rules.test.ts` has one error of it.
const forms = process.env.SLOW_TESTS ? [{}, otherErrors] : [{}]

describe.each<NonNullable<MockOptions['behaviors']>>(forms)('the errors with %j', async (behaviors) => {
  const { document, at } = await buildContract({ behaviors })
  const type = behaviors.errorFormat === 'problem' ? 'application/problem+json' : 'application/json'
  const documented = operations.flatMap((one) => {
    const place = ['paths', one.path, one.method.toLowerCase(), 'responses']
    return Object.keys(at(place))
      .filter((status) => Number(status) >= 400)
      .flatMap((status) =>
        Object.keys(at([...place, status, 'content', type, 'examples'])).map((code) => ({
          ...one,
          status: Number(status),
          code,
        })),
      )
  })

  // Tests of the server cause the others.
  const provoked = Object.keys(document.components.examples!).filter((code) => code in provocations)

  it('are all provoked, except those of the server', () => {
    const missing = Object.keys(document.components.examples!).filter((code) => !provoked.includes(code))
    expect(missing).toEqual(serverErrors)
  })

  it.each(provoked)('%s can occur wherever it is documented', async (code) => {
    for (const { status, ...operation } of documented.filter((one) => one.code === code)) {
      const response = await provoke(operation, code, behaviors)
      expect([response.status, response.body.code], operation.operation.operationId).toEqual([status, code])
      if (behaviors.errorFormat !== 'problem') continue
      const { message, hint, details } = (await provoke(operation, code, { ...behaviors, errorFormat: 'object' })).body
      expect(response.body).toEqual({
        type: `urn:paylink-mock:error:${code}`,
        title: errorDefinitions[code as ErrorCode].summary,
        status,
        detail: message,
        code,
        ...(hint !== undefined && { hint }),
        ...(details !== undefined && { details }),
      })
    }
  })

  it('are documented for every operation that can return them', () => {
    expect(documented.length).toBeGreaterThan(100)
  })

  it.each(operations)('of $operation.operationId are those of the error table', ({ method, operation }) => {
    const statuses = Object.keys(operation.responses).map(Number)
    expect(statuses).toEqual(expect.arrayContaining([400, 401, 403, 404, 405, 406, 429, 503]))
    expect([413, 415].map((status) => statuses.includes(status))).toEqual(Array(2).fill(method !== 'GET'))
  })
})

describe('the test client', () => {
  const good = {
    method: 'GET',
    pathname: '/projects/acme/users',
    status: 200,
    headers: { 'content-type': 'application/json', 'mock-request-id': 'req_1' } as Record<string, string>,
    body: { object: 'list', items: [], moreItemsAfter: null, moreItemsBefore: null } as unknown,
  }
  const hold = ({ headers, ...exchange }: typeof good) => plain.hold({ ...exchange, headers: new Headers(headers) })
  const accepted: object = { method: 'POST', pathname: '/projects/acme/users/search', sent: { email: 1 } }
  const missingUser = { object: 'error', type: 'notFound', code: 'userNotFound', message: 'No.' }

  it('accepts documented responses', () => {
    hold(good)
    hold({ ...good, pathname: '/projects/acme/users/usr_1', status: 404, body: missingUser })
  })

  it.each<[string, Partial<typeof good>]>([
    ['a status', { status: 202 }],
    ['a header', { headers: { ...good.headers, 'x-powered-by': 'us' } }],
    ['the lack of a header', { headers: { 'content-type': 'application/json' } }],
    ['a content type', { headers: { ...good.headers, 'content-type': 'text/plain' } }],
    ['a field', { body: { ...(good.body as object), total: 0 } }],
    ['a value', { body: { ...(good.body as object), moreItemsAfter: 1 } }],
    ['the lack of a field', { body: { object: 'list', items: [] } }],
    ['an error', { status: 404, body: missingUser }],
    ['a method', { method: 'PUT' }],
    ['a path', { pathname: '/projects/acme/invoices' }],
    ['a body that was accepted', accepted],
  ])('fails for undocumented %s', (_, change) => {
    expect(() => hold({ ...good, ...change })).toThrow()
  })
})

const filled = (path: string, ids: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ project: 'acme', ...ids }).reduce((text, [name, id]) => text.replace(`{${name}}`, id), path)

const documents = ['/openapi.json', '/__admin/openapi.json']
it.each(documents)('%s describes each operation, parameter, header and response', async (path) => {
  const { paths, components } = await readJson(createMock().fetch(path))
  const isReference = (value: object) => '$ref' in value
  const isDescribed = (value: any) => isReference(value) || /\w/.test(value.description ?? '')
  const missing: string[] = []
  const check = (name: string, value: object) => void (isDescribed(value) || missing.push(name))
  const checkResponse = (name: string, response: any) => {
    check(name, response)
    for (const [header, value] of Object.entries<object>(response.headers ?? {})) check(`${name} ${header}`, value)
  }
  for (const kind of ['parameters', 'headers'])
    for (const [name, value] of Object.entries<object>(components[kind] ?? {})) check(name, value)
  for (const [name, value] of Object.entries(components.responses ?? {})) checkResponse(name, value)
  for (const [at, item] of Object.entries<any>(paths))
    for (const [method, operation] of Object.entries<any>(item)) {
      if (typeof operation !== 'object' || Array.isArray(operation)) continue
      const name = `${method} ${at}`
      expect(operation, name).toHaveProperty('summary')
      for (const parameter of operation.parameters ?? []) check(`${name} ${parameter.name}`, parameter)
      for (const [status, response] of Object.entries(operation.responses)) checkResponse(`${name} ${status}`, response)
    }
  expect(missing).toEqual([])
})

it('every response has the headers of a rate limit', () => {
  const names = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
  const all = operations.flatMap(({ path, method, operation }) =>
    Object.keys(operation.responses).map((status) =>
      plain.at(['paths', path, method.toLowerCase(), 'responses', status]),
    ),
  )
  expect(all.length).toBeGreaterThan(100)
  expect(all.filter(({ headers = {} }) => names.some((name) => !(name in headers)))).toEqual([])
})
