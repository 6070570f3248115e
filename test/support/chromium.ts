import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserServer } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { executablePath } from './chromium-path.js'

/** Host names that the browser resolves to this machine: one without a dot, one that a policy cannot contain, a public one. */
const names = ['paylink-mock', 'my_shop', 'rebound.example']

// No request may leave the machine, including Chromium's own.
export const flags = [
  ...'--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'.split(' '),
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=${[...names.map((name) => `MAP ${name} 127.0.0.1`), 'MAP * ~NOTFOUND', 'EXCLUDE localhost', 'EXCLUDE 127.0.0.1'].join(',')}`,
]

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket URL of the shared Chromium. */
    chromium: string
  }
}

/** One Chromium for all files, launched on first use: a launch costs more than most tests. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  let launched: Promise<BrowserServer> | undefined
  const launch = async () => {
    const { chromium } = await import('playwright-core')
    return chromium.launchServer({ ...(executablePath && { executablePath }), args: flags, host: '127.0.0.1' })
  }
  const server = createServer((_, response) => {
    launched ??= launch()
    launched.then(
      (browser) => response.end(browser.wsEndpoint()),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  project.provide('chromium', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    await (await launched?.catch(() => undefined))?.close()
  }
}
