// A shop with the server of Node.
import { createServer } from 'node:http'
import { pay } from './pay.js'

const server = createServer((request, response) => {
  const [, order] = /^\/orders\/(\w+)\/pay$/.exec(request.url) ?? []
  pay(order).then(
    (url) => response.end(url),
    (error) => response.writeHead(503).end(error.message),
  )
})
server.listen(process.env.PORT, '127.0.0.1')
