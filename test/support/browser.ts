import { execFileSync } from 'node:child_process'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'

/** Names that lead to this machine in the browser: one without a dot, one that a policy cannot spell, one of a stranger. */
const names = ['paylink-mock', 'my_shop', 'rebound.example']

// Nothing here may leave the machine, Chromium's own calls home included.
export const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=${[...names.map((name) => `MAP ${name} 127.0.0.1`), 'MAP * ~NOTFOUND', 'EXCLUDE localhost', 'EXCLUDE 127.0.0.1'].join(',')}`,
]

const installed = (): string | undefined => {
  try {
    return execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

export const executablePath = process.env.CHROMIUM_PATH || installed()

/** Opens a page in a context of its own, closed with the test. */
export type Open = (options?: BrowserContextOptions) => Promise<WatchedPage>

interface WatchedPage {
  readonly page: Page
  /** What must not have happened: dialogs, console errors, uncaught errors, violations of the policy. */
  readonly trouble: readonly string[]
}

export const missing =
  'No Chromium here. Install it (apt-get install -y --no-install-recommends chromium) or set CHROMIUM_PATH.'
export const skipped = executablePath === undefined && process.env.CI !== 'true'

/** A suite in one Chromium. Without one it is skipped; in CI it fails, so that it cannot go missing unseen. */
export const describeInBrowser = (name: string, suite: (open: Open) => void): void => {
  if (skipped) console.warn(`${name} in a browser: skipped. ${missing}`)
  describe.skipIf(skipped)(`${name}, in Chromium`, () => {
    let browser: Browser | undefined
    beforeAll(async () => {
      if (executablePath === undefined) throw new Error(missing)
      browser = await chromium.launch({ executablePath, args: flags })
    }, 60_000)
    afterAll(() => browser?.close())
    suite((options) => openPage(browser!, options))
  })
}

const openPage = async (browser: Browser, options?: BrowserContextOptions): Promise<WatchedPage> => {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const trouble: string[] = []
  page.on('dialog', async (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`))
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') trouble.push(`console: ${line.text()}`)
  })
  return { page, trouble }
}
