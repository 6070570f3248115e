import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, onTestFinished } from 'vitest'
import { executablePath } from './chromium-path.js'

/** Opens a page, which is blank again after the test. */
export type Open = (options?: BrowserContextOptions) => ReturnType<typeof openPage>

export const missing =
  'No Chromium here. Install it (apt-get install -y --no-install-recommends chromium) or set CHROMIUM_PATH.'
export const skipped = executablePath === undefined && process.env.CI !== 'true'

/** A suite in the shared Chromium. Without Chromium it is skipped; in CI it fails instead. */
export const describeInBrowser = (name: string, suite: (open: Open) => void): void => {
  if (skipped) console.warn(`${name} in a browser: skipped. ${missing}`)
  describe.skipIf(skipped)(`${name}, in Chromium`, () => {
    let browser: Browser | undefined
    const idle = new Map<string, Page>()
    beforeAll(async () => {
      if (executablePath === undefined) throw new Error(missing)
      const response = await fetch(inject('chromium'))
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      browser = await chromium.connect(text)
    })
    afterAll(() => browser?.close())
    suite((options) => openPage(browser!, idle, options))
  })
}

/**
 * Reads a value of a page at once. Only for what a wait cannot show: a value that has to stay, or an element that has to be
 * absent. `expect.poll` waits for every other value, because the parts of a page change at different times.
 */
export const readNow = <T>(read: () => T | Promise<T>): T | Promise<T> => read()

// A page is handed on from test to test: a new one, in a context of its own, costs Chromium half a second of CPU. Every
// mock has a port of its own, and so what a page has stored belongs to another origin.
const openPage = async (browser: Browser, idle: Map<string, Page>, options: BrowserContextOptions = {}) => {
  const kind = JSON.stringify(options)
  const page = idle.get(kind) ?? (await (await browser.newContext(options)).newPage())
  idle.delete(kind)
  onTestFinished(async () => {
    page.removeAllListeners()
    if (await cleared(page, options)) idle.set(kind, page)
    else await page.context().close()
  })
  /** Unexpected dialogs, console errors, uncaught errors, and violations of the policy. */
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

/** Resets a page after a test. Returns whether it succeeded, because the page of a failed test may hang. */
const cleared = async (page: Page, { viewport }: BrowserContextOptions): Promise<boolean> => {
  const context: BrowserContext = page.context()
  try {
    for (const other of context.pages()) if (other !== page) await other.close()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.goto('about:blank')
    await Promise.all([
      context.clearCookies(),
      context.clearPermissions(),
      page.emulateMedia({ colorScheme: null }),
      page.setViewportSize(viewport ?? { width: 1280, height: 720 }),
    ])
    return true
  } catch {
    return false
  }
}
