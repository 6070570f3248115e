// A suite with a mistake for `explore`: a lost response leads to a second link. `compare` finds no difference to the mock.
import { expect, test } from 'vitest'

test('creates a link', async () => {
  const create = () =>
    fetch(`${process.env.PAYLINK_MOCK_URL}/projects/acme/paymentLinks`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ invoice: 'inv_77', type: 'partner', partner: { user: {} } }),
    })
  const { status } = await create().catch(create)
  expect(status).toBe(201)
})
