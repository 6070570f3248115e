import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createMock, formatProject, projectIdFor } from 'paylink-mock'
import { createCheckout } from './checkout.js'

const mock = createMock()
const { url } = await mock.listen()
after(() => mock.close())

/** Runs a test with a project of its own, and prints the project if the test fails. */
const testWithProject = (name, body) =>
  test(name, async () => {
    const project = mock.project(projectIdFor('checkout.test.js', name))
    try {
      await body({ project, checkout: createCheckout({ baseUrl: url, token: 'any', project: project.id }) })
    } catch (error) {
      console.error(await formatProject(project))
      throw error
    }
  })

testWithProject('an invoice is paid when the customer has paid', async ({ checkout, project }) => {
  const link = await checkout.start('inv_1')
  assert.equal(await checkout.isPaid(link), false)
  await project.paymentLinks.pay(link.id)
  assert.equal(await checkout.isPaid(link), true)
  await project.requests.verify({ match: { operation: 'retrievePaymentLink' }, times: 2 })
})

testWithProject('a canceled link is not paid', async ({ checkout, project }) => {
  const link = await checkout.start('inv_1')
  await project.paymentLinks.cancel(link.id)
  assert.equal(await checkout.isPaid(link), false)
})
