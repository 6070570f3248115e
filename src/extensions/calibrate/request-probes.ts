import { askTwice, createObserved, createUnknown, type ProbeContext, type Probes } from './probe.ts'
import {
  createInconclusiveError,
  type Exchange,
  getFields,
  InconclusiveError,
  isContentRejected,
  isOk,
} from './service.ts'

const unknownField = 'paylinkMockCalibrate'

/** The probes of requests and responses in general, in the order of a run. */
export const requestProbes = {
  invalidBodyStatus: {
    uses: ['rejection'],
    run: async (context) => {
      const rejection = await context.rejection()
      const { status } = rejection
      if (status === 422 || status === 400) return createObserved(status, rejection)
      return createUnknown(`an invalid body returns ${status}`, rejection)
    },
  },
  errorFormat: {
    uses: ['rejection'],
    run: async (context) => {
      const rejection = await context.rejection()
      if (!isContentRejected(rejection)) throw createInconclusiveError('an invalid body is not rejected', rejection)
      const { contentType } = rejection
      const body = getFields(rejection)
      if (/^application\/problem\+json\b/i.test(contentType)) return createObserved('problem', rejection)
      const hasTexts = ['type', 'code', 'message'].every((name) => typeof body[name] === 'string')
      if (body.object === 'error' && hasTexts) return createObserved('object', rejection)
      const shape = Object.keys(body).map((name) => `'${name}'`)
      return createUnknown(`an error has the type '${contentType}' with ${shape.join(', ') || 'no fields'}`, rejection)
    },
  },
  requestHeaders: {
    requests: [
      "GET /users with 'Accept: text/html'",
      'POST /users/search without a Content-type',
      'both again, and as usual',
    ],
    run: async ({ ids, listUsers, searchUsers }) => {
      const search = (headers = {}) => searchUsers({ email: ids.createEmail('nobody') }, headers)
      const [accept, contentType] = await askTwice([
        () => listUsers(undefined, { accept: 'text/html' }),
        () => search({ 'content-type': undefined }),
      ])
      requireOk(await listUsers(), await search())
      if (isOk(accept) && isOk(contentType)) return createObserved('lenient', accept, contentType)
      if (accept.status === 406 && contentType.status === 415) return createObserved('required', accept, contentType)
      const what = `'Accept: text/html' returns ${accept.status}, a body without a Content-type ${contentType.status}`
      return createUnknown(what, accept, contentType)
    },
  },
  unknownFields: {
    uses: ['user'],
    requests: [
      'PATCH /users/{user} with an unknown field',
      'GET /users with an unknown query parameter',
      'both again, and without them',
    ],
    run: async ({ ids, listUsers, patchUser }) => {
      const patch = (fields = {}) => patchUser({ fullName: ids.fullName, ...fields })
      const [body, query] = await askTwice([
        () => patch({ [unknownField]: 'x' }),
        () => listUsers(`limit=1&${unknownField}=x`),
      ])
      requireOk(await patch(), await listUsers())
      if (unknownField in getFields(body)) return createUnknown('an unknown field is kept', body)
      if (isOk(body) && isOk(query)) return createObserved('ignore', body, query)
      if (isContentRejected(body) && isContentRejected(query)) return createObserved('reject', body, query)
      const what = `an unknown body field returns ${body.status}, an unknown query parameter ${query.status}`
      return createUnknown(what, body, query)
    },
  },
  unknownProject: {
    requests: ['GET /projects/paylink-mock-calibrate-.../users, of an unknown project, twice', 'GET /users'],
    leaves: 'an empty project that cannot be deleted, if the service creates projects on first use',
    run: async ({ ids, listUsers, sendAnywhere }) => {
      const path = `/projects/paylink-mock-calibrate-${ids.run}/users?limit=1`
      const [exchange] = await askTwice([() => sendAnywhere({ method: 'GET', path, returns: 'users' })])
      requireOk(await listUsers())
      const { status } = exchange
      if (isOk(exchange)) return createObserved('create', exchange)
      if (status === 404) return createObserved('notFound', exchange)
      if (status !== 401 && status !== 403) return createUnknown(`an unknown project returns ${status}`, exchange)
      const why = 'needs a token for all projects: this one is rejected before the project is checked'
      throw new InconclusiveError(why, exchange)
    },
  },
  idempotencyKey: {
    requests: [
      'POST /users, twice with the same body and Idempotency-Key',
      'POST /users with another email, if the second is a conflict',
    ],
    users: 2,
    run: async ({ createOtherUser, createUser, ids }) => {
      const headers = { 'idempotency-key': ids.run }
      const { id, created } = await createOtherUser('key', headers)
      const { exchange, record } = await createUser(ids.createEmail('key'), {}, headers)
      if (isOk(exchange) && getFields(exchange).id === id) return createObserved('replay', created, exchange)
      if (record === undefined && exchange.status !== 409)
        return createUnknown(`a repeated create returns ${exchange.status}`, created, exchange)
      // The second create is rejected with `duplicateEmail=conflict`, but another one must not be.
      if (record === undefined) await createOtherUser('other.key')
      return createObserved('ignore', created, exchange)
    },
  },
  // The last two check every create of the run.
  createStatus: {
    uses: ['user'],
    run: async (context) => {
      const { created } = await context.user()
      const exchanges = [
        created,
        ...context.created
          .links()
          .slice(0, 1)
          .map((link) => link.created),
      ]
      const [status, ...others] = new Set(listCreates(context).map((create) => create.status))
      if (others.length > 0) return createUnknown(`creates return ${[status, ...others].join(' and ')}`, ...exchanges)
      if (status === 201 || status === 200) return createObserved(status, ...exchanges)
      return createUnknown(`a create returns ${status}`, ...exchanges)
    },
  },
  timestampPrecision: {
    uses: ['user'],
    run: async (context) => {
      const { created } = await context.user()
      const times = listCreates(context).map((create) => String(getFields(create).createdAt))
      const invalid = times.find((time) => !/T\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(time))
      if (invalid !== undefined) return createUnknown(`a time is written as '${invalid}'`, created)
      // Check all records: a service may omit a fraction that happens to be zero.
      return createObserved(times.some((time) => time.includes('.')) ? 'milliseconds' : 'seconds', created)
    },
  },
} satisfies Probes

/** Throws unless the usual requests succeed: a rejection before proves nothing otherwise. */
const requireOk = (...exchanges: readonly Exchange[]): void => {
  const failed = exchanges.find((exchange) => !isOk(exchange))
  if (failed !== undefined) throw createInconclusiveError('a usual request fails too', failed)
}

const listCreates = ({ created }: ProbeContext): readonly Exchange[] =>
  [...created.users(), ...created.links()].map((record) => record.created)
