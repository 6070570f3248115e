import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import type { Command } from '../../src/core/control/command.ts'
import { commands } from '../../src/core/control/commands.ts'
import { type ControlExchange, buildControlContract, findControlProblems } from '../support/control-contract.ts'
import { observe, observed, getProblems } from '../support/observe-control.ts'
import { startAdmin } from '../support/control.ts'
import { readText } from '../support/read.ts'

const acme = { users: [{ id: 'usr_1', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] }
const seed = { projects: { acme } }

const { document, at, problems } = await buildControlContract()
const endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, id: operation.operationId, operation })),
)
const withBody = endpoints.filter(({ operation }) => operation.requestBody !== undefined)
const bodySchema = (id: string) => {
  const { path, method } = endpoints.find((endpoint) => endpoint.id === id)!
  return ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
}

it('the document of the control API is valid', async () => {
  const { status, body } = await (await startAdmin()).call('GET', '/openapi.json')
  expect(status).toBe(200)
  expect(await new Validator().validate(body)).toMatchObject({ valid: true })
})

it('has every command, for all projects, for one, or both, with the tag of its scope, its body and its response', () => {
  const parts = (has: { body: boolean; response: boolean }) => `, ${JSON.stringify(has)}`
  const routes = endpoints.map(({ path, method, operation }) => {
    const successes = Object.entries(operation.responses).filter(([status]) => status < '300')
    const response = successes.some(([, { content }]) => content !== undefined)
    const has = parts({ body: 'requestBody' in operation, response })
    return `${operation.tags.join()}: ${method.toUpperCase()} ${path}${has}`
  })
  const expected = Object.values<Command>(commands).flatMap(({ scope, method, path, body, response, event }) => {
    const has = parts({ body: body !== undefined, response: (response ?? event) !== undefined })
    return [
      ...(scope === 'project' ? [] : [`All projects: ${method} /__admin${path}${has}`]),
      ...(scope === 'mock' ? [] : [`One project: ${method} /__admin/projects/{project}${path}${has}`]),
    ]
  })
  expect(routes.toSorted()).toEqual(expected.toSorted())
})

it('has an error for an unknown id in each path', () => {
  const withId = endpoints.filter(({ path }) => /\{(?!project\})/.test(path))
  const codes = withId.map(({ id, operation }) => [id, JSON.stringify(operation.responses['404'] ?? '')] as const)
  expect(codes.length).toBeGreaterThan(10)
  expect(codes.filter(([, text]) => !/\w+NotFound/.test(text))).toEqual([])
})

it('has different operation ids for all projects and for one', () => {
  const paths = ['/__admin/health', '/__admin/reset', '/__admin/projects/{project}/reset']
  const ids = paths.map((path) => Object.values(document.paths[path]!)[0]!.operationId)
  expect(ids).toEqual(['health', 'resetForAll', 'reset'])
})

// An unknown field of the tokens may be a token: test/control/secrets.test.ts.
it.each(
  Object.entries<Command>(commands).filter(([id, command]) => command.body !== undefined && id !== 'replaceTokens'),
)('%s rejects an unknown field with the nearest right name', async (_, { scope, method, path }) => {
  const { call } = await startAdmin({ seed })
  const filled = path.replace('{user}', 'usr_1').replace('{paymentLink}', 'pml_1')
  for (const prefix of [...(scope === 'project' ? [] : ['']), ...(scope === 'mock' ? [] : ['/projects/acme'])]) {
    const response = await call(method, `${prefix}${filled}`, { mode: 'real', nonsense: 1 })
    expect(response).toMatchObject({ status: 422, body: { code: 'invalidBody' } })
    const message = expect.stringMatching(/^nonsense is not a field here/) as string
    expect(response.body.details).toContainEqual({ path: 'nonsense', message })
  }
})

it('requires a token for all commands but the health check', () => {
  expect(document.security).toEqual([{}, { bearer: [] }])
  expect(
    endpoints.filter(({ operation }) => 'security' in operation).map(({ id, operation }) => [id, operation.security]),
  ).toEqual([['health', []]])
})

it('has plain summaries', () => {
  for (const { operation } of endpoints) expect(operation.summary).toMatch(/^[A-Z][a-z]+(?: [a-z]+){1,7}$/)
})

describe('the document', () => {
  it.each(withBody)('requires a body where the mock does: $method $path', async ({ path, method, operation }) => {
    const { call } = await startAdmin({ seed })
    const filled = path.replace('{project}', 'acme').replace('{user}', 'usr_1').replace('{paymentLink}', 'pml_1')
    const { status, body } = await call(method.toUpperCase(), filled.slice('/__admin'.length))
    const required = status === 400 || status === 422
    expect(operation.requestBody).toMatchObject({ required })
    if (required) expect([status, body.code]).toEqual([400, 'malformedBody'])
  })

  it.each(withBody)('allows no unknown fields for $path: $method', ({ id }) => {
    for (const [path, schema] of listObjects(at(bodySchema(id)))) {
      // The caller chooses the keys of these objects.
      const isOpen = /(?:metadata|headers|query|projects|draws|body)$/.test(path)
      if (!isOpen) expect([path, schema.additionalProperties]).toEqual([path, false])
    }
  })

  it.each(['addFault', 'addFaultForAll'])('allows %s no match by a status or method that no operation has', (id) => {
    const { match } = at(bodySchema(id)).properties
    expect(Object.keys(match.properties).join()).toBe('operation,method,path,project,headers,query,body')
    expect(match.properties.method.enum).toEqual(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'])
  })

  const fieldList = ['users', 'paymentLinks.active', 'paymentLinks.completed', 'paymentLinks.canceled']
  it.each(fieldList)('allows as many generated %s as the mock does', async (field) => {
    const { call } = await startAdmin()
    const generate = (count: number) =>
      field.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), count) as object
    for (const count of [400_001, -1, 0.5]) {
      const body = { generate: generate(count) }
      expect([count, problems(bodySchema('loadState'), body)]).not.toEqual([count, ''])
      expect((await call('PUT', '/projects/acme/state', body)).status).toBe(422)
    }
    for (const count of [0, 400_000]) expect(problems(bodySchema('loadState'), { generate: generate(count) })).toBe('')
  })
})

it.each(['after', 'before', 'since'])('allows no empty %s', async (name) => {
  expect(document.components.parameters![name].schema).toMatchObject({ type: 'string', minLength: 1 })
  const { call } = await startAdmin()
  const list = name === 'since' ? 'requests' : 'projects/acme/users'
  expect((await call('GET', `/${list}?${name}=`)).status).toBeGreaterThanOrEqual(400)
})

it('has the header that resumes a stream of events', () => {
  for (const id of ['events', 'eventsForAll']) {
    const { operation } = endpoints.find((endpoint) => endpoint.id === id)!
    expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/LastEventID' })
  }
  const parameter = { name: 'Last-Event-ID', in: 'header', schema: { type: 'integer', minimum: 0 } }
  expect(document.components.parameters!.LastEventID).toMatchObject(parameter)
})

it('has enums of distinct values of one type, and only portable patterns', () => {
  for (const [path, values] of listEnums(document)) {
    expect([path, new Set(values.map((one) => typeof one)).size]).toEqual([path, 1])
    expect([path, ...new Set(values)]).toEqual([path, ...values])
  }
  expect(JSON.stringify(document)).not.toMatch(/"pattern":"[^"]*(?:\\\\p|\(\?[^:])/i)
})

it('writes unions, null and patterns in the form that most code generators read', async () => {
  for (const text of [JSON.stringify(document), await readText(createMock().fetch('/openapi.json'))]) {
    expect(text).not.toMatch(/"type":\["\w+","(?!null")/)
    expect(text).not.toContain('{"type":"null"}')
    expect(text).not.toMatch(/"pattern":"[^"]*\\(?:"|\\\/)/)
  }
})

it('has one schema for the body of a command, unless it differs for all projects', () => {
  const bodies = Object.keys(document.components.schemas!).filter((name) => name.endsWith('ForAllBody'))
  expect(bodies).toEqual(['LoadStateForAllBody', 'PatchStateForAllBody'])
})

it('has a named schema for every response', () => {
  for (const { id, operation } of endpoints)
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      if (Number(status) >= 300) continue
      for (const [type, { schema }] of Object.entries(content))
        if (!type.startsWith('text/plain')) expect([id, status, Object.keys(schema)]).toEqual([id, status, ['$ref']])
    }
  // The items of lists have named schemas, too.
  for (const [name, schema] of Object.entries<any>(document.components.schemas!))
    if (name.endsWith('List') && !['TokenList', 'ViolationList', 'AssumptionList'].includes(name))
      expect([name, schema.properties.items.items]).toEqual([
        name,
        { $ref: `#/components/schemas/${name.slice(0, -'List'.length)}` },
      ])
})

describe('the check of responses', () => {
  const good: ControlExchange = {
    method: 'PUT',
    url: new URL('http://localhost/__admin/clock'),
    sent: '{"mode":"frozen"}',
    status: 200,
    headers: new Headers({ 'content-type': 'application/json' }),
    text: '{"mode":"frozen","now":"2025-01-01T00:00:00.000Z"}',
  }
  const at = (path: string) => new URL(path, 'http://localhost')

  it.each<[string, Partial<ControlExchange>]>([
    ['a status', { status: 201 }],
    [
      'the lack of a header',
      { status: 401, text: '{"object":"error","type":"unauthenticated","code":"adminTokenMissing","message":"No."}' },
    ],
    ['a content type', { headers: new Headers({ 'content-type': 'text/plain' }) }],
    ['a field', { text: '{"mode":"frozen","now":"2025-01-01T00:00:00.000Z","zone":"UTC"}' }],
    ['the lack of a field', { text: '{"mode":"frozen"}' }],
    ['a value', { text: '{"mode":"fast","now":"2025-01-01T00:00:00.000Z"}' }],
    ['an error', { status: 422, text: '{"object":"error","type":"notFound","code":"userNotFound","message":"No."}' }],
    ['an unexpected body', { method: 'DELETE', url: at('/__admin/faults'), status: 204, text: '{}' }],
    ['an endpoint', { url: at('/__admin/clocks') }],
    ['a body that was accepted', { sent: '{"mode":"frozen","zone":"UTC"}' }],
  ])('reports %s that the document does not allow', async (_, change) => {
    expect(await findControlProblems({ ...good, ...change })).not.toBe('')
  })

  it('covers every `fetch`, even if nobody reads the response', async () => {
    const { url, ...wrong } = { ...good, text: '{}' }
    const fetch = observed(async () => new Response(wrong.text, { status: 200, headers: wrong.headers }))
    await fetch(url, { method: 'PUT' })
    observe({ ...wrong, url })
    const problem = expect.stringMatching(/^PUT \/__admin\/clock responded with 200: /) as string
    expect(await getProblems()).toEqual([problem, problem])
  })
})

it('shows failed verifications in its examples, and no others', async () => {
  const found: { expected: { exactly?: number }; actual: number }[] = []
  const visit = (value: any): void => {
    if (typeof value !== 'object' || value === null) return
    if (typeof value.actual === 'number' && typeof value.code === 'string') found.push(value)
    for (const part of Object.values(value)) visit(part)
  }
  visit(document)
  expect(found).not.toEqual([])
  for (const { expected, actual } of found) expect(expected.exactly).not.toBe(actual)
})

type Json = { readonly [key: string]: any }

/** Every object with fields in a JSON schema, by the path of its value. */
function* listObjects(schema: Json, path = ''): Generator<[path: string, schema: Json]> {
  if (schema.type === 'object') yield [path, schema]
  for (const [name, part] of Object.entries<Json>(schema.properties ?? {})) yield* listObjects(part, `${path}.${name}`)
  if (schema.items !== undefined) yield* listObjects(schema.items, `${path}[]`)
  if (typeof schema.additionalProperties === 'object') yield* listObjects(schema.additionalProperties, `${path}.*`)
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* listObjects(part, path)
}

/** Every enum of a document, by where it is. */
function* listEnums(part: unknown, path = ''): Generator<[path: string, values: readonly unknown[]]> {
  if (typeof part !== 'object' || part === null) return
  for (const [name, value] of Object.entries(part)) {
    if (name === 'enum' && Array.isArray(value)) yield [path, value]
    yield* listEnums(value, `${path}/${name}`)
  }
}
