import { describe, expect, it } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { refusalOf } from '../support/refusal-of.ts'

describe('connect', () => {
  it.each([
    'localhost:4600',
    '127.0.0.1:4600',
    '',
    'ftp://localhost',
    undefined,
    'http://localhost:4600/?project=acme',
    'http://localhost:4600?',
    'http://localhost:4600/#acme',
  ])('refuses %j, and says why', (url) => {
    expect(() => connect(url as string)).toThrow(/^connect: ".*" is no address of a mock\.$/)
  })

  it.each<[unknown, string]>([
    [{ token: 'secret' }, "token is not a field here; did you mean 'adminToken'?"],
    [{ adminToken: '' }, 'adminToken must be one or more visible ASCII characters without spaces.'],
    [{ adminToken: 5 }, 'adminToken must be a string.'],
    [{ fetch: 'fetch' }, "fetch must be a function (got 'fetch')."],
    ['secret', "The options of connect must be an object, such as { adminToken: 'secret' } (got 'secret')."],
    [null, "The options of connect must be an object, such as { adminToken: 'secret' } (got null)."],
  ])('refuses the options %j', (options, message) => {
    const { code, message: said } = refusalOf(() => connect('http://localhost:4600', options as never))
    expect([code, said]).toEqual(['invalidOptions', message])
  })

  it.each(['http://localhost:4600/v1', 'http://localhost:4600/v1/', new URL('http://localhost:4600/v1')])(
    'calls the control plane below %s',
    async (url) => {
      const called: string[] = []
      const fetch = async (address: string) => {
        called.push(address)
        return Response.json({ object: 'list', items: [] })
      }
      await connect(url, { fetch }).projects()
      expect(called).toEqual(['http://localhost:4600/v1/__admin/projects'])
    },
  )

  it.each([200, 404])('says so when what answers is no mock, with %s', async (status) => {
    const fetch = async () => new Response('<!doctype html>', { status })
    await expect(connect('http://localhost:4600', { fetch }).projects()).rejects.toThrow(
      `answered ${status}, and not as a mock does: <!doctype html>`,
    )
  })
})
