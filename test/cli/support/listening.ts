import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { onTestFinished } from 'vitest'
import { within } from '../../support/within.ts'

export const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)

/** Starts a server on a free port, which is returned. It is closed with the test. */
export const listening = async (server: Server | NetServer): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await within('the port', once(server, 'listening'))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
