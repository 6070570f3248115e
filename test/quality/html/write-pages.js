// Writes the HTML of each page, and of each view of the dashboard inside its page, into a folder. Prints their number.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMock } from '../../../dist/node/index.js'

const [folder] = process.argv.slice(2)
const seed = JSON.parse(readFileSync(new URL('../../../fixtures/demo.json', import.meta.url), 'utf8'))
const mock = createMock({ seed, clock: 'frozen' })
const acme = mock.project('acme')
const headers = { authorization: 'Bearer any', accept: 'application/json' }
const load = async (path, init = { headers: { accept: 'text/html' } }) => (await mock.fetch(path, init)).text()
const pay = (link, outcome) =>
  load(`/pay/acme/${link}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `outcome=${outcome}`,
  })

// Something to show in each view.
await mock.fetch('/@checkout-1/projects/acme/users', { headers })
await mock.fetch('/projects/acme/users/usr_nobody', { headers })
await mock.fetch('/projects/acme/users?limt=1', { headers: { ...headers, accept: '*/*' } })
const created = JSON.stringify({ invoice: 'inv_7', type: 'partner', partner: { user: {} } })
await mock.fetch('/projects/acme/paymentLinks', { method: 'POST', headers, body: created })
await acme.faults.add({ effect: { rateLimit: { limit: 100, window: 1000 } } })
await mock.faults.add({ effect: { hold: true } })
await acme.snapshots.save('before')
await acme.paymentLinks.pay('pml_open_with_redirect', { when: { reads: 3 } })
const { items: requests } = await acme.requests.list()

const pages = {
  start: await load('/'),
  docs: await load('/docs'),
  'not-found': await load('/nowhere'),
  'payment-active': await load('/pay/acme/pml_open_with_redirect'),
  'payment-completed': await load('/pay/acme/pml_paid'),
  'payment-canceled': await load('/pay/acme/pml_canceled'),
  'payment-missing': await load('/pay/acme/pml_nope'),
  'payment-failed': await pay('pml_open', 'failed'),
  'payment-succeeded': await pay('pml_open', 'succeeded'),
  dashboard: await load('/__admin/'),
}

const shell = pages.dashboard
const sections = [...shell.matchAll(/<a href="#([\w-]+)"/g)].map(([, name]) => name)
const records = ['user?id=usr_ada', 'payment-link?id=pml_open_with_redirect', 'payment-link?id=pml_paid']
const views = [...sections, 'sandboxes', ...records, ...requests.map(({ id }) => `request?id=${id}`)]
for (const view of views)
  for (const project of view.includes('?') ? ['acme'] : ['acme', 'beta', ''])
    pages[`view-${view}-of-${project || 'all'}`.replace(/\W+/g, '-')] = await wrapView(view, project)

await mock.close()
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, `${name}.html`), text)
console.log(Object.keys(pages).length)

/** Puts a view and the bar into the page of the dashboard, as its script does. */
async function wrapView(view, project) {
  const getPart = (name) => {
    const path = `/__admin/dashboard/${name}`
    return load(project === '' ? path : `${path}${path.includes('?') ? '&' : '?'}project=${project}`)
  }
  const [main, bar] = [await getPart(view), await getPart('bar')]
  return shell
    .replace(/(<main[^>]*>)[^]*?(<\/main>)/, (_, open, close) => open + main + close)
    .replace(/(<(\w+) id="bar"[^>]*>)[^]*?(<\/\2>)/, (_, open, __, close) => open + bar + close)
}
