import { expect, it } from 'vitest'
import { createMock, type BehaviorChoices } from '../../src/node/index.ts'
import { startApi, errorResponse } from '../support/api.ts'
import { token } from '../support/canary.ts'
import { nullableNames } from '../support/fields.ts'
import { readJson, readResponse } from '../support/read.ts'
import { describeMatrix } from '../support/matrix.ts'

// Every field of a body is kept. The fields come from the OpenAPI documents, so new fields are included automatically.

type Json = { readonly [key: string]: any }

interface Body {
  readonly api: 'mocked API' | 'control API'
  readonly name: string
  readonly method: 'POST' | 'PATCH'
  readonly list: 'users' | 'paymentLinks'
  readonly schema: Json
}

const schemasAt = async (path: string): Promise<Json> =>
  ((await readJson(createMock().fetch(path))) as Json).components.schemas

const documents = {
  'mocked API': await schemasAt('/openapi.json'),
  'control API': await schemasAt('/__admin/openapi.json'),
}
const bodies: readonly Body[] = (
  [
    ['mocked API', 'CreateUserBody', 'POST', 'users'],
    ['mocked API', 'UpdateUserBody', 'PATCH', 'users'],
    ['mocked API', 'CreatePaymentLinkBody', 'POST', 'paymentLinks'],
    ['control API', 'CreateUserBody', 'POST', 'users'],
    ['control API', 'PatchUserBody', 'PATCH', 'users'],
    ['control API', 'CreatePaymentLinkBody', 'POST', 'paymentLinks'],
    ['control API', 'PatchPaymentLinkBody', 'PATCH', 'paymentLinks'],
  ] as const
).map(([api, name, method, list]) => ({ api, name, method, list, schema: documents[api][name] }))

/** The paths of the fields of a schema, down to values that have no fields of their own. */
const leavesOf = (schema: Json): string[][] => {
  const { properties } = present(schema)
  if (properties === undefined) return [[]]
  return Object.entries<Json>(properties).flatMap(([name, field]) => leavesOf(field).map((path) => [name, ...path]))
}

/** The schema of the value without null. */
const present = (schema: Json): Json => schema.anyOf?.find((one: Json) => one.type !== 'null') ?? schema

const schemaAt = (schema: Json, [name, ...rest]: readonly string[]): Json =>
  name === undefined ? present(schema) : schemaAt(present(schema).properties[name], rest)

/** A valid value of a schema, other than `current`. */
const sampleOf = (schema: Json, current?: unknown): unknown => {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum.find((one: unknown) => one !== current)
  if (schema.format !== undefined)
    return { date: '1991-02-03', 'date-time': '2025-07-08T09:10:11.123Z', uri: 'https://shop.example/back' }[
      schema.format as 'date'
    ]
  const example = schema.examples?.findLast((one: unknown) => one !== current)
  if (example !== undefined) return example
  const prefix = /^\^(\w+_)/.exec(schema.pattern ?? '')?.[1]
  const samples: Json = {
    string: `${prefix ?? ''}sample`,
    boolean: current !== true,
    integer: (schema.minimum ?? 0) + 1,
    number: (schema.minimum ?? 0) + 0.5,
    array: [schema.items && sampleOf(schema.items)],
    object: { sample: true },
  }
  const [type] = [schema.type].flat()
  if (!(type in samples)) throw new Error(`No sample of ${JSON.stringify(schema)}`)
  return samples[type]
}

const nested = (path: readonly string[], value: unknown): any =>
  path.reduceRight((inner, name) => ({ [name]: inner }), value)

const at = (value: any, path: readonly string[]): unknown => path.reduce((part, name) => part?.[name], value)

const merged = (a: any, b: any): any =>
  typeof a !== 'object' || typeof b !== 'object'
    ? b
    : Object.fromEntries(
        [...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [
          key,
          key in a && key in b ? merged(a[key], b[key]) : (b[key] ?? a[key]),
        ]),
      )

const fields = bodies.flatMap((body) => leavesOf(body.schema).map((path) => ({ ...body, path, field: path.join('.') })))
const titled = fields.map(
  (one) => [`${one.method} ${one.list} of the ${one.api} keeps the field ${one.field}`, one] as const,
)

/** The path of a field in the record: the payer has a separate field there (spec §2.5). */
const placeOf = ([first, second, ...rest]: readonly string[]): readonly string[] =>
  first === 'partner' && second === 'user'
    ? ['payer', ...rest]
    : [first, second, ...rest].filter((one) => one !== undefined)

it.each(titled)('%s', async (_, { api, method, list, schema, path, field }) => {
  const { mock } = await startApi('in process')
  const acme = mock.project('acme')
  const [user, link] = [
    await acme.users.create({ email: 'base@example.com' }),
    await acme.paymentLinks.create({ invoice: 'inv_base' }),
  ]
  const base = list === 'users' ? user : link
  const place = placeOf(path)
  const required = Object.fromEntries((schema.required ?? []).map((name: string) => [name, requiredValues[name]]))
  const value = sampleOf(schemaAt(schema, path), at(base, place))
  const sent = merged({ ...required, ...together[field] }, nested(path, value))

  const prefix = api === 'control API' ? '/__admin' : ''
  const response = await mock.fetch(`${prefix}/projects/acme/${list}${method === 'PATCH' ? `/${base.id}` : ''}`, {
    method,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(sent),
  })
  const { body } = await readResponse(response)
  expect([response.status, body.code]).toEqual([method === 'PATCH' ? 200 : 201, undefined])
  const record = list === 'users' ? await acme.users.get(body.id) : await acme.paymentLinks.get(body.id)
  const exported = (await acme.state.get())[list]!.find(({ id }) => id === body.id)
  expect(at(record, place)).toEqual(value)
  expect(at(exported, place)).toEqual(value)
  // The service never returns the payer (spec §2.5).
  expect(at(body, place)).toEqual(api === 'mocked API' && place[0] === 'payer' ? undefined : value)
})

/** The required fields of a create. */
const requiredValues: Json = {
  email: 'new@example.com',
  invoice: 'inv_new',
  type: 'partner',
  partner: { user: {} },
}

/** Fields that another field requires: a time belongs to a status (spec §3). */
const together: Json = {
  canceledAt: { status: 'canceled' },
  completedAt: { status: 'completed' },
}

it('has the fields of the specification', () => {
  const of = (api: Body['api'], name: string) =>
    fields.filter((one) => one.api === api && one.name === name).map(({ field }) => field)
  expect(of('mocked API', 'UpdateUserBody').toSorted()).toEqual(
    ['email', 'metadata', 'preferredLocale', ...nullableNames].toSorted(),
  )
  expect(of('mocked API', 'CreatePaymentLinkBody').toSorted()).toEqual([
    'invoice',
    'partner.redirectUrl',
    'partner.user.email',
    'partner.user.fullName',
    'partner.user.taxNumber',
    'type',
  ])
  expect(of('control API', 'PatchPaymentLinkBody')).toEqual(
    expect.arrayContaining(['canceledAt', 'createdAt', 'status', 'payer.taxNumber']),
  )
})

const users = '/projects/acme/users'
const ada = `${users}/usr_ada`

/** Metadata of so many keys, which are called `<prefix>0`, `<prefix>1` and so on. */
const keys = (prefix: string, count: number, value: unknown = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [`${prefix}${nth}`, value]))

describeMatrix('metadataLimits=strings', (start) => {
  const startWith = (metadata: object, behaviors: BehaviorChoices = {}) =>
    start({
      seed: { projects: { acme: { users: [{ id: 'usr_ada', email: 'ada@example.com', metadata } as never] } } },
      behaviors: { metadataLimits: 'strings', ...behaviors },
    })
  const invalidFields = (...paths: string[]) => errorResponse(422, 'invalidBody', paths)

  it('counts the keys that an update leaves, not those that it passes', async () => {
    const { patch } = await startWith(keys('old', 9))
    expect(await patch(ada, { metadata: keys('new', 2) })).toMatchObject(invalidFields('metadata'))
    expect(await patch(ada, { metadata: keys('new', 1) })).toMatchObject({ status: 200 })
  })

  it('says nothing of ten keys with a value that is too long', async () => {
    const { patch } = await startWith(keys('old', 9))
    expect(await patch(ada, { metadata: { new: 'x'.repeat(256) } })).toMatchObject(invalidFields('metadata.new'))
  })

  it('counts a key once that an update only changes', async () => {
    const { patch } = await startWith(keys('old', 10))
    const metadata = keys('old', 10, 'changed')
    expect(await patch(ada, { metadata })).toMatchObject({ status: 200, body: { metadata } })
  })

  it('counts no key that an update removes', async () => {
    const { patch } = await startWith(keys('old', 10))
    const metadata = { ...keys('new', 2), ...keys('old', 2, null) }
    const left = { old2: 'v', new0: 'v', new1: 'v' }
    expect(await patch(ada, { metadata })).toMatchObject({ status: 200, body: { metadata: left } })
    expect(await patch(ada, { metadata: { another: 'v' } })).toMatchObject(invalidFields('metadata'))
  })

  it('counts no key that a create passes as null', async () => {
    const { post } = await startWith({})
    const metadata = { ...keys('key', 10), gone: null, ['k'.repeat(41)]: null }
    const created = await post(users, { email: 'grace@example.com', metadata })
    expect(created).toMatchObject({ status: 201 })
    expect(created.body.metadata).toEqual(keys('key', 10))
  })

  it('looks at what was there before, too, as far as it stays', async () => {
    const { patch } = await startWith({ seats: 4 })
    expect(await patch(ada, { metadata: { plan: 'gold' } })).toMatchObject(invalidFields('metadata.seats'))
    expect(await patch(ada, { metadata: { plan: 'gold', seats: null } })).toMatchObject({ status: 200 })
  })

  it('lets an update alone that passes no metadata', async () => {
    const { patch } = await startWith({ ...keys('old', 20), seats: 4 })
    expect(await patch(ada, { fullName: 'Ada Lovelace' })).toMatchObject({ status: 200 })
  })

  it('counts characters as the document does, also those outside the basic plane', async () => {
    const { patch } = await startWith({})
    const fits = { metadata: { ['😀'.repeat(40)]: '😀'.repeat(255) } }
    expect(await patch(ada, fits)).toMatchObject({ status: 200, body: fits })
    expect(await patch(ada, { metadata: { note: '😀'.repeat(256) } })).toMatchObject(invalidFields('metadata.note'))
    const rejected = await patch(ada, { metadata: { ['😀'.repeat(41)]: 'x' } })
    expect(rejected).toMatchObject(invalidFields('metadata'))
    expect(rejected.body.message).toContain('(got 41)')
  })

  it('names every problem at once', async () => {
    const { patch } = await startWith(keys('old', 10))
    const metadata = { seats: 4, note: 'x'.repeat(256) }
    expect(await patch(ada, { metadata })).toMatchObject(invalidFields('metadata', 'metadata.seats', 'metadata.note'))
  })

  it('names a key by its first 40 characters, however long it is', async () => {
    const { post } = await startWith({})
    const path = `metadata.${'k'.repeat(40)}`
    const response = await post(users, { email: 'grace@example.com', metadata: { ['k'.repeat(50)]: 7 } })
    expect(response).toMatchObject(invalidFields('metadata', path))
    expect(response.body.details[1]).toEqual({ path, message: `${path} must be a string of at most 255 characters.` })
  })

  it('counts with metadataUpdate=replace what an update passes, and nothing else', async () => {
    const { patch } = await startWith({ ...keys('old', 10), seats: 4 }, { metadataUpdate: 'replace' })
    expect(await patch(ada, { metadata: keys('new', 11) })).toMatchObject(invalidFields('metadata'))
    const metadata = { ...keys('new', 10), gone: null }
    const { status, body } = await patch(ada, { metadata })
    expect([status, body.metadata]).toEqual([200, keys('new', 10)])
  })
})
