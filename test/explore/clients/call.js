/** Shared functions of the clients: a call of the API, and a retry with back-off. */
const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }

/** Calls the API. Rejects if there is no response or its body is not valid JSON. */
export const call = async (fetch, method, path, body) => {
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const response = await fetch(`/projects/acme${path}`, init)
  return { status: response.status, body: await response.json() }
}

/** Like `call`, and rejects if the status is an error. */
export const ok = async (fetch, method, path, body) => {
  const response = await call(fetch, method, path, body)
  if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status}`)
  return response.body
}

/** Tries up to three times, with a back-off. */
export const retry = async (sleep, attempt) => {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(tries)
    } catch (error) {
      if (tries === 3) throw error
      await sleep(100 * 2 ** tries)
    }
  }
}

export const createLink = (fetch, invoice) =>
  ok(fetch, 'POST', '/paymentLinks', { invoice, type: 'partner', partner: { user: {} } })

export const activeLinks = async (fetch, invoice) =>
  (await ok(fetch, 'GET', `/paymentLinks?invoice=${invoice}&status=active`)).items

/** Invariants. */
export const expect = (holds, message) => {
  if (!holds) throw new Error(message)
}

export const linksOf = async (mock, invoice) => (await mock.project('acme').paymentLinks.list({ invoice })).items

export const atMostOneActive = async ({ mock }) => {
  const active = (await linksOf(mock, 'inv_1')).filter(({ status }) => status === 'active')
  expect(active.length <= 1, `inv_1 has ${active.length} active links`)
}

export const seeded = (project) => ({ seed: { projects: { acme: project } } })
