import { expect, it } from 'vitest'
import type { BehaviorChoices } from '../../src/node/index.ts'
import { startApi, errorResponse, describeMatrix } from '../support/api.ts'
import { token } from '../support/canary.ts'
import { readJson, readResponse } from '../support/read.ts'

// Bodies with every field. A new field needs a value here.
const at = '2025-07-08T09:10:11.123Z'
const user = { email: 'new@b.c', birthday: '1991-02-03', fullName: 'New', metadata: { a: 1 }, preferredLocale: 'fr' }
const ownUser = { ...user, createdAt: at, emailVerified: false }
const payer = { fullName: 'Payer', email: 'payer@b.c', taxNumber: '7' }
const partner = { redirectUrl: 'https://shop.example/back' }
const link = { invoice: 'inv_new', type: 'partner', partner: { user: payer, ...partner } }
const completed = { ...link, partner, payer, status: 'completed', createdAt: at, completedAt: at, canceledAt: null }
const canceled = { ...completed, status: 'canceled', completedAt: null, canceledAt: at }

it.each<[document: string, schema: string, method: string, path: string, body: Readonly<Record<string, unknown>>]>([
  ['/openapi.json', 'CreateUserBody', 'POST', 'users', user],
  ['/openapi.json', 'UpdateUserBody', 'PATCH', 'users/usr_base', user],
  ['/openapi.json', 'CreatePaymentLinkBody', 'POST', 'paymentLinks', link],
  ['/__admin/openapi.json', 'CreateUserBody', 'POST', 'users', { ...ownUser, object: 'user', id: 'usr_new' }],
  ['/__admin/openapi.json', 'PatchUserBody', 'PATCH', 'users/usr_base', ownUser],
  [
    '/__admin/openapi.json',
    'CreatePaymentLinkBody',
    'POST',
    'paymentLinks',
    { ...completed, object: 'paymentLink', id: 'pml_new' },
  ],
  ['/__admin/openapi.json', 'PatchPaymentLinkBody', 'PATCH', 'paymentLinks/pml_base', completed],
  ['/__admin/openapi.json', 'PatchPaymentLinkBody', 'PATCH', 'paymentLinks/pml_base', canceled],
])('%s: every field of %s is kept', async (document, schema, method, path, sent) => {
  const { mock } = await startApi('in process')
  const acme = mock.project('acme')
  await acme.users.create({ id: 'usr_base', email: 'base@b.c' })
  await acme.paymentLinks.create({ id: 'pml_base', invoice: 'inv_base' })
  const { properties } = (await readJson(mock.fetch(document))).components.schemas[schema]
  expect(Object.keys(sent).toSorted()).toEqual(Object.keys(properties).toSorted())
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' }
  const address = `${document.replace('/openapi.json', '')}/projects/acme/${path}`
  const { status, body } = await readResponse(mock.fetch(address, { method, headers, body: JSON.stringify(sent) }))
  expect([status, body.code]).toEqual([method === 'PATCH' ? 200 : 201, undefined])
  const [kind] = path.split('/') as ['users' | 'paymentLinks']
  // The service never returns the payer, which is a field of the record (spec §2.5).
  expect(body).toMatchObject(sent === link ? { ...link, partner } : sent)
  const stored = sent === link ? { ...link, partner, payer } : sent
  expect(await acme[kind].get(body.id)).toMatchObject(stored)
  expect((await acme.state.get())[kind]!.find(({ id }) => id === body.id)).toMatchObject(stored)
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
