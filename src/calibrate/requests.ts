import { type Exchange, fieldsOf, isOk, isRefusal } from './exchange.ts'
import type { Probes } from './probe.ts'
import type { Scene } from './scene.ts'
import { observed, unknown, untold, type Verdict } from './verdict.ts'

/** The probes of what holds for requests and answers of any kind, in the order in which they are asked. */
export const requestProbes: Probes<
  | 'invalidBodyStatus'
  | 'errorFormat'
  | 'requestHeaders'
  | 'unknownFields'
  | 'unknownProject'
  | 'createStatus'
  | 'timestampPrecision'
> = {
  invalidBodyStatus: {
    uses: ['refusal'],
    requests: [],
    ask: async (scene) => invalidBodyStatus(await scene.refusal()),
  },
  errorFormat: { uses: ['refusal'], requests: [], ask: async (scene) => errorFormat(await scene.refusal()) },
  requestHeaders: {
    requests: ["GET /users with 'Accept: text/html'", 'POST /users/search without a Content-type'],
    ask: (scene) => askRequestHeaders(scene),
  },
  unknownFields: {
    uses: ['user'],
    requests: ['PATCH /users/{user} with an unknown field', 'GET /users with an unknown query parameter'],
    ask: (scene) => askUnknownFields(scene),
  },
  unknownProject: {
    requests: ['GET /projects/paylink-mock-calibrate-.../users, of a made-up project'],
    leaves: 'an empty project, there for good, where the service makes projects on first use',
    ask: (scene) => askUnknownProject(scene),
  },
  // After all others: it looks at every create there was.
  createStatus: { uses: ['user'], requests: [], ask: (scene) => askCreateStatus(scene) },
  timestampPrecision: { uses: ['user'], requests: [], ask: (scene) => askTimestampPrecision(scene) },
}

const invalidBodyStatus = (refusal: Exchange): Verdict<422 | 400> => {
  const { status } = refusal
  if (status === 422 || status === 400) return observed(status, refusal)
  return unknown(`a body without the required email answers ${status}`, refusal)
}

const errorFormat = (refusal: Exchange): Verdict<'object' | 'problem'> => {
  if (!isRefusal(refusal)) return untold('the body that should have been refused was not', refusal)
  const body = fieldsOf(refusal)
  if (/^application\/problem\+json\b/i.test(refusal.contentType)) return observed('problem', refusal)
  const isObject =
    body.object === 'error' && ['type', 'code', 'message'].every((name) => typeof body[name] === 'string')
  if (isObject) return observed('object', refusal)
  const shape = Object.keys(body).map((name) => `'${name}'`)
  return unknown(`an error is sent as '${refusal.contentType}' with ${shape.join(', ') || 'no fields'}`, refusal)
}

const askRequestHeaders = async (scene: Scene): Promise<Verdict<'lenient' | 'required'>> => {
  const accept = await scene.send({
    method: 'GET',
    path: '/users?limit=1',
    headers: { accept: 'text/html' },
    answers: 'users',
  })
  const contentType = await scene.send({
    method: 'POST',
    path: '/users/search',
    body: { email: scene.marks.email('nobody') },
    headers: { 'content-type': undefined },
    answers: 'users',
  })
  if (isOk(accept) && isOk(contentType)) return observed('lenient', accept, contentType)
  if (accept.status === 406 && contentType.status === 415) return observed('required', accept, contentType)
  return unknown(
    `'Accept: text/html' answers ${accept.status}, a body without a Content-type ${contentType.status}`,
    accept,
    contentType,
  )
}

const stray = 'paylinkMockCalibrate'

const askUnknownFields = async (scene: Scene): Promise<Verdict<'ignore' | 'reject'>> => {
  const { id } = await scene.user()
  const path = `/users/${encodeURIComponent(id)}`
  const body = await scene.send({ method: 'PATCH', path, body: { [stray]: 'x' } })
  const query = await scene.send({ method: 'GET', path: `/users?limit=1&${stray}=x`, answers: 'users' })
  if (stray in fieldsOf(body)) return unknown('an unknown field is kept', body)
  if (isOk(body) && isOk(query)) return observed('ignore', body, query)
  if (isRefusal(body) && isRefusal(query)) return observed('reject', body, query)
  return unknown(
    `an unknown field of a body answers ${body.status}, an unknown query parameter ${query.status}`,
    body,
    query,
  )
}

const askUnknownProject = async (scene: Scene): Promise<Verdict<'create' | 'notFound'>> => {
  const path = `/projects/paylink-mock-calibrate-${scene.marks.run}/users?limit=1`
  const exchange = await scene.sendAnywhere({ method: 'GET', path, answers: 'users' })
  if (isOk(exchange)) return observed('create', exchange)
  if (exchange.status === 404) return observed('notFound', exchange)
  if (exchange.status === 401 || exchange.status === 403)
    return untold('needs a token for all projects: this one is refused before the project is looked at', exchange)
  return unknown(`a project that is not there answers ${exchange.status}`, exchange)
}

const askCreateStatus = async (scene: Scene): Promise<Verdict<201 | 200>> => {
  const { created } = await scene.user()
  const seen = [created, ...scene.ledger.links.slice(0, 1).map((link) => link.created)]
  const all = [...scene.ledger.users, ...scene.ledger.links].map((row) => row.created.status)
  const [status, ...others] = new Set(all)
  if (others.length > 0) return unknown(`creates answer ${[status, ...others].join(' and ')}`, ...seen)
  if (status === 201 || status === 200) return observed(status, ...seen)
  return unknown(`a create answers ${status}`, ...seen)
}

const askTimestampPrecision = async (scene: Scene): Promise<Verdict<'milliseconds' | 'seconds'>> => {
  const { created } = await scene.user()
  const rows = [...scene.ledger.users, ...scene.ledger.links]
  const times = rows.map((row) => String(fieldsOf(row.created).createdAt))
  const odd = times.find((time) => !/T\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(time))
  if (odd !== undefined) return unknown(`a time is written as '${odd}'`, created)
  // Of all rows: a service may leave a fraction out that happens to be zero.
  return observed(times.some((time) => time.includes('.')) ? 'milliseconds' : 'seconds', created)
}
