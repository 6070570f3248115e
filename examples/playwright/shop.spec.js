import { test as base, expect } from '@playwright/test'
import { paylinkTest } from 'paylink-mock/playwright'
import { startShop } from './shop.js'

const test = paylinkTest(base).extend({
  shop: async ({ serviceUrl, project }, use) => {
    const shop = await startShop({ serviceUrl, project: project.id })
    await use(shop)
    shop.close()
  },
})

test('a customer pays and returns to the shop', async ({ page, shop, paymentPage }) => {
  await page.goto(shop.url)
  await page.getByRole('button', { name: 'Buy' }).click()
  await paymentPage.open()
  await expect(paymentPage.part('payer-name')).toHaveText('Ada Lovelace')
  await paymentPage.pay()
  await expect(page.getByText('Thank you!')).toBeVisible()
})

test('a failed payment leads back to the shop, and the link stays active', async ({
  page,
  shop,
  project,
  paymentPage,
}) => {
  await page.goto(shop.url)
  await page.getByRole('button', { name: 'Buy' }).click()
  await paymentPage.open()
  await paymentPage.fail()
  await expect(page.getByRole('link', { name: 'Try again.' })).toBeVisible()
  const { items } = await project.paymentLinks.list()
  expect(items.map(({ status }) => status)).toEqual(['active'])
})
