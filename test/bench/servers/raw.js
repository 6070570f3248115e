// The ceiling: a minimal handwritten server on node:http for the same work. It has authentication,
// routes, records and validation; it has no faults, no behaviors and no documentation.
import { createStore } from './store.js'

const reject = (status, message) => [status, { object: 'error', message }]

const isText = (value) => value === undefined || value === null || typeof value === 'string'

const isUser = (body) =>
  typeof body === 'object' &&
  body !== null &&
  typeof body.email === 'string' &&
  /^[^\s@]+@[^\s@]+$/.test(body.email) &&
  isText(body.fullName) &&
  isText(body.birthday) &&
  isText(body.preferredLocale) &&
  (body.metadata === undefined || typeof body.metadata === 'object')

const isLink = (body) =>
  typeof body?.invoice === 'string' && body.type === 'partner' && typeof body.partner === 'object'

/** The operations by method and resource. Each returns a status and a body. */
const createOperations = (store) => ({
  'GET users': ({ query, id }) => {
    if (id === undefined) return list(store, store.users, query)
    const user = store.get(id)
    return user ? [200, user] : reject(404, 'No such user.')
  },
  'POST users': ({ body, id, query }) => {
    if (id === 'search') {
      const found = store.withEmail(String(body.email))
      return [200, store.page(found, Number(query.get('limit') ?? 10))]
    }
    return isUser(body) ? [201, store.addUser(body)] : reject(422, 'That is no user.')
  },
  'GET paymentLinks': ({ query, id }) => {
    if (id === undefined) return list(store, store.links, query)
    const link = store.get(id)
    return link ? [200, link] : reject(404, 'No such link.')
  },
  'POST paymentLinks': ({ body, id, action }) => {
    if (action === undefined) return isLink(body) ? [201, store.addLink(body)] : reject(422, 'That is no link.')
    const link = store.get(id)
    if (link?.status !== 'active') return reject(409, 'The link is not active.')
    link.status = action === 'pay' ? 'completed' : 'canceled'
    link[action === 'pay' ? 'completedAt' : 'canceledAt'] = new Date().toISOString()
    return [200, link]
  },
})

const list = (store, records, query) => {
  const limit = query.get('limit') ?? '10'
  if (!/^\d{1,3}$/.test(limit) || Number(limit) > 200) return reject(400, 'limit must be from 0 to 200.')
  const status = query.get('status')
  const passes = status === null ? undefined : (record) => record.status === status
  return [200, store.page(records, Number(limit), passes)]
}

const paths = /^(?:\/__admin)?\/projects\/[^/]+\/(users|paymentLinks)(?:\/([^/]+))?(?:\/([^/]+))?$/

const route = (operations, { method, url, headers }, text) => {
  if (!/^Bearer \S+$/.test(headers.authorization ?? '')) return reject(401, 'Who are you?')
  const [path, search] = url.split('?')
  const [, kind, id, action] = paths.exec(path) ?? []
  const operation = operations[`${method} ${kind}`]
  if (operation === undefined) return reject(404, 'No such route.')
  const query = new URLSearchParams(search)
  if (text === '') return operation({ query, id, action })
  try {
    return operation({ query, id, action, body: JSON.parse(text) })
  } catch {
    return reject(400, 'That is no JSON.')
  }
}

const readText = (request, done) => {
  if (request.method === 'GET') return done('')
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => done(Buffer.concat(chunks).toString()))
}

/** Creates a request listener with `records` users and links. */
export const createRaw = (records) => {
  const operations = createOperations(createStore(records))
  return (request, response) =>
    readText(request, (text) => {
      const [status, value] = route(operations, request, text)
      const body = JSON.stringify(value)
      response
        .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body)
    })
}

const journalSize = 1000

/** Like `createRaw`, with the duties of a mock: a request id, a journal, and a list of the requests in flight. */
export const createRawWithDuties = (records) => {
  const operations = createOperations(createStore(records))
  const inFlight = new Map()
  const journal = []
  let count = 0
  const getResponses = (socket) => {
    const known = inFlight.get(socket)
    if (known !== undefined) return known
    const responses = new Set()
    inFlight.set(socket, responses)
    socket.once('close', () => inFlight.delete(socket))
    return responses
  }
  return (request, response) => {
    const started = performance.now()
    const receivedAt = Date.now()
    const id = `req_${(count++).toString(36).padStart(28, '0')}`
    const responses = getResponses(request.socket).add(response)
    response.once('close', () => responses.delete(response))
    readText(request, (text) => {
      const [status, value] = route(operations, request, text)
      const body = JSON.stringify(value)
      const headers = {
        'content-type': 'application/json',
        'mock-request-id': id,
        ...(status === 201 && { 'mock-assumed': 'createStatus=201, emailVerifiedOnCreate=true' }),
        'content-length': Buffer.byteLength(body),
      }
      response.writeHead(status, headers).end(body)
      const { method, url, rawHeaders } = request
      const duration = performance.now() - started
      const entry = {
        id,
        method,
        url,
        headers: rawHeaders,
        text,
        status,
        receivedAt,
        duration,
        response: { headers, body },
      }
      journal[count % journalSize] = entry
    })
  }
}
