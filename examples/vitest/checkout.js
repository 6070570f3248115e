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
  const activeLink = async (invoice) => (await call('GET', `/paymentLinks?invoice=${invoice}&status=active`)).items[0]
  const createLink = (invoice) => call('POST', '/paymentLinks', { invoice, type: 'partner', partner: { user: {} } })
  return {
    /** Returns the payment link of the invoice. After a lost response it looks for the link before it tries again. */
    start: (invoice) => createLink(invoice).catch(async () => (await activeLink(invoice)) ?? createLink(invoice)),
    isPaid: async ({ id }) => (await call('GET', `/paymentLinks/${id}`)).status === 'completed',
  }
}
