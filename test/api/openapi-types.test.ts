import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { listSchemas, type OpenApiDocument } from '../support/openapi.ts'
import { readJson } from '../support/read.ts'

type Schema = Readonly<Record<string, any>>

const typing = ['type', '$ref', 'anyOf', 'oneOf', 'allOf']

/** The places of all schemas in a document that have no type. */
const findUntyped = (document: unknown): string[] => {
  const untyped: string[] = []
  const visit = (schema: Schema, at: string) => {
    if (typeof schema !== 'object') return
    if (!typing.some((keyword) => keyword in schema)) untyped.push(at)
    const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => schema[keyword] ?? [])
    const named = {
      ...schema.properties,
      items: schema.items,
      additional: schema.additionalProperties,
      ...Object.fromEntries(parts.entries()),
    }
    for (const [name, part] of Object.entries<Schema | undefined>({ ...named, names: schema.propertyNames }))
      if (part !== undefined) visit(part, `${at}.${name}`)
  }
  const search = (value: unknown, at: string) => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, part] of Object.entries(value)) {
      if (key === 'schema') visit(part, at)
      else if (key === 'schemas') for (const [name, schema] of Object.entries(part)) visit(schema as Schema, name)
      else if (key !== 'examples') search(part, `${at}/${key}`)
    }
  }
  search(document, '')
  return untyped
}

const load = async (path: string, behaviors = {}) => {
  return (await readJson(createMock({ behaviors }).fetch(path))) as OpenApiDocument
}

const variants = [{}, { errorFormat: 'problem', metadataLimits: 'strings', unknownFields: 'reject' }]
it.each(variants)('every schema of the mocked API has a type, with %o', async (behaviors) => {
  expect(findUntyped(await load('/openapi.json', behaviors))).toEqual([])
})

it('every schema of the control API has a type', async () => {
  expect(findUntyped(await load('/__admin/openapi.json'))).toEqual([])
})

/** Names of JavaScript, of the DOM and of TypeScript that this process does not have. */
const otherGlobals =
  /^(?:Report|Notification|Node|Element|Document|Option|Text|Range|Selection|Lock|Cache|Client|Plugin)$|^(?:Record|Partial|Pick|Omit|Required|Readonly)$/

const paths = ['/openapi.json', '/__admin/openapi.json']
it.each(paths)('the components of %s have names that generators keep', async (path) => {
  const { components } = (await load(path)) as any
  const names = ['schemas', 'responses', 'parameters', 'headers'].flatMap((kind) => Object.keys(components[kind] ?? {}))
  const types = names.map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`)
  expect(types.filter((name, index) => types.indexOf(name) !== index)).toEqual([])
  expect(types.filter((name) => name in globalThis || otherGlobals.test(name))).toEqual([])
})

it('finds schemas without a type', () => {
  const schemas = { A: { properties: { b: { const: 1 }, c: { type: 'array', items: {} } } } }
  expect(findUntyped({ components: { schemas }, x: { schema: { anyOf: [{}] } } })).toEqual([
    'A',
    'A.b',
    'A.c.items',
    '/x.0',
  ])
})

// Their number cannot be documented: a key whose value is null is not counted.
it.each([
  [40, 'x', true],
  [41, 'x', false],
  [0, 'x', false],
  [41, null, true],
])('documents of metadataLimits=strings that a key of %d letters may have %j: %j', async (length, value, isValid) => {
  const { problems } = listSchemas(await load('/openapi.json', { metadataLimits: 'strings' }))
  const body = { email: 'a@b.c', metadata: { ['k'.repeat(length)]: value } }
  expect(problems(['components', 'schemas', 'CreateUserBody'], body) === '').toBe(isValid)
})

it.each([
  ['AddFaultBody', { effect: {} }, false],
  ['AddFaultBody', { effect: { status: 503 } }, true],
  ['VerifyRequestsBody', { match: {}, times: {} }, false],
  ['VerifyRequestsBody', { match: {}, times: { exactly: 1 } }, true],
])('documents of %s which bodies the control API accepts: %j', async (name, body, isValid) => {
  const { problems } = listSchemas(await load('/__admin/openapi.json'))
  expect(problems(['components', 'schemas', name], body) === '').toBe(isValid)
})

it.each([
  ['x', false],
  ['', false],
  ['2025-01-01', false],
  ['2025-01-01T00:00:00Z', true],
  ['req_ecx5mv6EDdxLEQg3fPxyeyjsb1Xf', true],
])('documents the forms of `since`: %j', async (since, isValid) => {
  const { problems } = listSchemas(await load('/__admin/openapi.json'))
  expect(problems(['components', 'parameters', 'since', 'schema'], since) === '').toBe(isValid)
})
