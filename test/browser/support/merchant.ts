import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Another origin: the shop that a payment leads back to, or a page that means no good. */
export interface Merchant {
  readonly port: number
  /** Paths that were asked for, in order. */
  readonly visits: readonly string[]
}

/** Serves one page at every path. Closed with the test. */
export const startMerchant = async (body = '<h1>Thank you</h1>'): Promise<Merchant> => {
  const visits: string[] = []
  const server = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">${body}</html>`)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  })
  return { port: (server.address() as AddressInfo).port, visits }
}
