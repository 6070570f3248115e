import { createClientHeaders, formatCurl, formatPayCommand } from '../../wire/curl.ts'
import type { ControlClient } from '../dashboard/page-request.ts'
import type { PaymentLinkView } from '../../schema/payment-link.ts'
import { type Document, type Operation, listOperations } from './document.ts'

/** A project and some of its records, for examples that work. */
export interface ExampleRecords {
  readonly project: string
  readonly user?: string | undefined
  readonly email?: string | undefined
  readonly paymentLink?: string | undefined
  /** The link of the payment story: the wanted one, else an active one. */
  readonly link?: PaymentLinkView | undefined
  readonly invoice?: string | undefined
  /** Whether the mock accepts any token. */
  readonly anyToken: boolean
}

/** A payment link that a page is about. */
interface WantedLink {
  readonly project?: string | undefined
  readonly paymentLink?: string | undefined
}

/**
 * Finds the records that the example requests use: of the wanted project, or else of the first. Without access, returns only
 * the name of the demo project.
 */
export const findExampleRecords = async (
  client: ControlClient,
  hasAccess: (anyToken: boolean) => boolean,
  wanted: WantedLink = {},
): Promise<ExampleRecords> => {
  const { items: projects } = await client.call('listProjects')
  const usable = projects.filter(({ id }) => isShort(id))
  const project = (usable.find(({ id }) => id === wanted.project) ?? usable[0])?.id ?? 'acme'
  const params = { project }
  const anyToken = (await client.call('readTokens', { params })).items.length === 0
  if (!hasAccess(anyToken)) return { project: 'acme', anyToken }
  const query = { limit: '1' }
  const [user] = (await client.call('listUsers', { params, query })).items
  const link =
    (await findWantedLink(client, project, wanted)) ?? (await findFirstLink(client, project, { status: 'active' }))
  const any = link ?? (await findFirstLink(client, project))
  const invoice = any !== undefined && isShort(any.invoice) ? any.invoice : undefined
  return { project, user: user?.id, email: user?.email, paymentLink: any?.id, link, invoice, anyToken }
}

/** Finds a link, preferably without a redirect: a browser that pays it stays on the page. */
const findFirstLink = async (client: ControlClient, project: string, filter: object = {}) => {
  const { items } = await client.call('listPaymentLinks', { params: { project }, query: { limit: '10', ...filter } })
  return items.find(({ partner }) => partner.redirectUrl === null) ?? items[0]
}

const findWantedLink = (client: ControlClient, project: string, { project: name, paymentLink }: WantedLink) =>
  name === project && paymentLink !== undefined
    ? client.call('retrievePaymentLink', { params: { project, paymentLink } }).catch(() => undefined)
    : undefined

/** Whether the text fits into a line to copy. */
const isShort = ({ length }: string): boolean => length <= 200

/** A curl command that calls the operation. */
export const formatCurlExample = (
  operation: Operation,
  sample: ExampleRecords,
  { servers }: Document,
  origin: string,
): string => {
  const { method, path } = operation
  const ids: Readonly<Record<string, string | undefined>> = {
    project: sample.project,
    user: sample.user ?? 'usr_1',
    paymentLink: sample.paymentLink ?? 'pml_1',
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? name))
  const base = servers[0]?.url ?? '/'
  const body = createBody(operation, sample)
  return formatCurl({
    method,
    url: `${origin}${base === '/' ? '' : base}${filled}`,
    headers: [
      ...createClientHeaders(sample.anyToken),
      ...(body === undefined ? [] : [['Content-type', 'application/json'] as const]),
    ],
    body,
  })
}

/** Curl commands that list the users, pay a link and retrieve it. */
export const createQuickStart = (
  sample: ExampleRecords,
  document: Document,
  origin: string,
  admin: { readonly prefix: string; readonly needsToken: boolean },
): string[] => {
  const formatLines = (id: string) =>
    listOperations(document)
      .filter(({ operationId }) => operationId === id)
      .map((operation) => formatCurlExample(operation, sample, document, origin))
  const { project, link } = sample
  if (link === undefined) return formatLines('listUsers')
  return [
    ...formatLines('listUsers'),
    formatPayCommand(origin + admin.prefix, project, link.id, admin.needsToken),
    ...formatLines('retrievePaymentLink'),
  ]
}

/** Creates a body from the example of the document, with values of existing records. */
const createBody = ({ operationId, requestBody }: Operation, { email, invoice }: ExampleRecords): unknown => {
  const examples = requestBody?.content['application/json']?.examples ?? {}
  const example = (examples.complete ?? Object.values(examples)[0])?.value
  if (typeof example !== 'object' || example === null) return undefined
  const existing: Readonly<Record<string, object>> = {
    // No user of a seed has this address, and a duplicate may be rejected.
    createUser: { email: 'new.user@example.com' },
    searchUsers: email === undefined ? {} : { email },
    createPaymentLink: invoice === undefined ? {} : { invoice },
  }
  return { ...example, ...existing[operationId] }
}
