import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { describeInBrowser } from '../support/browser.ts'
import { startMerchant } from './support/merchant.ts'

// Runs in the page.
const callAll = async (url: string) => {
  const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }
  const outcomeOf = async (path: string, init: RequestInit = {}) => {
    try {
      const response = await fetch(url + path, { headers, ...init })
      const { code, object } = await response.json()
      return [
        response.status,
        code ?? object,
        response.headers.get('retry-after'),
        response.headers.has('mock-request-id'),
      ]
    } catch (error) {
      return (error as Error).name
    }
  }
  const users = '/projects/acme/users'
  const create = { method: 'POST', body: '{"email":"ada@example.com"}' }
  return {
    create: await outcomeOf(users, create),
    inSandbox: await outcomeOf(`/@a${users}`, create),
    unknown: await outcomeOf(`${users}/usr_none`, { method: 'DELETE' }),
    fault: await outcomeOf('/projects/acme/paymentLinks'),
    control: await outcomeOf('/__admin/projects'),
    controlInSandbox: await outcomeOf('/@a/__admin/reset', { method: 'POST' }),
  }
}

describeInBrowser('a page of another origin', (open) => {
  it('calls the mocked API with its origin in `cors`, and never the control API', async () => {
    const merchant = await startMerchant()
    const origin = `http://localhost:${merchant.port}`
    const mock = createMock({ cors: [origin] })
    onTestFinished(() => mock.close())
    const { url } = await mock.listen()
    const effect = { status: 503, headers: { 'Retry-After': '7' } }
    await mock.faults.add({ match: { operation: 'listPaymentLinks' }, effect })
    const { page } = await open()
    await page.goto(`${origin}/`)
    expect(await page.evaluate(callAll, url)).toEqual({
      create: [201, 'user', null, true],
      inSandbox: [201, 'user', null, true],
      unknown: [404, 'userNotFound', null, true],
      fault: [503, 'injectedFault', '7', true],
      control: 'TypeError',
      controlInSandbox: 'TypeError',
    })
    const foreign = await startMerchant()
    await page.goto(`http://localhost:${foreign.port}/`)
    expect(Object.values(await page.evaluate(callAll, url))).toEqual(Array.from({ length: 6 }, () => 'TypeError'))
  })
})
