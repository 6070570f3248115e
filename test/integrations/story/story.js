import assert from 'node:assert/strict'

/**
 * The code of a customer of the service: it has a base URL, a token and a `fetch`.
 *
 * @param {{ baseUrl: string, token: string, fetch?: (url: string, init: RequestInit) => Promise<Response> }} options
 */
export const createClient = ({ baseUrl, token, fetch = globalThis.fetch }) => {
  /** @type {(method: string, path: string, body?: unknown) => Promise<any>} */
  const call = async (method, path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, Accept: 'application/json', 'Content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const received = await response.json()
    if (!response.ok) throw Object.assign(new Error(received.message), { status: response.status, received })
    return received
  }
  return { get: (/** @type {string} */ path) => call('GET', path), call }
}

/**
 * The whole story: a user is created, gets a payment link, pays it, and the client sees it paid.
 * `pay` is called with the link and makes the payment.
 *
 * @param {Parameters<typeof createClient>[0] & { project: string, pay: (link: any) => Promise<unknown> }} options
 */
export const tellStory = async ({ project, pay, ...options }) => {
  const { call, get } = createClient(options)
  const home = `/projects/${project}`

  const user = await call('POST', `${home}/users`, { email: 'ada@example.com', fullName: 'Ada Lovelace' })
  assert.equal(user.object, 'user')
  const found = await call('POST', `${home}/users/search`, { email: 'ADA@example.com' })
  assert.deepEqual(found.items, [user])
  const renamed = await call('PATCH', `${home}/users/${user.id}`, { fullName: 'Ada King' })
  assert.deepEqual(renamed, { ...user, fullName: 'Ada King' })

  const link = await call('POST', `${home}/paymentLinks`, {
    invoice: 'inv_story',
    type: 'partner',
    partner: { user: { fullName: 'Ada King', email: 'ada@example.com' }, redirectUrl: 'https://shop.example/thanks' },
  })
  assert.equal(link.status, 'active')
  assert.equal(link.paymentUrl, `${new URL(link.paymentUrl).origin}/pay/${project}/${link.id}`)
  assert.deepEqual((await get(`${home}/paymentLinks?invoice=inv_story&status=active`)).items, [link])

  await pay(link)

  const paid = await get(`${home}/paymentLinks/${link.id}`)
  assert.equal(paid.status, 'completed')
  assert.ok(paid.completedAt >= link.createdAt)
  await assert.rejects(call('POST', `${home}/paymentLinks/${link.id}/cancel`), { status: 409 })

  assert.deepEqual(await call('DELETE', `${home}/users/${user.id}`), renamed)
  await assert.rejects(get(`${home}/users/${user.id}`), { status: 404 })
  return paid
}
