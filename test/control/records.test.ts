import { describe, expect, it } from 'vitest'
import { noon, errorResponse } from '../support/api.ts'
import { request } from '../cli/support/request.ts'
import { startAdmin } from '../support/control.ts'
import { readJson } from '../support/read.ts'

const acme = '/projects/acme'
const early = '2020-01-01T00:00:00.000Z'
const late = '2030-01-01T00:00:00.000Z'

describe('/__admin/projects/{project}/users', () => {
  it('lists all records, or one page', async () => {
    const { call } = await startAdmin({ seed: { projects: { acme: { generate: { users: 30 } } } } })
    const all = (await call('GET', `${acme}/users`)).body
    expect(all).toMatchObject({ object: 'list', moreItemsAfter: null })
    expect(all.items).toHaveLength(30)
    const page = (await call('GET', `${acme}/users?limit=5&after=${all.items[9].id}`)).body
    expect(page.items).toEqual(all.items.slice(10, 15))
    const one = (await call('GET', `${acme}/users?email=${all.items[3].email}`)).body
    expect(one.items).toEqual([all.items[3]])
  })

  it('rejects a record with each of its problems', async () => {
    const { call, mock } = await startAdmin()
    const record = { id: 'mine', emailVerified: 'yes', createdAt: 'yesterday', emial: 'a@b.c' }
    const paths = ['id', 'createdAt', 'email', 'emailVerified', 'emial']
    expect(await call('POST', `${acme}/users`, record)).toMatchObject(errorResponse(422, 'invalidBody', paths))
    expect(await mock.projects()).toEqual([])
  })

  it.each([
    ['users/usr_1', { object: 'user', id: 'usr_1' }, ['object', 'id']],
    [
      'paymentLinks/pml_1',
      { object: 'paymentLink', id: 'pml_1', partner: { redirectURL: null } },
      ['object', 'id', 'partner.redirectURL'],
    ],
  ])('rejects a change of %s by fields that it cannot have: %j', async (path, change, paths) => {
    const records = { users: [{ id: 'usr_1', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] }
    const { call } = await startAdmin({ seed: { projects: { acme: records } } })
    expect(await call('PATCH', `${acme}/${path}`, change)).toMatchObject(errorResponse(422, 'invalidBody', paths))
  })

  it('accepts the id of a deleted user', async () => {
    const { call } = await startAdmin({ seed: { projects: { acme: { users: [{ id: 'usr_1', email: 'a@b.c' }] } } } })
    const again = { id: 'usr_1', email: 'b@b.c' }
    await call('DELETE', `${acme}/users/usr_1`)
    expect(await call('POST', `${acme}/users`, again)).toMatchObject({ status: 201, body: again })
  })
})

it('pages through users with and without an email filter, whatever emptySearch is', async () => {
  const records = ['usr_1', 'usr_2', 'usr_3'].map((id) => ({ id, email: 'a@b.c' }))
  const seed = { projects: { acme: { users: records } } }
  const { call } = await startAdmin({ seed, behaviors: { searchWithoutEmail: 'none' } })
  const page = async (query: string) => (await call('GET', `${acme}/users${query}`)).body
  expect((await page('')).items).toHaveLength(3)
  for (const query of ['?limit=1&after=usr_3', '?email=A@B.C&limit=1&after=usr_3'])
    expect(await page(query)).toMatchObject({ items: [{ id: 'usr_2' }], moreItemsAfter: 'usr_2' })
})

const kinds = ['users', 'paymentLinks']
it.each(kinds)('rejects both cursors together in a list of %s: they mark two places', async (kind) => {
  const { call } = await startAdmin()
  const both = await call('GET', `${acme}/${kind}?after=x_1&before=x_2`)
  expect(both).toMatchObject(errorResponse(422, 'invalidQuery', ['after', 'before']))
  const twice = await call('GET', `${acme}/${kind}?after=x_1&after=x_2&before=x_3`)
  const message = 'after must be given once (got 2 values).'
  expect(twice.body).toMatchObject({ details: [{ path: 'after', message }] })
})

describe('/__admin/projects/{project}/paymentLinks', () => {
  const paymentLinks = [
    { id: 'pml_active', invoice: 'inv_1', payer: { fullName: 'Ada' } },
    { id: 'pml_completed', invoice: 'inv_2', status: 'completed' as const },
  ]
  const seed = { projects: { acme: { paymentLinks } } }
  const links = `${acme}/paymentLinks`
  const emptyInvoices = ['invoices[0]', 'invoices[1]', 'paymentLinks[0].invoice']

  it('shows the payer and the payment URL', async () => {
    const { call, url } = await startAdmin({ seed })
    expect((await call('GET', `${links}/pml_active`)).body).toMatchObject({
      type: 'partner',
      payer: { fullName: 'Ada' },
      paymentUrl: `${url}/pay/acme/pml_active`,
    })
  })

  it('sets the time of the new status, and clears the time of the previous one', async () => {
    const { call } = await startAdmin({ seed })
    const change = async (status: string) => (await call('PATCH', `${links}/pml_active`, { status })).body
    expect(await change('completed')).toMatchObject({ completedAt: noon, canceledAt: null })
    expect(await change('canceled')).toMatchObject({ completedAt: null, canceledAt: noon })
    expect(await change('active')).toMatchObject({ completedAt: null, canceledAt: null })
  })

  it('keeps fields that a patch omits, and the time of an unchanged status', async () => {
    const redirectUrl = 'https://shop.example/done'
    const { call } = await startAdmin({ seed })
    const before = (await call('GET', `${links}/pml_completed`)).body
    expect(before.completedAt).toBe(before.createdAt)
    const change = async (patch: object) => (await call('PATCH', `${links}/pml_completed`, patch)).body
    expect(await change({ invoice: 'inv_9' })).toEqual({ ...before, invoice: 'inv_9' })
    expect(await change({ status: 'completed' })).toEqual({ ...before, invoice: 'inv_9' })
    const redirected = { ...before, invoice: 'inv_9', partner: { redirectUrl } }
    expect(await change({ partner: { redirectUrl } })).toEqual(redirected)
    expect(await change({ payer: { fullName: 'Ada' } })).toEqual({ ...redirected, payer: { fullName: 'Ada' } })
    expect((await change({ partner: { redirectUrl: null } })).partner).toEqual({ redirectUrl: null })
  })

  it('drops the scheduled payment of a link only when a patch closes the link', async () => {
    const { call } = await startAdmin({ seed })
    const plansAfter = async (patch: object) => {
      expect((await call('PATCH', `${links}/pml_active`, patch)).status).toBe(200)
      return (await call('GET', `${acme}/scheduledPayments`)).body.items.length
    }
    await call('POST', `${links}/pml_active/pay`, { when: { reads: 1 } })
    expect([await plansAfter({ invoice: 'inv_9' }), await plansAfter({ status: 'canceled' })]).toEqual([1, 0])
  })

  it.each([
    ['POST', links, { invoice: 'inv_1', completedAt: noon }, ['completedAt']],
    ['PATCH', `${links}/pml_active`, { canceledAt: noon }, ['canceledAt']],
    ['PATCH', `${links}/pml_completed`, { completedAt: null }, ['completedAt']],
    ['PATCH', `${links}/pml_active`, { status: 'canceled', canceledAt: null }, ['canceledAt']],
    ['PATCH', `${links}/pml_completed`, { status: 'canceled', completedAt: noon }, ['completedAt']],
    ['PATCH', `${links}/pml_completed`, { completedAt: early }, ['completedAt']],
    ['PATCH', `${links}/pml_completed`, { createdAt: noon }, ['completedAt']],
    ['PATCH', `${links}/pml_active`, { status: 'canceled', canceledAt: early }, ['canceledAt']],
    ['PATCH', `${links}/pml_active`, { invoice: '' }, ['invoice']],
    ['PATCH', `${acme}/state`, { invoices: ['', ''], paymentLinks: [{ invoice: '' }] }, emptyInvoices],
  ])('rejects an impossible link: %s %s %j', async (method, path, record, paths) => {
    const { call, mock } = await startAdmin({ seed })
    const before = await mock.project('acme').summary()
    expect(await call(method, path, record)).toMatchObject(errorResponse(422, 'invalidBody', paths))
    expect(await mock.project('acme').summary()).toEqual(before)
  })

  it.each([
    [{ status: 'completed', createdAt: noon, completedAt: noon }, {}],
    [{ status: 'canceled', createdAt: early, canceledAt: noon }, {}],
    // Created when it was closed, at the latest: it is closed before now.
    [{ status: 'completed', completedAt: early }, { createdAt: early }],
    [{ status: 'canceled', canceledAt: early }, { createdAt: early }],
    [{ status: 'completed', completedAt: late }, { createdAt: noon }],
  ])('accepts a link that is closed at its creation or later: %j', async (record, filled) => {
    const { call } = await startAdmin()
    const { status, body } = await call('POST', links, { invoice: 'inv_1', ...record })
    expect([status, body]).toEqual([201, expect.objectContaining({ ...record, ...filled })])
    const state = (await call('GET', `${acme}/state`)).body
    expect((await call('PUT', `${acme}/state`, state)).status).toBe(200)
    expect((await call('GET', `${acme}/state`)).body).toEqual(state)
  })

  it.each([
    ['POST', 'cancel', {}, 'canceledAt'],
    ['POST', 'pay', {}, 'completedAt'],
    ['PATCH', '', { status: 'canceled' }, 'canceledAt'],
    ['PATCH', '', { status: 'completed' }, 'completedAt'],
  ])('uses the creation time as timestamp when the clock was set back: %s %s', async (method, action, body, stamp) => {
    const { call } = await startAdmin()
    const { id, createdAt } = (await call('POST', links, { invoice: 'inv_1' })).body
    await call('PUT', `${acme}/clock`, { mode: 'frozen', now: early })
    const response = await call(method, `${links}/${id}${action && `/${action}`}`, body)
    expect([response.status, response.body[stamp]]).toEqual([200, createdAt])
    const state = (await call('GET', `${acme}/state`)).body
    expect((await call('PUT', `${acme}/state`, state)).status).toBe(200)
  })

  it('uses a creation time from the same patch as timestamp of the status', async () => {
    const { call } = await startAdmin({ seed })
    const { body } = await call('PATCH', `${links}/pml_active`, { status: 'completed', createdAt: late })
    expect(body).toMatchObject({ createdAt: late, completedAt: late })
  })

  it('finds no link by an empty invoice', async () => {
    const { call, mock } = await startAdmin({ seed })
    expect((await call('GET', `${links}?invoice=`)).body.items).toEqual([])
    const headers = { authorization: 'Bearer t', accept: 'application/json' }
    const response = await mock.fetch('/projects/acme/paymentLinks?invoice=', { headers })
    expect(await readJson(response)).toMatchObject({ items: [] })
  })

  it('returns a payment URL at the called host', async () => {
    const { url } = await startAdmin({ seed })
    const { body } = await request(`${url}/__admin${links}/pml_active`, { headers: { host: 'mock.test:80' } })
    expect(body.paymentUrl).toBe('http://mock.test/pay/acme/pml_active')
  })
})
