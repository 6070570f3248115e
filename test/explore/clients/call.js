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

/**
 * Keeps one record, and removes the others that attempts with a lost response have left. The list may lag behind: when it has
 * this record, it has the older ones too.
 */
export const keepOnly = async (sleep, { id }, list, remove) => {
  for (let polls = 0; polls < 60; polls++) {
    const items = await retry(sleep, list)
    if (items.some((item) => item.id === id)) {
      for (const other of items) if (other.id !== id) await retry(sleep, () => remove(other))
      return
    }
    await sleep(1000)
  }
  throw new Error(`unknown: the list does not show ${id}`)
}

/** Cancels a link, unless it is no longer active. */
export const cancelLink = async (fetch, id) => {
  const { status } = await call(fetch, 'POST', `/paymentLinks/${id}/cancel`)
  if (status !== 200 && status !== 409) throw new Error(`not canceled: ${status}`)
}

/** Creates a link, in several attempts if needed, and cancels those of the attempts whose response was lost. */
export const createOneLink = async ({ fetch, sleep }, invoice) => {
  let attempts = 0
  const link = await retry(sleep, (tries) => {
    attempts = tries
    return createLink(fetch, invoice)
  })
  const list = () => activeLinks(fetch, invoice)
  if (attempts > 1) await keepOnly(sleep, link, list, ({ id }) => cancelLink(fetch, id))
  return link
}

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
