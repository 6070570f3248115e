import { createServer } from 'node:http'

/** The application under test: a shop that sends its customers to the payment page and back. */
export const startShop = async ({ serviceUrl, project }) => {
  const call = async (path, init) => {
    const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
    return (await fetch(`${serviceUrl}/projects/${project}/paymentLinks${path}`, { headers, ...init })).json()
  }
  // The service adds nothing to the redirect URL, so the shop remembers the link of the order.
  let link
  const pages = {
    '/': () => '<form method="post" action="/buy"><button>Buy</button></form>',
    '/buy': async (response, url) => {
      const partner = { user: { fullName: 'Ada Lovelace' }, redirectUrl: `${url}/done` }
      const body = JSON.stringify({ invoice: 'inv_1', type: 'partner', partner })
      link = await call('', { method: 'POST', body })
      response.writeHead(303, { location: link.paymentUrl })
    },
    '/done': async () => {
      const { status } = await call(`/${link.id}`)
      return status === 'completed' ? 'Thank you!' : '<a href="/">The payment failed. Try again.</a>'
    },
  }
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'text/html')
    const html = await pages[request.url]?.(response, `http://${request.headers.host}`)
    response.end(html)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}
