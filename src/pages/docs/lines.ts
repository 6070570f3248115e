import { clientHeaders, curlOf, payLine } from '../../wire/curl.ts'
import type { Steer } from '../dashboard/view.ts'
import { type Document, operationsOf, type Placed } from './document.ts'

/** What is there to call with: a project, and rows of it. */
export interface Sample {
  readonly project: string
  readonly user?: string | undefined
  readonly email?: string | undefined
  /** An active one, if there is any. */
  readonly paymentLink?: string | undefined
  /** Whether the payment link can still be paid. */
  readonly canPay?: boolean
  readonly invoice?: string | undefined
  /** Whether any token will do. */
  readonly anyToken: boolean
}

/** Looks for rows of the first project. A caller who could not read them otherwise gets names that need not be there. */
export const sampleOf = async (steer: Steer, mayLook: (anyToken: boolean) => boolean): Promise<Sample> => {
  const { items: projects } = await steer.call('listProjects')
  const project = projects.find(({ id }) => isShort(id))?.id ?? 'acme'
  const params = { project }
  const anyToken = (await steer.call('readTokens', { params })).items.length === 0
  if (!mayLook(anyToken)) return { project: 'acme', anyToken }
  const query = { limit: '1' }
  const [user] = (await steer.call('listUsers', { params, query })).items
  const [active] = (await steer.call('listPaymentLinks', { params, query: { ...query, status: 'active' } })).items
  const [any] = active === undefined ? (await steer.call('listPaymentLinks', { params, query })).items : [active]
  const invoice = any !== undefined && isShort(any.invoice) ? any.invoice : undefined
  const canPay = active !== undefined
  return { project, user: user?.id, email: user?.email, paymentLink: any?.id, canPay, invoice, anyToken }
}

/** Whether a text fits into a line that a person copies. */
const isShort = ({ length }: string): boolean => length <= 200

/** A line of the shell that asks this server for an operation. */
export const lineOf = (operation: Placed, sample: Sample, { servers }: Document, origin: string): string => {
  const { method, path } = operation
  const ids: Readonly<Record<string, string | undefined>> = {
    project: sample.project,
    user: sample.user ?? 'usr_1',
    paymentLink: sample.paymentLink ?? 'pml_1',
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? name))
  const base = servers[0]?.url ?? '/'
  const body = bodyOf(operation, sample)
  return curlOf({
    method,
    url: `${origin}${base === '/' ? '' : base}${filled}`,
    headers: [
      ...clientHeaders(sample.anyToken),
      ...(body === undefined ? [] : [['Content-type', 'application/json'] as const]),
    ],
    body,
  })
}

/** Lines that show the most in the shortest time: the users, a link that is paid, and the link afterwards. */
export const linesToTry = (sample: Sample, document: Document, origin: string, adminToken: boolean): string[] => {
  const client = (id: string) =>
    operationsOf(document)
      .filter(({ operationId }) => operationId === id)
      .map((operation) => lineOf(operation, sample, document, origin))
  const { project, paymentLink, canPay } = sample
  if (paymentLink === undefined || !canPay) return client('listUsers')
  return [...client('listUsers'), payLine(origin, project, paymentLink, adminToken), ...client('retrievePaymentLink')]
}

/** The example of the document, with what is there in place of what is made up. */
const bodyOf = ({ operationId, requestBody }: Placed, { email, invoice }: Sample): unknown => {
  const examples = requestBody?.content['application/json']?.examples ?? {}
  const example = (examples.complete ?? Object.values(examples)[0])?.value
  if (typeof example !== 'object' || example === null) return undefined
  const known: Readonly<Record<string, object>> = {
    // An address that no user of the seed has: a second one may be refused.
    createUser: { email: 'new.user@example.com' },
    searchUsers: email === undefined ? {} : { email },
    createPaymentLink: invoice === undefined ? {} : { invoice },
  }
  return { ...example, ...known[operationId] }
}
