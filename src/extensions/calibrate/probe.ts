import type { BehaviorKey, Behaviors } from '../../schema/behavior.ts'
import { trackCreatedRecords, createRunIds, type CreatedRecord } from './created-records.ts'
import {
  CalibrationError,
  createInconclusiveError,
  createSend,
  type Exchange,
  formatExchange,
  getFields,
  InconclusiveError,
  isContentRejected,
  isOk,
  listUnexpected,
  type Request,
  type ServiceOptions,
  type ShownExchange,
} from './service.ts'

/** Records and responses that probes share, so that fewer are created. */
export type SharedResource = 'user' | 'link' | 'rejection'

/** How a client can observe one behavior. */
export interface Probe<V = Behaviors[BehaviorKey]> {
  readonly uses?: readonly SharedResource[]
  /** Its other requests, relative to the project unless they name another. */
  readonly requests?: readonly string[]
  /** The maximum number of users that it creates. They are deleted. */
  readonly users?: number
  /** The number of payment links that it may create. Later probes reuse them. */
  readonly links?: number
  /** Other records that may remain. */
  readonly leaves?: string
  /** Rejects with an `InconclusiveError` if the service does not show the behavior. */
  readonly run: (context: ProbeContext) => Promise<Verdict<V>>
}

export type Probes = { readonly [K in BehaviorKey]?: Probe<Behaviors[K]> }

/** Creates the verdict that the service has this behavior value, with the exchanges that prove it. */
export const createObserved = <V>(value: V, ...exchanges: readonly Exchange[]) =>
  ({ outcome: 'observed', value, exchanges }) as const

/** Creates the verdict that no behavior value describes the service. */
export const createUnknown = (what: string, ...exchanges: readonly Exchange[]) =>
  ({ outcome: 'unknown', what, exchanges }) as const

type Verdict<V> = ReturnType<typeof createObserved<V>> | ReturnType<typeof createUnknown>

/** The payer of spec §2.5, with all of its fields. */
export const payer = { fullName: 'Paylink Mock Calibrate', email: 'ada@example.com', taxNumber: '12345678909' }

/** Invalid by spec §4.1, whatever a service accepts as an email. */
const invalidFields = { birthday: 'never', metadata: 'none' }

const sharedMetadata = { calibrate: 'paylink-mock', changed: 'before' }

export type ProbeContext = ReturnType<typeof createProbeContext>

/** Creates the context that probes share: a client of the service, and records that are created on first use. */
export const createProbeContext = (options: ServiceOptions) => {
  const { project, invoice, provider, signal } = options
  const ids = createRunIds(options.random)
  /** Differences between responses and the specification, and the first exchange that shows each. */
  const unexpected = new Map<string, { readonly what: string; readonly seen: ShownExchange }>()
  const onExchange = (exchange: Exchange) => {
    for (const what of listUnexpected(exchange, provider))
      if (!unexpected.has(what)) unexpected.set(what, { what, seen: exchange.shown })
  }
  const base = `/projects/${encodeURIComponent(project)}`
  const sendAlways = createSend(options, ids.isMarked, onExchange)
  const wait = (milliseconds: number) => options.wait(milliseconds, signal)
  /** How long lists lag behind, in milliseconds, and whether they may miss a write. */
  let lag = 0
  let isBehind = false
  const sendAnywhere = async (request: Request) => {
    const isList = request.returns === 'users' || request.returns === 'paymentLinks'
    if (isList && isBehind && lag > 0) await wait(lag)
    if (isList || request.method !== 'GET') isBehind = !isList
    return sendAlways(request, signal)
  }
  const send = (request: Request) => sendAnywhere({ ...request, path: `${base}${request.path}` })
  const listUsers = (query = 'limit=1', headers: Request['headers'] = {}) =>
    send({ method: 'GET', path: `/users?${query}`, headers, returns: 'users' })
  const created = trackCreatedRecords(base, ids, sendAnywhere)

  const createUser = (email: string, fields = {}, headers?: Request['headers'], atOnce?: () => Promise<void>) =>
    created.create('users', { email, fullName: ids.fullName, ...fields }, headers, atOnce)
  const createLink = (invoice: string, user: object) => {
    const body = { invoice, type: provider, [provider]: { user, redirectUrl: ids.redirectUrl } }
    return created.create('paymentLinks', body)
  }

  const requireCreated = async (what: string, create: ReturnType<typeof created.create>): Promise<CreatedRecord> => {
    const { exchange, record } = await create
    if (record === undefined) throw createCreationError(exchange, what)
    return record
  }
  const user = once(() => requireCreated('a user', createUser(ids.createEmail(1), { metadata: sharedMetadata })))

  return {
    ids,
    invoice,
    created,
    /** Sends a request whose path starts after `/projects/{project}`. */
    send,
    listUsers,
    searchUsers: (body: object, headers: Request['headers'] = {}) =>
      send({ method: 'POST', path: '/users/search', body, headers, returns: 'users' }),
    /** Sends a request whose path starts after the base address. */
    sendAnywhere,
    /** Waits until the time is over or the run is interrupted. */
    wait,
    /** Waits this long from now on before a list or a search that follows a write. */
    waitBeforeLists: (milliseconds: number) => {
      lag = milliseconds
      isBehind = true
    },
    createUser,
    /** Creates a user besides the shared one. */
    createOtherUser: async (name: number | string, headers?: Request['headers'], atOnce?: () => Promise<void>) => {
      const { exchange, record } = await createUser(ids.createEmail(name), {}, headers, atOnce)
      if (record === undefined) throw createInconclusiveError('needs another user', exchange)
      return record
    },
    createLink,
    /** Creates the shared user on first use. */
    user,
    patchUser: async (body: object, returns?: 'user') =>
      created.change('users', (await user()).id, { method: 'PATCH', body, ...(returns && { returns }) }),
    /** Returns the shared user as it is now. */
    retrieveUser: async () => created.retrieve('users', (await user()).id),
    /** Returns the first payment link. If none exists, creates one with a complete payer. */
    link: async (): Promise<CreatedRecord> =>
      created.links()[0] ?? requireCreated(`a payment link for invoice '${invoice}'`, createLink(invoice, payer)),
    /** Returns the response to an invalid body, whose email still identifies what an odd service creates. */
    rejection: once(async () => {
      const reject = async () => (await createUser(ids.createEmail('invalid'), invalidFields)).exchange
      const first = await reject()
      if (isContentRejected(first)) requireSame(first, await reject())
      return first
    }),
    /** Throws unless the address and the token are valid. Creates nothing. */
    checkAccess: async (): Promise<void> => {
      const exchange = await listUsers().catch((error: unknown) => {
        if (!(error instanceof InconclusiveError)) throw error
        throw new CalibrationError(`Nothing was created: ${error.message}.`)
      })
      const problem = explainNoAccess(exchange, project)
      if (problem !== undefined) throw new CalibrationError(problem)
    },
    // Without the signal: the clean-up also runs after an interruption.
    cleanUp: () => created.cleanUp(sendAlways, options.wait),
    listUnexpectedFields: () => [...unexpected.values()],
  }
}

/** Returns a function that calls `create` only once, and then returns the same result or error. */
const once = <T>(create: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined
  return () => (result ??= create())
}

/** Throws unless both responses to the same request are the same, as far as `summarize` says. */
const requireSame = (first: Exchange, again: Exchange, summarize = (one: Exchange): unknown => one.status): void => {
  if (summarize(first) === summarize(again)) return
  throw new InconclusiveError(`the same request has different results: ${formatExchange(again)}`, first, again)
}

/**
 * Asks all questions, and then in reverse order again, and throws if a result differs: a service that is not consistent,
 * such as one whose replicas differ, would otherwise seem to have a behavior. Returns the first responses.
 */
export const askTwice = async <const Q extends readonly (() => Promise<Exchange>)[]>(
  questions: Q,
  summarize?: (exchange: Exchange) => unknown,
) => {
  const answers: Exchange[] = []
  for (const ask of questions) answers.push(await ask())
  for (const [index, ask] of [...questions.entries()].toReversed()) requireSame(answers[index]!, await ask(), summarize)
  return answers as { -readonly [K in keyof Q]: Exchange }
}

/** Returns the error for a create of a shared record that created nothing. */
const createCreationError = (exchange: Exchange, what: string): Error => {
  if (isOk(exchange))
    return new InconclusiveError('the response to the create does not contain the new record', exchange)
  // The invoice is known, but may have a link already.
  if (exchange.status === 409 && exchange.request.returns === 'paymentLink')
    return createInconclusiveError('needs an unused invoice', exchange)
  const isClear = isContentRejected(exchange) || exchange.status === 401 || exchange.status === 403
  if (isClear) return new CalibrationError(`The service does not create ${what}: ${quoteExchange(exchange)}.`)
  return createInconclusiveError('the service does not create the record', exchange)
}

const quoteExchange = (exchange: Exchange): string => `${formatExchange(exchange)} ${exchange.shown.response}`.trim()

/** Explains why a run cannot start. Undefined if it can. The exchange is a list of users. */
const explainNoAccess = (exchange: Exchange, project: string): string | undefined => {
  const { status } = exchange
  const response = formatExchange(exchange)
  if (status === 401) return `The service rejects the token: ${response}; check --token.`
  if (status === 403) return `The service rejects the token for project '${project}': ${response}; check --token.`
  if (status === 404)
    return `The service has no project '${project}' at this address: ${response}; check --project and --base-url.`
  if (!isOk(exchange)) return `The service does not list users: ${quoteExchange(exchange)}.`
  if (Array.isArray(getFields(exchange).items)) return undefined
  return `This is not the service: ${response} without a list of users; check --base-url.`
}
