/** The code under test. It knows the service by a base URL, a token and a project. */
export const createCheckout = ({ baseUrl, token, project }) => {
  const call = async (method, path, body) => {
    const response = await fetch(`${baseUrl}/projects/${project}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const result = await response.json()
    if (!response.ok) throw new Error(result.message)
    return result
  }
  const createLink = (invoice) => call('POST', '/paymentLinks', { invoice, type: 'partner', partner: { user: {} } })
  /** Lists the active links of the invoice. The list may lag behind: when it has this link, it has the older ones too. */
  const listLinksWith = async ({ id, invoice }) => {
    for (let polls = 0; polls < 50; polls++) {
      const { items } = await call('GET', `/paymentLinks?invoice=${invoice}&status=active`)
      if (items.some((link) => link.id === id)) return items
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    throw new Error(`The list does not show ${id}.`)
  }
  return {
    /** Returns the only payment link of the invoice. A lost response may have left another one, which it cancels. */
    start: (invoice) =>
      createLink(invoice).catch(async () => {
        const link = await createLink(invoice)
        for (const { id } of await listLinksWith(link))
          if (id !== link.id) await call('POST', `/paymentLinks/${id}/cancel`)
        return link
      }),
    isPaid: async ({ id }) => (await call('GET', `/paymentLinks/${id}`)).status === 'completed',
  }
}
