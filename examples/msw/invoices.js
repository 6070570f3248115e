// The code under test: the address of the service is hard-coded.
const service = 'https://api.example.com/v1/projects/acme'
const headers = { authorization: 'Bearer live-token', accept: 'application/json', 'content-type': 'application/json' }

/** Returns the ids of the invoices that are paid. It reads all pages of the list. */
export const paidInvoices = async (limit = 2) => {
  const invoices = []
  let cursor = ''
  do {
    const response = await fetch(`${service}/paymentLinks?status=completed&limit=${limit}${cursor}`, { headers })
    const { items, moreItemsAfter } = await response.json()
    invoices.push(...items.map(({ invoice }) => invoice))
    cursor = moreItemsAfter === null ? undefined : `&after=${moreItemsAfter}`
  } while (cursor !== undefined)
  return invoices
}
