import { createBodyHeaders, createClientHeaders, createCurl, pickStoryLink, storyQuery } from '../../wire/curl.ts'
import type { CommandClient } from '../../schema/command.ts'
import type { PaymentLinkView } from '../../schema/payment-link.ts'
import type { DocumentedOperation } from './document.ts'

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
type WantedLink = Partial<Readonly<Record<'project' | 'paymentLink', string>>>

/**
 * Finds the records that the example requests use: of the wanted project, or else of the first. Without access, returns only
 * the name of the demo project.
 */
export const findExampleRecords = async (
  client: CommandClient,
  hasAccess: (anyToken: boolean) => boolean,
  wanted: WantedLink,
): Promise<ExampleRecords> => {
  const { items: projects } = await client.call('listProjects')
  const usable = projects.filter(({ id }) => isShort(id))
  const project = (usable.find(({ id }) => id === wanted.project) ?? usable[0])?.id ?? 'acme'
  const params = { project }
  const anyToken = (await client.call('readTokens', { params })).items.length === 0
  if (!hasAccess(anyToken)) return { project: 'acme', anyToken }
  const query = { limit: '1' }
  const [user] = (await client.call('listUsers', { params, query })).items
  const listLinks = async (filter: object) => (await client.call('listPaymentLinks', { params, query: filter })).items
  const active = await listLinks({ ...storyQuery, limit: `${storyQuery.limit}` })
  const link = (await findWantedLink(client, project, wanted)) ?? pickStoryLink(active)
  // The story pays its link, so that the other examples need another one.
  const other = active.find(({ id }) => id !== link?.id) ?? link ?? (await listLinks(query))[0]
  const invoice = other !== undefined && isShort(other.invoice) ? other.invoice : undefined
  return { project, user: user?.id, email: user?.email, paymentLink: other?.id, link, invoice, anyToken }
}

const findWantedLink = (client: CommandClient, project: string, { project: name, paymentLink }: WantedLink) =>
  name === project && paymentLink !== undefined
    ? client.call('retrievePaymentLink', { params: { project, paymentLink } }).catch(() => undefined)
    : undefined

/** Whether the text fits into a line to copy. */
const isShort = ({ length }: string): boolean => length <= 200

export const createCurlExample = (
  operation: DocumentedOperation,
  sample: ExampleRecords,
  clientUrl: string,
): readonly string[] => {
  const { method, path } = operation
  const ids: Readonly<Record<string, string | undefined>> = {
    project: sample.project,
    user: sample.user ?? 'usr_1',
    paymentLink: sample.paymentLink ?? 'pml_1',
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? name))
  const body = createBody(operation, sample)
  return createCurl({
    method,
    url: clientUrl + filled,
    headers: [...createClientHeaders(sample.anyToken), ...createBodyHeaders(body)],
    body,
  })
}

/** Creates a body from the example of the document, with values of existing records. */
const createBody = ({ operationId, requestBody }: DocumentedOperation, { email, invoice }: ExampleRecords): unknown => {
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
