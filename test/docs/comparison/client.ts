const links = 'https://api.example.com/v1/projects/acme/paymentLinks'
const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }

const list = async (query: string) => (await fetch(`${links}?${query}`, { headers })).json()

const create = async (invoice: string): Promise<any> => {
  const body = JSON.stringify({ invoice, type: 'partner', partner: { user: {} } })
  return (await fetch(links, { method: 'POST', headers, body })).json()
}

/** Creates the only link of an invoice. A lost response may have left another one, which it cancels. */
export const createLink = (invoice: string) =>
  create(invoice).catch(async () => {
    const link = await create(invoice)
    let found: { id: string }[] = []
    // The list may lag behind: when it has this link, it has the older ones too.
    while (!found.some(({ id }) => id === link.id)) found = (await list(`invoice=${invoice}&status=active`)).items
    for (const { id } of found) if (id !== link.id) await fetch(`${links}/${id}/cancel`, { method: 'POST', headers })
    return link
  })

export const statusOf = async (id: string): Promise<string> =>
  (await (await fetch(`${links}/${id}`, { headers })).json()).status

/** The invoices of the page before a link, newest first. */
export const invoicesBefore = async (id: string, limit: number): Promise<string[]> =>
  (await list(`before=${id}&limit=${limit}`)).items.map((link: { invoice: string }) => link.invoice)
