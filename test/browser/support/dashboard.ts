import type { BrowserContextOptions } from 'playwright-core'
import { expect } from 'vitest'
import type { MockOptions } from '../../../src/node/index.ts'
import { noon } from '../../support/api.ts'
import { maxWait } from '../../support/within.ts'
import type { Open } from '../../support/browser.ts'
import { listeningMock } from '../../support/mock.ts'

export const seed = {
  projects: {
    acme: {
      users: [
        { id: 'usr_ada', email: 'ada@example.com', fullName: 'Ada Lovelace', metadata: { plan: 'family' } },
        { id: 'usr_grace', email: 'grace@example.com', emailVerified: false },
      ],
      paymentLinks: [
        { id: 'pml_paid', invoice: 'inv_1', status: 'completed' as const },
        { id: 'pml_open', invoice: 'inv_2', payer: { fullName: 'Grace Hopper' } },
      ],
    },
    other: {},
  },
}

/** Every view of a project, with its parameters. */
export const projectViews = ({ user = 'usr_ada', link = 'pml_open', request = '' }): readonly string[] => [
  'users',
  `user?id=${user}`,
  'payment-links',
  `payment-link?id=${link}`,
  'clock',
  'snapshots',
  'faults',
  'behaviors',
  'journal',
  `request?id=${request}`,
  'diagnostics',
  'coverage',
]

interface Starting extends MockOptions {
  readonly adminToken?: string | undefined
  readonly context?: BrowserContextOptions
}

// Runs in the page. Clears the old content, so that tests wait for the new content. From the event on, the dashboard ignores
// a response for the old view.
const goTo = (hash: string) =>
  new Promise<void>((resolve) => {
    const clear = () => {
      document.querySelector('main')!.replaceChildren()
      resolve()
    }
    addEventListener('hashchange', clear, { once: true })
    location.hash = hash
  })

/** Starts a mock, opens its dashboard, and types the admin token if required. */
export const openDashboard = async (open: Open, { adminToken, context, ...options }: Starting = {}) => {
  const written: string[] = []
  const log: MockOptions['log'] = (event) => written.push(JSON.stringify(event))
  const { mock, url } = await listeningMock({ clock: noon, seed, ...options, log }, { adminToken })
  const { page, trouble } = await open(context)
  page.setDefaultTimeout(maxWait)
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  page.on('framenavigated', (frame) => addresses.push(frame.url()))
  let asked = false
  /** Opens a view, and waits for its heading. */
  const go = async (view: string, project = 'acme') => {
    const search = project === '' ? '' : `?project=${encodeURIComponent(project)}`
    const address = new URL(`${url}/__admin/${search}#${view}`)
    const from = new URL(page.url())
    if (from.origin === address.origin && from.search === address.search && from.hash !== address.hash)
      await page.evaluate(goTo, address.hash)
    else {
      await page.goto('about:blank')
      await page.goto(address.href)
    }
    if (adminToken !== undefined && !asked) {
      await page.getByRole('textbox', { name: 'Token' }).fill(adminToken)
      await page.getByRole('button', { name: 'Continue' }).click()
      asked = true
    }
    await page.locator('h1').waitFor()
    await page.locator('#project').waitFor()
    if (adminToken === undefined) return
    // The token is only in the header of each call.
    expect([...addresses, ...written].join('\n')).not.toContain(adminToken)
    expect(await page.content()).not.toContain(adminToken)
  }
  return {
    mock,
    acme: mock.project('acme'),
    url,
    page,
    trouble,
    go,
    /** Clicks a button by its full name. */
    press: (name: string) => page.getByRole('button', { name, exact: true }).click(),
    /** Clicks the button of the dialog that confirms the action. */
    confirm: (action: string) => page.locator('#confirm').getByRole('button', { name: action, exact: true }).click(),
    fill: (label: string, value: string) => page.locator('main').getByLabel(label, { exact: true }).fill(value),
    /** Waits for a success message. */
    done: (text: string) => page.locator('#done').getByText(text).waitFor(),
    /** Chooses an action in the menu of a row. */
    choose: async (key: string, action: string) => {
      const menu = page.locator(`[data-row="${key}"] .menu`)
      await menu.locator('summary').click()
      const named = { hasText: new RegExp(`^\\s*${action}`) }
      await menu.locator('a, button').filter(named).click()
    },
    row: (key: string) => page.locator(`[data-row="${key}"]`),
    /** Calls the mocked API, as a client would. */
    ask: (path: string, init: RequestInit = {}) => {
      const headers = new Headers({ accept: 'application/json', authorization: 'Bearer tok_client' })
      new Headers(init.headers).forEach((value, name) => headers.set(name, value))
      return fetch(url + path, { ...init, headers })
    },
  }
}
