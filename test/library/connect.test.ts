import { describe, expect, it, vi } from 'vitest'
import { connect } from '../../src/client/index.ts'

describe('connect', () => {
  it.each(['localhost:4600', '127.0.0.1:4600', '', 'ftp://localhost', undefined])('refuses %j, and says why', (url) => {
    expect(() => connect(url as string)).toThrow(/^connect: ".*" is no address of a mock\.$/)
  })

  it.each(['http://localhost:4600/v1', 'http://localhost:4600/v1/', new URL('http://localhost:4600/v1')])(
    'calls the control plane below %s',
    async (url) => {
      const fetch = vi.fn<(url: string, init: RequestInit) => Promise<Response>>(async () =>
        Response.json({ object: 'list', items: [] }),
      )
      await connect(url, { fetch }).projects()
      expect(fetch).toHaveBeenCalledWith('http://localhost:4600/v1/__admin/projects', expect.anything())
    },
  )
})
