import { setupServer } from 'msw/node'
import { createMock } from 'paylink-mock'
import { paylinkHandlers } from 'paylink-mock/msw'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { paidInvoices } from './invoices.js'

const mock = createMock()
const acme = mock.project('acme')
const server = setupServer(...paylinkHandlers(mock, 'https://api.example.com/v1'))
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
// The project id is hard-coded too, so the tests share the project and reset it.
afterEach(() => acme.reset())
afterAll(() => server.close())

test('all pages are read', async () => {
  for (const invoice of ['inv_1', 'inv_2', 'inv_3']) await acme.paymentLinks.create({ invoice, status: 'completed' })
  await acme.paymentLinks.create({ invoice: 'inv_4' })
  expect(await paidInvoices()).toEqual(['inv_3', 'inv_2', 'inv_1'])
  await acme.requests.verify({ match: { operation: 'listPaymentLinks' }, times: 2 })
})

test('there are no paid invoices at first', async () => {
  expect(await paidInvoices()).toEqual([])
})
