import { expect, it } from 'vitest'
import { noon, errorResponse, describeMatrix } from '../support/api.ts'

const users = '/projects/acme/users'

describeMatrix('POST /projects/{project}/users', (start) => {
  it('returns the created user, with defaults for omitted fields [§2.1 user] [§2.2 object, id, metadata, birthday, createdAt, email, emailVerified, fullName, preferredLocale] [§4.1 create a user]', async () => {
    const { post } = await start({ seed: { projects: { acme: { preferredLocale: 'pt-BR' } } } })
    const { status, body } = await post(users, { email: 'ada@example.com' })
    expect(status).toBe(201)
    expect(body).toEqual({
      object: 'user',
      id: expect.stringMatching(/^usr_[0-9A-Za-z]{28}$/),
      metadata: {},
      birthday: null,
      createdAt: noon,
      email: 'ada@example.com',
      emailVerified: true,
      fullName: null,
      preferredLocale: 'pt-BR',
    })
  })

  it('keeps every field that was sent [§2.2 birthday, fullName, preferredLocale, metadata] [§4.1 retrieve a user]', async () => {
    const { post, get } = await start()
    const passed = {
      email: 'ada@example.com',
      birthday: '1990-12-31',
      fullName: 'Ada Lovelace',
      metadata: { plan: 'family', seats: 4, nested: { deep: [1, null] } },
      preferredLocale: 'zh-Hant-TW',
    }
    const { body } = await post(users, passed)
    expect(body).toMatchObject(passed)
    expect((await get(`${users}/${body.id}`)).body).toEqual(body)
  })

  it('uses the locale of the project for null [§4.1 create a user]', async () => {
    const { post } = await start({ seed: { template: { preferredLocale: 'de-AT' } } })
    expect((await post(users, { email: 'a@b.c', preferredLocale: null })).body.preferredLocale).toBe('de-AT')
  })

  it('ignores read-only and unknown fields [§4.1 create a user]', async () => {
    const { post } = await start()
    const { body } = await post(users, { email: 'a@b.c', id: 'usr_mine', object: 'cat', createdAt: 'never', shoe: 42 })
    expect(body.id).not.toBe('usr_mine')
    expect(body).toMatchObject({ object: 'user', createdAt: noon })
    expect(body).not.toHaveProperty('shoe')
  })

  it.each([
    [{}, ['email']],
    [{ email: null }, ['email']],
    [{ email: 'no address' }, ['email']],
    [{ email: 'a@b.c', birthday: '2023-02-29' }, ['birthday']],
    [{ email: 'a@b.c', birthday: '31.12.1990', fullName: 7 }, ['birthday', 'fullName']],
    [{ email: 'a@b.c', metadata: null }, ['metadata']],
    [{ email: 'a@b.c', metadata: [] }, ['metadata']],
    [{ email: 'a@b.c', preferredLocale: 'english please' }, ['preferredLocale']],
    [[], ['']],
    [null, ['']],
    ['text', ['']],
  ])(
    'rejects %j and names every problem at once [§2.2 birthday, email, fullName, preferredLocale, metadata]',
    async (body, paths) => {
      const { post } = await start()
      expect(await post(users, body)).toMatchObject(errorResponse(422, 'invalidBody', paths))
    },
  )
})

describeMatrix('PATCH /projects/{project}/users/{user}', (start) => {
  const seed = {
    projects: {
      acme: {
        preferredLocale: 'pt-BR',
        users: [
          {
            id: 'usr_ada',
            email: 'ada@example.com',
            fullName: 'Ada',
            birthday: '1990-12-31',
            preferredLocale: 'en-GB',
            metadata: { plan: 'family', seats: 4 },
          },
        ],
      },
    },
  }
  const ada = `${users}/usr_ada`

  it.each([
    [{}, {}],
    [{ fullName: null }, { fullName: null }],
    [{ birthday: null }, { birthday: null }],
    [{ fullName: 'Countess' }, { fullName: 'Countess' }],
    [{ email: 'new@example.com' }, { email: 'new@example.com', emailVerified: true }],
    [{ email: null }, {}],
    [{ preferredLocale: null }, { preferredLocale: 'pt-BR' }],
    [{ preferredLocale: 'fr' }, { preferredLocale: 'fr' }],
    [{ metadata: { seats: 5 } }, { metadata: { plan: 'family', seats: 5 } }],
    [{ metadata: { plan: null } }, { metadata: { seats: 4 } }],
    [{ id: 'usr_other', createdAt: 'x', emailVerified: false, object: 'x' }, {}],
  ])('changes only the given fields: %j [§4.1 update a user]', async (body, change) => {
    const { get, patch } = await start({ seed })
    const before = (await get(ada)).body
    const { status, body: after } = await patch(ada, body)
    expect(status).toBe(200)
    expect(after).toEqual({ ...before, ...change })
    expect((await get(ada)).body).toEqual(after)
  })

  it('rejects the same fields as the create [§4.1 update a user]', async () => {
    const { patch } = await start({ seed })
    const response = await patch(ada, { email: 'x', birthday: 'x', preferredLocale: '', metadata: 1, fullName: [] })
    expect(response).toMatchObject(
      errorResponse(422, 'invalidBody', ['email', 'birthday', 'fullName', 'metadata', 'preferredLocale']),
    )
  })
})

describeMatrix('DELETE /projects/{project}/users/{user}', (start) => {
  it('returns the deleted user, and then 404 [§4.1 delete a user]', async () => {
    const { mock, post, get, send } = await start()
    await mock.project('acme').paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
    const { body } = await post(users, { email: 'a@b.c' })
    expect(await send('DELETE', `${users}/${body.id}`)).toMatchObject({ status: 200, body })
    const again = await get(`${users}/${body.id}`)
    expect(again).toMatchObject(errorResponse(404, 'userNotFound'))
    expect(again.body.hint).toMatch(/was deleted/)
    expect((await get(users)).body.items).toEqual([])
    expect((await get('/projects/acme/paymentLinks')).body.items).toMatchObject([{ id: 'pml_1' }])
  })
})

describeMatrix('an email that another user has already', (start) => {
  it('allows an unchanged email', async () => {
    const records = ['usr_1', 'usr_2'].map((id) => ({ id, email: 'a@b.c' }))
    const { patch } = await start({
      seed: { projects: { acme: { users: records } } },
      behaviors: { duplicateEmail: 'conflict' },
    })
    for (const change of [{ fullName: 'Ada' }, { email: 'a@b.c' }, { email: null }])
      expect(await patch(`${users}/usr_1`, change)).toMatchObject({ status: 200 })
    expect(await patch(`${users}/usr_1`, { email: 'A@b.c' })).toMatchObject(errorResponse(409, 'emailTaken'))
  })
})

describeMatrix('POST /projects/{project}/users/search', (start) => {
  const emails = ['ada@example.com', 'grace@example.com', 'ADA@Example.com']
  const records = emails.map((email, index) => ({ id: `usr_${index + 1}`, email }))
  const seed = { projects: { acme: { users: records } } }
  it.each([
    ['ada@example.com', ['usr_3', 'usr_1']],
    ['Ada@EXAMPLE.com', ['usr_3', 'usr_1']],
    ['ada', []],
    ['nobody@example.com', []],
    ['', []],
    [null, ['usr_3', 'usr_2', 'usr_1']],
    [undefined, ['usr_3', 'usr_2', 'usr_1']],
  ])('finds by the email %j the users %j [§4.1 search users]', async (email, ids) => {
    const { post } = await start({ seed })
    const { status, body } = await post(`${users}/search`, { email })
    expect(status).toBe(200)
    expect(body.items.map((user: { id: string }) => user.id)).toEqual(ids)
    expect(body).toMatchObject({ object: 'list', moreItemsAfter: null, moreItemsBefore: null })
  })

  it('ignores case, but distinguishes letters that only share a capital', async () => {
    const { post } = await start({
      seed: { projects: { acme: { users: [{ id: 'usr_1', email: 'stra\u00dfe@b.c' }] } } },
    })
    const found = async (email: string) => (await post(`${users}/search`, { email })).body.items.length
    expect([await found('STRA\u00dfE@B.C'), await found('strasse@b.c')]).toEqual([1, 0])
  })

  it('rejects an email that is not a string [§4.1 search users]', async () => {
    const { post } = await start({ seed })
    expect(await post(`${users}/search`, { email: 7 })).toMatchObject(errorResponse(422, 'invalidBody', ['email']))
  })
})
