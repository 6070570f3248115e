// The ceiling: what somebody would write by hand on node:http to do the same work, and no more. It has authentication,
// routes, rows and checks of what is sent; it has no journal, no faults, no behaviors and no documents.
import { createServer } from 'node:http'
import { createStore } from './store.js'

const store = createStore(Number(process.env.ROWS ?? 1000))

const send = (response, status, value) => {
  const body = JSON.stringify(value)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body)
}
const refuse = (response, status, message) => send(response, status, { object: 'error', message })

const isUser = (body) =>
  typeof body === 'object' &&
  body !== null &&
  typeof body.email === 'string' &&
  /^[^\s@]+@[^\s@]+$/.test(body.email) &&
  (body.fullName === undefined || body.fullName === null || typeof body.fullName === 'string')

const isLink = (body) =>
  typeof body?.invoice === 'string' && body.type === 'partner' && typeof body.partner === 'object'

const works = {
  'GET users': (response, { query, id }) => {
    if (id === undefined) return list(response, store.users, query)
    const user = store.get(id)
    return user ? send(response, 200, user) : refuse(response, 404, 'No such user.')
  },
  'POST users': (response, { body, id, query }) => {
    if (id === 'search') {
      const found = store.withEmail(String(body.email))
      return send(response, 200, store.page(found, Number(query.get('limit') ?? 10)))
    }
    return isUser(body) ? send(response, 201, store.addUser(body)) : refuse(response, 422, 'That is no user.')
  },
  'GET paymentLinks': (response, { query, id }) => {
    if (id === undefined) return list(response, store.links, query)
    const link = store.get(id)
    return link ? send(response, 200, link) : refuse(response, 404, 'No such link.')
  },
  'POST paymentLinks': (response, { body, id, verb }) => {
    if (verb === undefined)
      return isLink(body) ? send(response, 201, store.addLink(body)) : refuse(response, 422, 'That is no link.')
    const link = store.get(id)
    if (link?.status !== 'active') return refuse(response, 409, 'The link is not active.')
    link.status = verb === 'pay' ? 'completed' : 'canceled'
    link[verb === 'pay' ? 'completedAt' : 'canceledAt'] = new Date().toISOString()
    return send(response, 200, link)
  },
}

const list = (response, rows, query) => {
  const limit = query.get('limit') ?? '10'
  if (!/^\d{1,3}$/.test(limit) || Number(limit) > 200) return refuse(response, 400, 'limit must be from 0 to 200.')
  const status = query.get('status')
  const passes = status === null ? undefined : (row) => row.status === status
  return send(response, 200, store.page(rows, Number(limit), passes))
}

const paths = /^(?:\/__admin)?\/projects\/[^/]+\/(users|paymentLinks)(?:\/([^/]+))?(?:\/([^/]+))?$/

const route = (request, response, text) => {
  if (!/^Bearer \S+$/.test(request.headers.authorization ?? '')) return refuse(response, 401, 'Who are you?')
  const [path, search] = request.url.split('?')
  const [, kind, id, verb] = paths.exec(path) ?? []
  const work = works[`${request.method} ${kind}`]
  if (work === undefined) return refuse(response, 404, 'No such route.')
  const query = new URLSearchParams(search)
  if (text === undefined || text === '') return work(response, { query, id, verb })
  try {
    return work(response, { query, id, verb, body: JSON.parse(text) })
  } catch {
    return refuse(response, 400, 'That is no JSON.')
  }
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return route(request, response)
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => route(request, response, Buffer.concat(chunks).toString()))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready on ${server.address().port}\n`))
