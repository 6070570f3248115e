/** An error of the service, or a response that is none. */
export class ServiceError extends Error {
  constructor(status, code, wait) {
    super(`The service responded with ${status} ${code}.`)
    Object.assign(this, { status, code, wait })
  }
}

/** How long a response may take, in milliseconds. */
const patience = 1000

/**
 * A client of the service as an application may have one: it repeats reads, looks before it repeats a write, and knows what
 * each error means to its application.
 */
export const createClient = ({ fetch, url, project, sleep }) => {
  const send = async (method, path, body) => {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), patience)
    const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
    const response = await fetch(`${url}/projects/${encodeURIComponent(project)}${path}`, {
      method,
      headers,
      signal: controller.signal,
      ...(body && { body: JSON.stringify(body) }),
    }).finally(() => clearTimeout(timer))
    const json = await response.json().catch(() => undefined)
    if (json === undefined) throw new ServiceError(response.status, 'notJson')
    if (response.ok) return json
    const seconds = response.headers.get('retry-after')
    throw new ServiceError(response.status, json.code, seconds === null ? undefined : Number(seconds) * 1000)
  }
  const isTemporary = ({ status = 0, code }) => status === 0 || status === 429 || status >= 500 || code === 'notJson'

  /** A read can be repeated. */
  const read = async (method, path, body) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(method, path, body)
      } catch (error) {
        if (attempt === 3 || !isTemporary(error)) throw error
        await sleep(error.wait ?? attempt * 100)
      }
    }
  }

  /** A write whose response is missing may have been made: `find` looks for its result. */
  const write = async (method, path, body, find) => {
    try {
      return await send(method, path, body)
    } catch (error) {
      if (!isTemporary(error)) throw error
      if (error.wait !== undefined) await sleep(error.wait)
      return (await find()) ?? send(method, path, body)
    }
  }

  /** Reads all pages. Starts again if the record at the end of a page was deleted meanwhile. */
  const readAll = async (method, path, body) => {
    const items = []
    let after
    do {
      const cursor = after === undefined ? '' : `${path.includes('?') ? '&' : '?'}after=${after}`
      try {
        const page = await read(method, `${path}${cursor}`, body)
        items.push(...page.items)
        after = page.moreItemsAfter ?? undefined
      } catch (error) {
        if (!error.code?.startsWith('cursor')) throw error
        return readAll(method, path, body)
      }
    } while (after !== undefined)
    return items
  }
  const readBefore = async (method, path, id, body) => (await read(method, `${path}?before=${id}`, body)).items
  const missing = (code, result) => (error) => {
    if (error.code === code) return result
    throw error
  }

  const client = {
    createUser: async (email) => {
      try {
        return await write('POST', '/users', { email }, () => client.findUser(email))
      } catch (error) {
        if (error.code === 'emailTaken') return client.findUser(email)
        throw error
      }
    },
    getUser: (id) => read('GET', `/users/${id}`).catch(missing('userNotFound')),
    updateUser: async (id, changes) => {
      try {
        const user = await write('PATCH', `/users/${id}`, changes, async () => undefined)
        return { ok: true, user }
      } catch (error) {
        if (error.code === 'emailTaken' || error.code === 'invalidBody') return { ok: false, reason: error.code }
        throw error
      }
    },
    deleteUser: (id) =>
      write('DELETE', `/users/${id}`, undefined, async () => ((await client.getUser(id)) ? undefined : {}))
        .then(() => true)
        .catch(missing('userNotFound', false)),
    listUsers: () => readAll('GET', '/users'),
    usersBefore: (id) => readBefore('GET', '/users', id),
    searchUsers: (query) => readAll('POST', '/users/search', query),
    searchBefore: (query, id) => readBefore('POST', '/users/search', id, query),
    findUser: async (email) => {
      const found = await client.searchUsers({ email })
      return found.find((user) => user.email.toLowerCase() === email.toLowerCase())
    },

    createLink: async (invoice) => {
      const find = async () => (await readAll('GET', `/paymentLinks?invoice=${invoice}&status=active`))[0]
      const body = { invoice, type: 'partner', partner: { user: {} } }
      return write('POST', '/paymentLinks', body, find).catch(missing('invoiceNotFound', null))
    },
    getLink: (id) => read('GET', `/paymentLinks/${id}`).catch(missing('paymentLinkNotFound')),
    describeLink: async (id) => {
      const link = await client.getLink(id)
      return { active: 'open', canceled: 'canceled', completed: 'paid' }[link?.status] ?? 'unknown'
    },
    waitForPayment: async (id) => {
      for (let polls = 0; polls < 5; polls++) {
        const status = await client.describeLink(id)
        if (status !== 'open') return status
        await sleep(1000)
      }
      return 'open'
    },
    listLinks: () => readAll('GET', '/paymentLinks'),
    linksBefore: (id) => readBefore('GET', '/paymentLinks', id),
    cancelLink: async (id) => {
      try {
        return await write('POST', `/paymentLinks/${id}/cancel`, undefined, async () => undefined)
      } catch (error) {
        if (error.code === 'paymentLinkNotActive') return client.getLink(id)
        if (error.code === 'paymentLinkNotFound') return undefined
        throw error
      }
    },
  }
  return client
}
