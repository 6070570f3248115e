// Proves: Paging.
import { expect, it } from 'vitest'
import { noon, errorResponse, describeMatrix } from '../support/api.ts'
import { token } from '../support/canary.ts'
import type { BehaviorChoices, MockOptions } from '../../src/node/index.ts'
import { profiles } from '../../src/core/schema/behavior.ts'
import { errors } from '../../src/core/schema/error.ts'

const users = '/projects/acme/users'
const links = '/projects/acme/paymentLinks'
const link = (partner: object = {}, invoice = 'inv_1') => ({
  invoice,
  type: 'partner',
  partner: { user: {}, ...partner },
})
const idsOf = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id)
const nothing = { items: [], moreItemsAfter: null, moreItemsBefore: null }

describeMatrix('a request', (start) => {
  it('gets a JSON response, whatever it accepts [§1]', async () => {
    const { send, post } = await start()
    const { status, headers } = await send('GET', users, { headers: { accept: 'text/html' } })
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect((await post(users, { email: 'a@b.c' })).headers.get('content-type')).toBe('application/json')
  })

  it('may have a body of one mebibyte, and not a byte more', async () => {
    const { send } = await start()
    const raw = (size: number) => '{"email":"a@b.c"}'.padEnd(size)
    expect(await send('POST', users, { raw: raw(1024 * 1024) })).toMatchObject({ status: 201 })
    expect(await send('POST', users, { raw: raw(1024 * 1024 + 1) })).toMatchObject(errorResponse(413, 'bodyTooLarge'))
  })
})

const seed = {
  projects: {
    acme: {
      users: [
        { id: 'usr_1', email: 'ada@example.com', metadata: { plan: 'family' } },
        { id: 'usr_2', email: 'grace@example.com' },
        { id: 'usr_3', email: 'ADA@Example.com' },
      ],
      paymentLinks: [
        { id: 'pml_1', invoice: 'inv_1' },
        { id: 'pml_2', invoice: 'inv_1', status: 'canceled' as const },
        { id: 'pml_3', invoice: 'inv_1', status: 'completed' as const },
      ],
      invoices: ['inv_1'],
    },
  },
}

// Each value that is not the default changes the response and is in the Mock-Assumed header.
describeMatrix('the behavior', (start) => {
  const startWith = async (behaviors: BehaviorChoices, options: MockOptions = {}) => {
    const api = await start({ seed, behaviors, ...options })
    const marker = Object.entries(behaviors).map(([key, value]) => `${key}=${value}`)[0]!
    const marked = async (response: Promise<Awaited<ReturnType<typeof api.send>>>) => {
      expect((await response).headers.get('mock-assumed')).toContain(marker)
      return response
    }
    return { ...api, marked }
  }

  it('createStatus=200 creates with 200', async () => {
    const { post, marked } = await startWith({ createStatus: 200 })
    expect(await marked(post(users, { email: 'a@b.c' }))).toMatchObject({ status: 200 })
    expect(await marked(post(links, link()))).toMatchObject({ status: 200 })
  })

  it('invalidBodyStatus=400 rejects invalid fields with 400', async () => {
    const { post, marked } = await startWith({ invalidBodyStatus: 400 })
    expect(await marked(post(users, {}))).toMatchObject(errorResponse(400, 'invalidBody', ['email']))
  })

  it('errorFormat=problem returns errors as in RFC 9457', async () => {
    const { get } = await startWith({ errorFormat: 'problem' })
    const { status, headers, body } = await get(`${users}/pml_1`)
    expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    expect(body).toEqual({
      type: 'urn:paylink-mock:error:userNotFound',
      title: 'There is no such user.',
      status: 404,
      detail: errors.userNotFound({ id: 'pml_1', project: 'acme', text: 'user' }).message,
      code: 'userNotFound',
      hint: expect.stringContaining('payment link'),
    })
  })

  it('requestHeaders=required rejects a body without a content type [§5]', async () => {
    const { send, marked } = await startWith({ requestHeaders: 'required' })
    const raw = new TextEncoder().encode('{"email":"a@b.c"}')
    const response = send('POST', users, { raw, headers: { 'content-type': undefined } })
    expect(await marked(response)).toMatchObject(errorResponse(415, 'unsupportedMediaType'))
  })

  it('unknownFields=reject rejects unknown parameters', async () => {
    const { get, marked } = await startWith({ unknownFields: 'reject' })
    expect(await marked(get(`${users}?colour=blue`))).toMatchObject(errorResponse(400, 'invalidQuery', ['colour']))
  })

  it('unknownFields=reject rejects unknown and read-only fields', async () => {
    const { post, marked } = await startWith({ unknownFields: 'reject' })
    const response = post(users, { email: 'a@b.c', shoe: 42, id: 'usr_mine' })
    expect(await marked(response)).toMatchObject(errorResponse(422, 'invalidBody', ['shoe', 'id']))
  })

  it('unknownProject=notFound returns 404 for projects that are not in the seed', async () => {
    const { get, marked } = await startWith({ unknownProject: 'notFound' })
    expect(await marked(get('/projects/other/users'))).toMatchObject(errorResponse(404, 'projectNotFound'))
    expect(await get(users)).toMatchObject({ status: 200 })
  })

  it('unknownProject=notFound creates no project, whatever the response is', async () => {
    const { send, mock } = await startWith({ unknownProject: 'notFound' })
    const known = await mock.projects()
    const headers = { 'content-type': 'text/plain' }
    expect(await send('POST', '/projects/other/users', { raw: '{}', headers })).toMatchObject({ status: 415 })
    expect(await mock.projects()).toEqual(known)
  })

  it.each([
    [404, 'projectNotFound'],
    [401, 'tokenInvalid'],
  ] as const)('wrongProjectToken=%i rejects a token of another project with %s', async (wrongProjectToken, code) => {
    const tokens = [{ token, projects: ['beta'] }]
    const { get, marked } = await startWith({ wrongProjectToken }, { tokens })
    expect(await marked(get(users))).toMatchObject(errorResponse(wrongProjectToken, code))
  })

  it('cancelInactive=idempotent returns the canceled link unchanged', async () => {
    const { get, send, marked } = await startWith({ cancelInactive: 'idempotent' })
    const { body } = await get(`${links}/pml_2`)
    expect(await marked(send('POST', `${links}/pml_2/cancel`))).toMatchObject({ status: 200, body })
  })

  it('cancelInactive=idempotent never cancels a completed link', async () => {
    const { send } = await startWith({ cancelInactive: 'idempotent' })
    expect(await send('POST', `${links}/pml_3/cancel`)).toMatchObject(errorResponse(409, 'paymentLinkNotActive'))
  })

  it('paymentLinkOrder=oldestFirst is the exact reverse', async () => {
    const { get, marked } = await startWith({ paymentLinkOrder: 'oldestFirst' })
    const first = (await marked(get(`${links}?limit=2`))).body
    expect(idsOf(first)).toEqual(['pml_1', 'pml_2'])
    expect(idsOf((await get(`${links}?after=${first.moreItemsAfter}`)).body)).toEqual(['pml_3'])
  })

  it.each([
    ['status=canceled', 'after=pml_1', ['pml_2']],
    ['status=canceled', 'after=pml_3', []],
    ['status=canceled', 'before=pml_3', ['pml_2']],
    ['status=canceled', 'before=pml_1', []],
  ])('paymentLinkOrder=oldestFirst lists the one record of %s on its side of %s', async (filter, cursor, ids) => {
    const { get, marked } = await startWith({ paymentLinkOrder: 'oldestFirst' })
    expect(idsOf((await marked(get(`${links}?${filter}&${cursor}`))).body)).toEqual(ids)
  })

  it('payerFields=required names the provider in its problems', async () => {
    const { post } = await startWith({ payerFields: 'required' }, { provider: 'stripe' })
    const body = { invoice: 'inv_1', type: 'stripe', stripe: { user: { email: 'a@b.c', fullName: 'A' } } }
    expect(await post(links, body)).toMatchObject(errorResponse(422, 'invalidBody', ['stripe.user.taxNumber']))
  })

  it('payerFields=required requires every field of the payer', async () => {
    const { post, marked } = await startWith({ payerFields: 'required' })
    const paths = ['partner.user.fullName', 'partner.user.taxNumber']
    const response = post(links, link({ user: { email: 'ada@example.com' } }))
    expect(await marked(response)).toMatchObject(errorResponse(422, 'invalidBody', paths))
    const payer = { fullName: 'Ada', email: 'ada@example.com', taxNumber: '1' }
    expect(await post(links, link({ user: payer }))).toMatchObject({ status: 201 })
  })

  it('payerFields=required and invoiceIds=prefix name their problems together', async () => {
    const { post } = await startWith({ payerFields: 'required', invoiceIds: 'prefix' })
    const paths = ['partner.user.taxNumber', 'invoice']
    const body = { ...link({ user: { fullName: 'Ada', email: 'ada@example.com' } }), invoice: 'no prefix' }
    expect(await post(links, body)).toMatchObject(errorResponse(422, 'invalidBody', paths))
  })

  it.each([
    ['payerFields', 'POST', links, { ...link({ user: { email: 1 } }), type: 'x' }, ['type', 'partner.user.email']],
    ['invoiceIds', 'POST', links, { ...link({}, 'no prefix'), type: 'x' }, ['type']],
    ['metadataLimits', 'POST', users, { email: 'bad', metadata: { n: 1 } }, ['email']],
    ['metadataLimits', 'PATCH', `${users}/usr_1`, { email: 'bad', metadata: { n: 1 } }, ['email']],
  ])('%s adds its problems to those of the schema and unknown fields: %s %s', async (key, method, path, sent, of) => {
    const added = {
      payerFields: ['partner.user.fullName', 'partner.user.taxNumber'],
      invoiceIds: ['invoice'],
      metadataLimits: ['metadata.n'],
    }[key]!
    const restricting = { [key]: profiles.strict[key as 'payerFields'], unknownFields: 'reject' } as const
    const strict = await startWith(restricting)
    const rejection = errorResponse(422, 'invalidBody', [...of, ...added, 'z'])
    const body = { ...sent, z: 1 }
    expect(await strict.marked(strict.send(method, path, { body }))).toMatchObject(rejection)
    const { send } = await startWith({})
    const response = await send(method, path, { body })
    expect(response).toMatchObject(errorResponse(422, 'invalidBody', of))
    expect(response.headers.get('mock-assumed')).toContain(`${key}=`)
  })

  it.each([
    ['exact', 'ada@example.com', ['usr_1']],
    ['exact', 'Ada@example.com', []],
    ['contains', 'DA@', ['usr_3', 'usr_1']],
    ['contains', 'example', ['usr_3', 'usr_2', 'usr_1']],
  ] as const)('searchMatch=%s finds for %s the users %j', async (searchMatch, email, ids) => {
    const { post, marked } = await startWith({ searchMatch })
    expect(idsOf((await marked(post(`${users}/search`, { email }))).body)).toEqual(ids)
  })

  it.each([{}, { email: null }])('searchWithoutEmail=none finds nobody for %j', async (body) => {
    const { post, marked } = await startWith({ searchWithoutEmail: 'none' })
    expect(await marked(post(`${users}/search`, body))).toMatchObject({ status: 200, body: nothing })
  })

  it('emailVerifiedOnCreate=false leaves a new email unverified', async () => {
    const { post, marked } = await startWith({ emailVerifiedOnCreate: false })
    expect((await marked(post(users, { email: 'a@b.c' }))).body.emailVerified).toBe(false)
  })

  it('emailVerifiedOnChange=reset leaves a changed email unverified', async () => {
    const { patch, marked } = await startWith({ emailVerifiedOnChange: 'reset' })
    expect((await patch(`${users}/usr_1`, { email: 'ada@example.com' })).body.emailVerified).toBe(true)
    expect((await marked(patch(`${users}/usr_1`, { email: 'a@b.c' }))).body.emailVerified).toBe(false)
  })

  it('duplicateEmail=conflict rejects the email of another user, whatever its case', async () => {
    const { post, patch, marked } = await startWith({ duplicateEmail: 'conflict' })
    const taken = { email: 'Grace@Example.com' }
    expect(await marked(post(users, taken))).toMatchObject(errorResponse(409, 'emailTaken', ['email']))
    const rejected = await marked(patch(`${users}/usr_1`, taken))
    expect(rejected).toMatchObject(errorResponse(409, 'emailTaken', ['email']))
    expect(rejected.body.message).toContain("'grace@example.com'")
    expect(rejected.body.details[0].message).toContain("(got 'Grace@Example.com')")
    expect(await patch(`${users}/usr_2`, taken)).toMatchObject({ status: 200, body: taken })
  })

  it('duplicateEmail=conflict rejects an email only in a valid body', async () => {
    const { post, patch } = await startWith({ duplicateEmail: 'conflict', metadataLimits: 'strings' })
    const body = { email: 'grace@example.com', metadata: { seats: 4 } }
    expect(await post(users, body)).toMatchObject(errorResponse(422, 'invalidBody', ['metadata.seats']))
    expect(await patch(`${users}/usr_1`, body)).toMatchObject(errorResponse(422, 'invalidBody', ['metadata.seats']))
  })

  it('metadataUpdate=replace replaces the whole metadata', async () => {
    const { patch, marked } = await startWith({ metadataUpdate: 'replace' })
    const response = patch(`${users}/usr_1`, { metadata: { seats: 4, gone: null } })
    expect((await marked(response)).body.metadata).toEqual({ seats: 4 })
    expect((await patch(`${users}/usr_1`, { metadata: {} })).body.metadata).toEqual({})
  })

  it.each([
    ['11 keys', Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`key${index}`, ''])), 'metadata'],
    ['a key of 41 characters', { ['k'.repeat(41)]: '' }, 'metadata'],
    ['an empty key', { '': '' }, 'metadata'],
    ['256 characters', { note: 'x'.repeat(256) }, 'metadata.note'],
    ['a number', { seats: 4 }, 'metadata.seats'],
  ])('metadataLimits=strings rejects %s', async (_, metadata, path) => {
    const { post, patch, marked } = await startWith({ metadataLimits: 'strings' })
    const rejection = errorResponse(422, 'invalidBody', [path])
    expect(await marked(post(users, { email: 'a@b.c', metadata }))).toMatchObject(rejection)
    expect(await marked(patch(`${users}/usr_2`, { metadata }))).toMatchObject(rejection)
  })

  it('metadataLimits=strings names the keys with a problem, and those that are stored', async () => {
    const stored = { seats: 4, ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`key${index}`, ''])) }
    const { mock, patch } = await startWith({ metadataLimits: 'strings' })
    await mock.project('acme').users.patch('usr_1', { metadata: stored })
    const { body } = await patch(`${users}/usr_1`, { metadata: { ['k'.repeat(41)]: 1 } })
    expect(body.details.map(({ message }: { message: string }) => message)).toEqual([
      'metadata must have at most 10 keys (got 11 with those that are stored).',
      `metadata key '${'k'.repeat(40)}...' must have 1 to 40 characters (got 41).`,
      'metadata.seats must be a string of at most 255 characters (it is stored, and was not sent).',
      `metadata.${'k'.repeat(40)} must be a string of at most 255 characters.`,
    ])
  })

  it('metadataLimits=strings allows ten keys of 40 characters with values of 255', async () => {
    const { post } = await startWith({ metadataLimits: 'strings' })
    const entries = Array.from({ length: 10 }, (_, index) => [`${index}`.repeat(40), 'x'.repeat(255)])
    expect(await post(users, { email: 'a@b.c', metadata: Object.fromEntries(entries) })).toMatchObject({ status: 201 })
  })

  it.each([
    ['resume', 'after', { moreItemsAfter: null, moreItemsBefore: 'usr_1' }, ['usr_1']],
    ['resume', 'before', { moreItemsAfter: 'usr_3', moreItemsBefore: null }, ['usr_3']],
    ['empty', 'after', nothing, []],
    ['empty', 'before', nothing, []],
  ] as const)('deletedCursor=%s returns the page %s a deleted user', async (deletedCursor, name, page, ids) => {
    const { get, delete: remove, marked } = await startWith({ deletedCursor })
    await remove(`${users}/usr_2`)
    const { status, body } = await marked(get(`${users}?${name}=usr_2`))
    expect([status, idsOf(body)]).toEqual([200, ids])
    expect(body).toMatchObject({ moreItemsAfter: page.moreItemsAfter, moreItemsBefore: page.moreItemsBefore })
  })

  it.each([
    ['prefix', '42', 422, 'invalidBody'],
    ['prefix', 'inv_42', 201, undefined],
    ['seeded', 'inv_42', 422, 'invoiceNotFound'],
    ['seeded', 'inv_1', 201, undefined],
  ] as const)(
    'invoiceIds=%s responds to the invoice %s with %i [§2.1 invoice]',
    async (invoiceIds, invoice, status, code) => {
      const { post } = await startWith({ invoiceIds })
      const response = await post(links, link({}, invoice))
      expect(response.status).toBe(status)
      if (code) expect(response).toMatchObject(errorResponse(422, code, ['invoice']))
    },
  )

  it('timestampPrecision=seconds omits the fraction of every time', async () => {
    const { get, post, send } = await startWith({ timestampPrecision: 'seconds' })
    const time = noon.replace('.000Z', 'Z')
    expect((await post(users, { email: 'a@b.c' })).body.createdAt).toBe(time)
    const { body } = await post(links, link())
    expect(body.createdAt).toBe(time)
    expect((await send('POST', `${links}/${body.id}/cancel`)).body.canceledAt).toBe(time)
    expect((await get(`${links}/pml_3`)).body.completedAt).not.toContain('.')
  })
})
