import { type Exchange, exchangeText, fieldsOf, isOk, isRefusal, type Request } from './exchange.ts'
import { createLedger, type Ledger, type Made } from './ledger.ts'
import { createMarks, type Marks } from './marks.ts'
import { createOddities, type Oddity } from './oddities.ts'
import { createSend, type ServiceOptions } from './service.ts'
import { CalibrationError, CouldNotTell } from './verdict.ts'

/** What a run is made of, beside the service. */
export interface SceneOptions extends Omit<ServiceOptions, 'isOwn' | 'onExchange'> {
  readonly project: string
  /** The invoice that payment links are made for. */
  readonly invoice: string
  /** The wire word for the one provider. */
  readonly provider: string
  /** As `Math.random`: what tells the rows of one run from those of another. */
  readonly random: () => number
  /** Ends the run when it is aborted; what was made is undone nevertheless. */
  readonly signal?: AbortSignal | undefined
}

/** What the probes share: the service, and rows that are made when the first of them asks. */
export interface Scene {
  readonly marks: Marks
  readonly invoice: string
  readonly ledger: Pick<Ledger, 'users' | 'links' | 'undone' | 'canceled'>
  /** Sends a request below the project: its path starts behind `/projects/{project}`. */
  send(request: Request): Promise<Exchange>
  /** Sends a request below the base address. */
  sendAnywhere(request: Request): Promise<Exchange>
  /** The user that most probes look at. */
  user(): Promise<Made>
  /** The first payment link: any that was made, else one with a complete payer. */
  link(): Promise<Made>
  /** The refusal of a body that breaks the schema. */
  refusal(): Promise<Exchange>
  createUser(email: string, fields?: object): Promise<{ readonly exchange: Exchange; readonly id?: string }>
  createLink(invoice: string, payer: object): Promise<{ readonly exchange: Exchange; readonly id?: string }>
  /** Sees whether the service is there and lets us in. Nothing is made. */
  greet(): Promise<void>
  cleanUp(): Promise<readonly string[]>
  oddities(): readonly Oddity[]
}

/** The payer of spec §2.5, with all of its fields. */
export const payer = { fullName: 'Paylink Mock Calibrate', email: 'ada@example.com', taxNumber: '12345678909' }

/** What the metadata of the first user holds. */
const metadata = { calibrate: 'paylink-mock', changed: 'before' }

export const createScene = (options: SceneOptions): Scene => {
  const { project, invoice, provider, signal } = options
  const marks = createMarks(options.random)
  const oddities = createOddities(provider)
  const base = `/projects/${encodeURIComponent(project)}`
  const plainSend = createSend({ ...options, isOwn: (id) => ledger.isOwn(id), onExchange: oddities.look })
  const send = (request: Request) => plainSend(request, signal)
  const ledger = createLedger(base, marks, () => send)

  const createUser: Scene['createUser'] = (email, fields = {}) =>
    ledger.create('users', { email, fullName: marks.fullName, ...fields })
  const createLink: Scene['createLink'] = (invoice, user) => {
    const body = { invoice, type: provider, [provider]: { user, redirectUrl: marks.redirectUrl } }
    return ledger.create('paymentLinks', body)
  }

  return {
    marks,
    invoice,
    ledger,
    send: (request) => send({ ...request, path: `${base}${request.path}` }),
    sendAnywhere: send,
    user: once(async () => {
      const email = marks.email(1)
      const { exchange, id } = await createUser(email, { metadata })
      if (id === undefined) throw noRow(exchange, 'a user')
      return { id, created: exchange }
    }),
    link: async () => {
      const [first] = ledger.links
      if (first !== undefined) return first
      const { exchange, id } = await createLink(invoice, payer)
      if (id === undefined) throw noRow(exchange, `a payment link for invoice '${invoice}'`)
      return { id, created: exchange }
    },
    refusal: once(async () => (await ledger.create('users', { fullName: marks.fullName })).exchange),
    createUser,
    createLink,
    greet: () => greet(project, () => send({ method: 'GET', path: `${base}/users?limit=1`, answers: 'users' })),
    // Not with the signal: it has been aborted when a run is interrupted.
    cleanUp: () => ledger.cleanUp(plainSend),
    oddities: oddities.all,
  }
}

/** The same answer each time, or the same failure. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Why a create that every probe builds upon has made nothing. */
const noRow = (exchange: Exchange, what: string): Error => {
  if (isOk(exchange)) return new CouldNotTell('the response to the create does not contain the new record', exchange)
  // Not as an unknown invoice is refused: this one may have a link already.
  if (exchange.status === 409 && exchange.request.answers === 'paymentLink')
    return new CouldNotTell(`needs an unused invoice: ${exchangeText(exchange)}`, exchange)
  const isClear = isRefusal(exchange) || exchange.status === 401 || exchange.status === 403
  if (isClear) return new CalibrationError(`The service refuses ${what}: ${quoted(exchange)}.`)
  return new CouldNotTell(`the service makes no such row: ${exchangeText(exchange)}`, exchange)
}

const quoted = (exchange: Exchange): string => `${exchangeText(exchange)} ${exchange.shown.answer}`.trim()

/** Reads one user, to fail in one sentence before anything is made. */
const greet = async (project: string, read: () => Promise<Exchange>): Promise<void> => {
  const exchange = await read().catch((error: unknown) => {
    throw error instanceof CouldNotTell ? new CalibrationError(`Nothing was made, ${error.message}.`) : error
  })
  const { status } = exchange
  const said = exchangeText(exchange)
  if (status === 401) throw new CalibrationError(`The service refuses the token: ${said}; check --token.`)
  if (status === 403)
    throw new CalibrationError(`The service refuses the token for project '${project}': ${said}; check --token.`)
  if (status === 404)
    throw new CalibrationError(
      `The service knows no project '${project}', or not at this address: ${said}; check --project and --base-url.`,
    )
  if (!isOk(exchange)) throw new CalibrationError(`The service refuses to list users: ${quoted(exchange)}.`)
  if (!Array.isArray(fieldsOf(exchange).items))
    throw new CalibrationError(`This is not the service: ${said} without a list of users; check --base-url.`)
}
