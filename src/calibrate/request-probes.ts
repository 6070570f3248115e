import { type Exchange, fieldsOf, InconclusiveError, isOk, isRejected } from './exchange.ts'
import { observed, type Probes, unknown } from './probe.ts'
import type { ProbeContext } from './probe-context.ts'

const strayField = 'paylinkMockCalibrate'

/** The probes that concern requests and responses of any kind, in the order of a run. */
export const requestProbes = {
  invalidBodyStatus: {
    uses: ['refusal'],
    run: async (context) => {
      const refusal = await context.refusal()
      const { status } = refusal
      if (status === 422 || status === 400) return observed(status, refusal)
      return unknown(`a body without the required email answers ${status}`, refusal)
    },
  },
  errorFormat: {
    uses: ['refusal'],
    run: async (context) => {
      const refusal = await context.refusal()
      if (!isRejected(refusal)) throw new InconclusiveError('the body that should have been refused was not', refusal)
      const body = fieldsOf(refusal)
      if (/^application\/problem\+json\b/i.test(refusal.contentType)) return observed('problem', refusal)
      const isObject =
        body.object === 'error' && ['type', 'code', 'message'].every((name) => typeof body[name] === 'string')
      if (isObject) return observed('object', refusal)
      const shape = Object.keys(body).map((name) => `'${name}'`)
      return unknown(`an error is sent as '${refusal.contentType}' with ${shape.join(', ') || 'no fields'}`, refusal)
    },
  },
  requestHeaders: {
    requests: ["GET /users with 'Accept: text/html'", 'POST /users/search without a Content-type'],
    run: async (context) => {
      const html = { accept: 'text/html' }
      const accept = await context.send({ method: 'GET', path: '/users?limit=1', headers: html, returns: 'users' })
      const contentType = await context.send({
        method: 'POST',
        path: '/users/search',
        body: { email: context.ids.email('nobody') },
        headers: { 'content-type': undefined },
        returns: 'users',
      })
      if (isOk(accept) && isOk(contentType)) return observed('lenient', accept, contentType)
      if (accept.status === 406 && contentType.status === 415) return observed('required', accept, contentType)
      const what = `'Accept: text/html' answers ${accept.status}, a body without a Content-type ${contentType.status}`
      return unknown(what, accept, contentType)
    },
  },
  unknownFields: {
    uses: ['user'],
    requests: ['PATCH /users/{user} with an unknown field', 'GET /users with an unknown query parameter'],
    run: async (context) => {
      const body = await context.patchUser({ [strayField]: 'x' })
      const path = `/users?limit=1&${strayField}=x`
      const query = await context.send({ method: 'GET', path, returns: 'users' })
      if (strayField in fieldsOf(body)) return unknown('an unknown field is kept', body)
      if (isOk(body) && isOk(query)) return observed('ignore', body, query)
      if (isRejected(body) && isRejected(query)) return observed('reject', body, query)
      const what = `an unknown field of a body answers ${body.status}, an unknown query parameter ${query.status}`
      return unknown(what, body, query)
    },
  },
  unknownProject: {
    requests: ['GET /projects/paylink-mock-calibrate-.../users, of a made-up project'],
    leaves: 'an empty project, there for good, where the service makes projects on first use',
    run: async (context) => {
      const path = `/projects/paylink-mock-calibrate-${context.ids.run}/users?limit=1`
      const exchange = await context.sendAnywhere({ method: 'GET', path, returns: 'users' })
      const { status } = exchange
      if (isOk(exchange)) return observed('create', exchange)
      if (status === 404) return observed('notFound', exchange)
      if (status !== 401 && status !== 403) return unknown(`a project that is not there answers ${status}`, exchange)
      const why = 'needs a token for all projects: this one is refused before the project is looked at'
      throw new InconclusiveError(why, exchange)
    },
  },
  // The last two check every create of the run.
  createStatus: {
    uses: ['user'],
    run: async (context) => {
      const { created } = await context.user()
      const exchanges = [created, ...context.created.links.slice(0, 1).map((link) => link.created)]
      const [status, ...others] = new Set(createsOf(context).map((create) => create.status))
      if (others.length > 0) return unknown(`creates answer ${[status, ...others].join(' and ')}`, ...exchanges)
      if (status === 201 || status === 200) return observed(status, ...exchanges)
      return unknown(`a create answers ${status}`, ...exchanges)
    },
  },
  timestampPrecision: {
    uses: ['user'],
    run: async (context) => {
      const { created } = await context.user()
      const times = createsOf(context).map((create) => String(fieldsOf(create).createdAt))
      const invalid = times.find((time) => !/T\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(time))
      if (invalid !== undefined) return unknown(`a time is written as '${invalid}'`, created)
      // Check all records: a service may omit a fraction that happens to be zero.
      return observed(times.some((time) => time.includes('.')) ? 'milliseconds' : 'seconds', created)
    },
  },
} satisfies Probes

const createsOf = ({ created }: ProbeContext): readonly Exchange[] =>
  [...created.users, ...created.links].map((record) => record.created)
