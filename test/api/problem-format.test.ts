// The problems of the errors of each operation: test/api/openapi.test.ts.
import { expect, it } from 'vitest'
import { describeMatrix } from '../support/matrix.ts'

const users = '/projects/acme/users'

describeMatrix('errorFormat=problem', (start) => {
  it('is also that of an unknown route', async () => {
    const { get } = await start({ behaviors: { errorFormat: 'problem' } })
    for (const path of ['/nowhere', '/projects/acme/nowhere']) {
      const { status, headers, body } = await get(path)
      expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json'])
      expect(body).toMatchObject({ type: 'urn:paylink-mock:error:routeNotFound', code: 'routeNotFound', status })
    }
  })

  it('has no body for HEAD, with the same content type', async () => {
    const { send } = await start({ behaviors: { errorFormat: 'problem' } })
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
