// The least a server can do: one answer, whatever is asked.
import { createServer } from 'node:http'

const body = JSON.stringify({
  object: 'user',
  id: 'usr_91utbUuWoZP9K3NHUDsfMRqGUCNJ',
  metadata: {},
  birthday: null,
  createdAt: '2025-01-01T12:00:00.000Z',
  email: 'grace@example.com',
  emailVerified: true,
  fullName: null,
  preferredLocale: 'en-US',
})

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body),
  )
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready on ${server.address().port}\n`))
