import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { within } from '../../support/within.ts'

/**
 * Another origin: the shop that a payment leads back to, or a page that means no good. It serves one page at every path, and
 * redirects from `/to/<URL>`. Closed with the test. `visits` are the paths that were asked for, in order.
 */
export const startMerchant = async (body = '<h1>Thank you</h1>') => {
  const visits: string[] = []
  const server = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`)
    if (request.url!.startsWith('/to/')) return response.writeHead(302, { location: request.url!.slice(4) }).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    return response.end(
      `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">${body}</html>`,
    )
  })
  await within('the shop to listen', once(server.listen(0, '127.0.0.1'), 'listening'))
  onTestFinished(async () => {
    server.closeAllConnections()
    await within('the shop to close', once(server.close(), 'close'))
  })
  return { port: (server.address() as AddressInfo).port, visits }
}
