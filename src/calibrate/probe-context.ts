import { createCreatedRecords, createRunIds, type CreatedRecord } from './created-records.ts'
import {
  CalibrationError,
  type Exchange,
  exchangeText,
  fieldsOf,
  inconclusive,
  InconclusiveError,
  isOk,
  isRejected,
  type Request,
} from './exchange.ts'
import { createSend, type ServiceOptions } from './service.ts'
import { createUnexpectedFields } from './unexpected-fields.ts'

export interface ContextOptions extends Omit<ServiceOptions, 'isOwn' | 'onExchange'> {
  readonly project: string
  /** The invoice that payment links are created for. */
  readonly invoice: string
  /** The wire word for the one provider. */
  readonly provider: string
  /** Like `Math.random`. Distinguishes the records of one run from those of another. */
  readonly random: () => number
  /** Ends the run. Its records are still deleted. */
  readonly signal?: AbortSignal | undefined
}

/** The payer of spec §2.5, with all of its fields. */
export const payer = { fullName: 'Paylink Mock Calibrate', email: 'ada@example.com', taxNumber: '12345678909' }

/** The metadata of the shared user. */
const metadata = { calibrate: 'paylink-mock', changed: 'before' }

export type ProbeContext = ReturnType<typeof createProbeContext>

/** Creates what probes share: the service, and records that are created when the first probe needs them. */
export const createProbeContext = (options: ContextOptions) => {
  const { project, invoice, provider, signal } = options
  const ids = createRunIds(options.random)
  const unexpected = createUnexpectedFields(provider)
  const base = `/projects/${encodeURIComponent(project)}`
  const sendAlways = createSend({ ...options, isOwn: (id) => created.isOwn(id), onExchange: unexpected.check })
  const sendAnywhere = (request: Request) => sendAlways(request, signal)
  const send = (request: Request) => sendAnywhere({ ...request, path: `${base}${request.path}` })
  const created = createCreatedRecords(base, ids, sendAnywhere)

  const createUser = (email: string, fields = {}) =>
    created.create('users', { email, fullName: ids.fullName, ...fields })
  const createLink = (invoice: string, user: object) => {
    const body = { invoice, type: provider, [provider]: { user, redirectUrl: ids.redirectUrl } }
    return created.create('paymentLinks', body)
  }

  const user = once(async (): Promise<CreatedRecord> => {
    const { exchange, id } = await createUser(ids.email(1), { metadata })
    if (id === undefined) throw notCreated(exchange, 'a user')
    return { id, created: exchange }
  })

  return {
    ids,
    invoice,
    created,
    /** Sends a request whose path starts after `/projects/{project}`. */
    send,
    /** Sends a request whose path starts after the base address. */
    sendAnywhere,
    createUser,
    createLink,
    /** Returns the user that most probes look at. */
    user,
    /** Changes that user. */
    patchUser: async (body: object, returns?: 'user') => {
      const path = `/users/${encodeURIComponent((await user()).id)}`
      return send({ method: 'PATCH', path, body, ...(returns && { returns }) })
    },
    /** Returns the first payment link, or creates one with a complete payer. */
    link: async (): Promise<CreatedRecord> => {
      const [first] = created.links
      if (first !== undefined) return first
      const { exchange, id } = await createLink(invoice, payer)
      if (id === undefined) throw notCreated(exchange, `a payment link for invoice '${invoice}'`)
      return { id, created: exchange }
    },
    /** Returns the response to an invalid body. */
    refusal: once(async () => (await created.create('users', { fullName: ids.fullName })).exchange),
    /** Checks the address and the token. Creates nothing. */
    checkAccess: async (): Promise<void> => {
      const exchange = await send({ method: 'GET', path: '/users?limit=1', returns: 'users' }).catch(
        (error: unknown) => {
          throw error instanceof InconclusiveError ? new CalibrationError(`Nothing was made, ${error.message}.`) : error
        },
      )
      const problem = accessProblem(exchange, project)
      if (problem !== undefined) throw new CalibrationError(problem)
    },
    // Without the signal: it is aborted when a run is interrupted.
    cleanUp: () => created.cleanUp(sendAlways),
    unexpectedFields: unexpected.all,
  }
}

/** Returns a function that creates its result, or fails, only once. */
const once = <T>(create: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined
  return () => (result ??= create())
}

/** Returns why a create that other probes need has created nothing. */
const notCreated = (exchange: Exchange, what: string): Error => {
  if (isOk(exchange))
    return new InconclusiveError('the response to the create does not contain the new record', exchange)
  // Not the rejection of an unknown invoice: this one may have a link already.
  if (exchange.status === 409 && exchange.request.returns === 'paymentLink')
    return inconclusive('needs an unused invoice', exchange)
  const isClear = isRejected(exchange) || exchange.status === 401 || exchange.status === 403
  if (isClear) return new CalibrationError(`The service refuses ${what}: ${quote(exchange)}.`)
  return inconclusive('the service makes no such row', exchange)
}

const quote = (exchange: Exchange): string => `${exchangeText(exchange)} ${exchange.shown.answer}`.trim()

/** Returns why a run cannot start, from the response to a list of users. */
const accessProblem = (exchange: Exchange, project: string): string | undefined => {
  const { status } = exchange
  const said = exchangeText(exchange)
  if (status === 401) return `The service refuses the token: ${said}; check --token.`
  if (status === 403) return `The service refuses the token for project '${project}': ${said}; check --token.`
  if (status === 404)
    return `The service knows no project '${project}', or not at this address: ${said}; check --project and --base-url.`
  if (!isOk(exchange)) return `The service refuses to list users: ${quote(exchange)}.`
  if (Array.isArray(fieldsOf(exchange).items)) return undefined
  return `This is not the service: ${said} without a list of users; check --base-url.`
}
