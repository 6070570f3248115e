import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { openServiceAddress } from '../../src/explore/programs/service-address.ts'

it('is not ready for a service that has ended, even if its port still accepts connections', async () => {
  const address = await openServiceAddress(undefined)
  const service = createServer().listen(address.getPort())
  await once(service, 'listening')
  expect(await address.waitUntilReady(AbortSignal.abort())).toBe(false)
  expect(await address.waitUntilReady(new AbortController().signal)).toBe(true)
  service.close()
  address.close()
})
