const links = 'https://api.example.com/v1/projects/acme/paymentLinks'
const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }

const list = async (query: string) => (await fetch(`${links}?${query}`, { headers })).json()

/** Creates the link of an invoice. After a lost response it looks for the link before it tries again. */
export const createLink = async (invoice: string): Promise<any> => {
  const body = JSON.stringify({ invoice, type: 'partner', partner: { user: {} } })
  try {
    return await (await fetch(links, { method: 'POST', headers, body })).json()
  } catch {
    const { items } = await list(`invoice=${invoice}&status=active`)
    return items[0] ?? createLink(invoice)
  }
}

export const statusOf = async (id: string): Promise<string> =>
  (await (await fetch(`${links}/${id}`, { headers })).json()).status

/** The invoices of the page before a link, newest first. */
export const invoicesBefore = async (id: string, limit: number): Promise<string[]> =>
  (await list(`before=${id}&limit=${limit}`)).items.map((link: { invoice: string }) => link.invoice)
