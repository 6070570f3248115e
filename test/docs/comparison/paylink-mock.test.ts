import { setupServer } from 'msw/node'
import { createMock } from 'paylink-mock'
import { paylinkHandlers } from 'paylink-mock/msw'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createLink, invoicesBefore, statusOf } from './client.ts'

const mock = createMock()
const acme = mock.project('acme')
const server = setupServer(...paylinkHandlers(mock, 'https://api.example.com/v1'))
beforeAll(() => server.listen())
afterAll(() => server.close())
afterEach(() => acme.reset())

test('a paid link is completed', async () => {
  const { id } = await createLink('inv_1')
  await acme.paymentLinks.pay(id)
  expect(await statusOf(id)).toBe('completed')
})

test('the page before a link has its nearest neighbors', async () => {
  const { id } = await createLink('inv_1')
  for (const invoice of ['inv_2', 'inv_3', 'inv_4']) await createLink(invoice)
  expect(await invoicesBefore(id, 2)).toEqual(['inv_3', 'inv_2'])
})

test('a lost response leaves one active link', async () => {
  await acme.faults.add({ match: { operation: 'createPaymentLink' }, phase: 'after', effect: { connection: 'reset' } })
  const { id } = await createLink('inv_1')
  expect((await acme.paymentLinks.list({ status: 'active' })).items).toMatchObject([{ id }])
})
