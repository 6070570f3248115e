// Run by Playwright in a folder of its own, where the packed mock is installed.
import { expect, test as base } from '@playwright/test'
import { paylinkTest } from 'paylink-mock/playwright'

const { RUNNING_URL: url, ADMIN_TOKEN: adminToken } = process.env
const test = paylinkTest(base, url ? { url, adminToken } : { clock: '2025-01-01T00:00:00Z' })

test('a link is paid', async ({ project, paymentPage }) => {
  const link = await project.paymentLinks.create({ invoice: 'inv_1' })
  await paymentPage.open(link)
  expect(await paymentPage.status()).toBe('active')
  await expect(paymentPage.part('invoice')).toHaveText('inv_1')
  await paymentPage.pay()
  expect(await paymentPage.status()).toBe('completed')
  expect((await project.paymentLinks.get(link.id)).status).toBe('completed')
})

test('a payment fails, and the link stays active', async ({ project, paymentPage }) => {
  const link = await project.paymentLinks.create({ invoice: 'inv_1' })
  await paymentPage.open(link)
  await paymentPage.fail()
  await expect(paymentPage.part('message')).toBeVisible()
  expect((await project.paymentLinks.get(link.id)).status).toBe('active')
})

test('the browser is led on to the shop, and from there', async ({ page, project, paymentPage, serviceUrl }) => {
  const redirectUrl = `${new URL(serviceUrl).origin}/`
  const link = await project.paymentLinks.create({ invoice: 'inv_1', partner: { redirectUrl } })
  await page.goto(link.paymentUrl)
  await paymentPage.open()
  await paymentPage.pay()
  await expect(page).toHaveURL(redirectUrl)
})

test('a shop that is not there keeps nobody waiting', async ({ project, paymentPage }) => {
  const partner = { redirectUrl: 'http://127.0.0.1:1/thanks' }
  const link = await project.paymentLinks.create({ invoice: 'inv_1', partner })
  await paymentPage.open(link)
  await paymentPage.pay()
  expect((await project.paymentLinks.get(link.id)).status).toBe('completed')
})

test('a project starts empty', async ({ project }) => {
  const { id } = await project.users.create({ email: 'ada@example.com' })
  console.log(`printed: ${JSON.stringify([project.id, id])}`)
  expect((await project.users.list()).items).toHaveLength(1)
})

test('the application has an address', async ({ project, serviceUrl }) => {
  const headers = { authorization: 'Bearer any', accept: 'application/json' }
  await fetch(`${serviceUrl}/projects/${project.id}/users`, { headers })
  await project.requests.verify({ match: { operation: 'listUsers' } })
})
test('a failure is reported', async ({ project }) => {
  test.fail(process.env.FAILING === undefined)
  await project.users.create({ email: 'shown@example.com' })
  expect(1).toBe(2)
})
