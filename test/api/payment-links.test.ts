import { expect, it } from 'vitest'
import { noon, errorResponse, describeMatrix } from '../support/api.ts'
import { errors } from '../../src/core/schema/error.ts'

const links = '/projects/acme/paymentLinks'
const valid = { invoice: 'inv_1', type: 'partner', partner: { user: { fullName: 'Ada', taxNumber: '123' } } }
const later = 'https://shop.example/done?order=1'
const payerFields = ['fullName', 'email', 'taxNumber'].map((name) => `partner.user.${name}`)

describeMatrix('POST /projects/{project}/paymentLinks', (start) => {
  it('returns the created link, active and without the payer [§2.1 payment link] [§2.3 object, id, canceledAt, completedAt, createdAt, partner, partner.redirectUrl, invoice, paymentUrl, status, type] [§2.5] [§3] [§4.2 create a link]', async () => {
    const { post, origin } = await start()
    const { status, body } = await post(links, { ...valid, partner: { ...valid.partner, redirectUrl: later } })
    expect(status).toBe(201)
    expect(body).toEqual({
      object: 'paymentLink',
      id: expect.stringMatching(/^pml_[0-9A-Za-z]{28}$/),
      canceledAt: null,
      completedAt: null,
      createdAt: noon,
      partner: { redirectUrl: later },
      invoice: 'inv_1',
      paymentUrl: `${origin}/pay/acme/${body.id}`,
      status: 'active',
      type: 'partner',
    })
    expect(JSON.stringify(body)).not.toContain('Ada')
  })

  it('returns a redirectUrl that was omitted as null [§2.3 partner.redirectUrl]', async () => {
    const { post } = await start()
    const { body } = await post(links, { ...valid, partner: { user: {} } })
    expect(body.partner).toEqual({ redirectUrl: null })
  })

  it.each([
    [{}, ['invoice', 'type', 'partner']],
    [{ ...valid, type: 'card' }, ['type']],
    [{ ...valid, partner: null }, ['partner']],
    [{ ...valid, partner: {} }, ['partner.user']],
    [{ ...valid, partner: { user: { fullName: 0, email: 1, taxNumber: 2 } } }, payerFields],
    [{ ...valid, partner: { user: {}, redirectUrl: 'javascript:alert(1)' } }, ['partner.redirectUrl']],
    [{ ...valid, partner: { user: {}, redirectUrl: '/relative' } }, ['partner.redirectUrl']],
    ...['http:shop.example', 'http:/shop.example', 'https:///shop.example', 'https:\\\\shop.example', 'http://'].map(
      (redirectUrl): [object, string[]] => [{ ...valid, partner: { user: {}, redirectUrl } }, ['partner.redirectUrl']],
    ),
    [{ ...valid, partner: { user: {}, redirectUrl: null } }, ['partner.redirectUrl']],
    [{ ...valid, invoice: 7 }, ['invoice']],
  ])('rejects %j and names every problem at once [§2.5] [§4.2 invoice, type, partner]', async (body, paths) => {
    const { post } = await start()
    expect(await post(links, body)).toMatchObject(errorResponse(422, 'invalidBody', paths))
  })
})

describeMatrix('the states of a payment link', (start) => {
  const create = async (options = {}) => {
    const api = await start(options)
    const { body } = await api.post(links, valid)
    return { ...api, link: body, path: `${links}/${body.id}` }
  }

  it('go from active to canceled when it is canceled [§3 active] [§4.2 cancel a link]', async () => {
    const { send, get, link, path } = await create()
    const canceled = { ...link, status: 'canceled', canceledAt: noon }
    expect(await send('POST', `${path}/cancel`)).toMatchObject({ status: 200, body: canceled })
    expect((await get(path)).body).toEqual(canceled)
  })

  it('go from active to completed when it is used for a payment [§3 active]', async () => {
    const { mock, get, link, path } = await create()
    await mock.project('acme').paymentLinks.pay(link.id)
    expect((await get(path)).body).toEqual({ ...link, status: 'completed', completedAt: noon })
  })

  it.each(['canceled', 'completed'])('reject a cancel once the link is %s', async (status) => {
    const { mock, send, get, link, path } = await create()
    const { paymentLinks } = mock.project('acme')
    await (status === 'canceled' ? paymentLinks.cancel(link.id) : paymentLinks.pay(link.id))
    const before = (await get(path)).body
    const response = await send('POST', `${path}/cancel`)
    expect(response).toMatchObject(errorResponse(409, 'paymentLinkNotActive'))
    expect(response.body.message).toBe(errors.paymentLinkNotActive({ id: link.id, status }, 'canceled').message)
    expect((await get(path)).body).toEqual(before)
  })

  it('reject a payment once the link is canceled [§3 active]', async () => {
    const { mock, send, link, path } = await create()
    await send('POST', `${path}/cancel`)
    const paying = mock.project('acme').paymentLinks.pay(link.id)
    await expect(paying).rejects.toMatchObject({ code: 'paymentLinkNotActive', status: 409 })
  })

  it('reject a link that does not exist [§4.2 retrieve a link]', async () => {
    const { get, send } = await start()
    expect(await get(`${links}/pml_x`)).toMatchObject(errorResponse(404, 'paymentLinkNotFound'))
    expect(await send('POST', `${links}/pml_x/cancel`)).toMatchObject(errorResponse(404, 'paymentLinkNotFound'))
  })
})

describeMatrix('GET /projects/{project}/paymentLinks', (start) => {
  const seed = {
    projects: {
      acme: {
        paymentLinks: [
          { id: 'pml_1', invoice: 'inv_a' },
          { id: 'pml_2', invoice: 'inv_b', status: 'canceled' as const },
          { id: 'pml_3', invoice: 'inv_a', status: 'completed' as const },
          { id: 'pml_4', invoice: 'inv_a' },
          { id: 'pml_5', invoice: 'inv_b' },
        ],
      },
    },
  }
  const idsOf = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id.slice(4)).join('')

  it.each([
    ['', '54321'],
    ['?status=active', '541'],
    ['?status=canceled,completed', '32'],
    ['?status=completed,active,completed', '5431'],
    ['?status=canceled&status=completed', '32'],
    ['?status=completed&status=active,completed&status=completed', '5431'],
    ['?invoice=inv_a', '431'],
    ['?invoice=inv_a&status=active', '41'],
    ['?invoice=inv_b&status=active,canceled', '52'],
    ['?invoice=inv_nobody', ''],
    ['?status=active&after=pml_4', '1'],
    ['?status=active&before=pml_1', '54'],
    ['?invoice=inv_a&after=pml_2', '1'],
    ['?invoice=inv_a&before=pml_2&limit=1', '3'],
  ])('lists for %s the links %s [§4.2 list links, invoice, status]', async (query, ids) => {
    const { get } = await start({ seed })
    expect(idsOf((await get(`${links}${query}`)).body)).toBe(ids)
  })

  it('accepts a cursor whose record leaves the filter between two pages', async () => {
    const { get, send } = await start({ seed })
    const first = (await get(`${links}?status=active&limit=2`)).body
    expect(first.moreItemsAfter).toBe('pml_4')
    await send('POST', `${links}/pml_4/cancel`)
    const second = (await get(`${links}?status=active&limit=2&after=pml_4`)).body
    expect(idsOf(second)).toBe('1')
    expect(second.moreItemsBefore).toBe('pml_1')
  })

  const invalidStatuses = ['', 'open', 'active,', 'active,,canceled', 'Active', '&status=active', 'active&status=open']
  it.each(invalidStatuses)('rejects status=%s [§4.2 status]', async (status) => {
    const { get } = await start({ seed })
    expect(await get(`${links}?status=${status}`)).toMatchObject(errorResponse(400, 'invalidQuery', ['status']))
  })
})

describeMatrix('the wire word of the provider', (start) => {
  const stripe = { invoice: 'inv_1', type: 'stripe', stripe: { user: {}, redirectUrl: later } }

  it('is the value of type and the name of the object field [§2.3 type, partner]', async () => {
    const { post, get, mock } = await start({ provider: 'stripe' })
    const { status, body } = await post(links, stripe)
    expect(status).toBe(201)
    expect(body).toMatchObject({ type: 'stripe', stripe: { redirectUrl: later } })
    expect(body).not.toHaveProperty('partner')
    expect((await get(links)).body.items).toEqual([body])
    // Exports use `partner`, whatever the provider is called.
    const record = await mock.project('acme').paymentLinks.get(body.id)
    expect(record).toMatchObject({ type: 'partner', partner: { redirectUrl: later } })
  })
})

describeMatrix('the base path', (start) => {
  it('is a prefix of the operations only [§4]', async () => {
    const { post, get, origin } = await start({ basePath: '/v1' })
    const { status, body } = await post(`/v1${links}`, valid)
    expect(status).toBe(201)
    expect(body.paymentUrl).toBe(`${origin}/pay/acme/${body.id}`)
    expect(await get(links)).toMatchObject(errorResponse(404, 'routeNotFound'))
    expect(await get(`/v1${links}/${body.id}`)).toMatchObject({ status: 200 })
  })
})
