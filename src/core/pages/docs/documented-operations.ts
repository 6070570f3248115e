import { projectPlaceholder } from '../html.ts'
import { createClientCurl, createStory, pickStoryLink, type StoryOptions, storyQuery } from '../../openapi/curl.ts'
import type { CommandClient } from '../../control/commands.ts'
import { trimSlashes } from '../../schema/url.ts'

type NamedParts<T> = Readonly<Record<string, T>>
type Ref = Readonly<Record<'$ref', string>>

/** The parts of a JSON Schema that the pages show. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: NamedParts<Schema>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
}

interface JsonContent {
  readonly 'application/json'?: { readonly schema: Schema; readonly examples?: NamedParts<{ readonly value: unknown }> }
}

interface ResponseObject {
  readonly description: string
  readonly content?: JsonContent
}

interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly Ref[]
  readonly requestBody?: { readonly content: JsonContent }
  readonly responses: NamedParts<ResponseObject | Ref>
}

/** The parts of an OpenAPI document that the pages show. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: NamedParts<NamedParts<OperationObject>>
  readonly components: {
    readonly parameters: NamedParts<{ name: string; in: string; description?: string; schema: Schema }>
    readonly schemas: NamedParts<Schema>
    readonly responses: NamedParts<ResponseObject>
  }
}

/** The operations in the order of the document, with their references resolved. `route` is the whole path with its method. */
export const listOperations = (document: OpenApiDocument) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([name, { parameters, requestBody, ...operation }]) => {
      const method = name.toUpperCase()
      const { schema, examples = {} } = requestBody?.content['application/json'] ?? {}
      const { components } = document
      return {
        ...operation,
        path,
        method,
        route: `${method} ${getPrefix(document)}${path}`,
        parameters: parameters.map(({ $ref }) => components.parameters[getRefName($ref)]!),
        body: schema?.$ref === undefined ? undefined : components.schemas[getRefName(schema.$ref)],
        examples,
      }
    }),
  )

export type DocumentedOperation = ReturnType<typeof listOperations>[number]

const getPrefix = ({ servers }: OpenApiDocument): string => trimSlashes(servers[0]?.url ?? '')

/** Returns `User` for `#/components/schemas/User`. */
export const getRefName = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)

type WantedLink = Partial<Readonly<Record<'project' | 'paymentLink', string>>>

interface ExampleOptions extends Pick<StoryOptions, 'clientUrl' | 'mockUrl' | 'needsAdminToken'> {
  readonly client: CommandClient
  readonly hasAccess: (anyToken: boolean) => boolean
  readonly wanted: WantedLink
}

export const findExamples = async (options: ExampleOptions) => {
  const { clientUrl, mockUrl, needsAdminToken } = options
  const records = await findRecords(options)
  const { project, link, anyToken } = records
  const story = createStory({ clientUrl, mockUrl, project, paymentLink: link?.id, anyToken, needsAdminToken })
  return { ...records, clientUrl, story }
}

export type PageExamples = Awaited<ReturnType<typeof findExamples>>

/** Finds records of the wanted project, or else of the first. Without access, returns only the demo project, or a placeholder. */
const findRecords = async ({ client, hasAccess, wanted }: ExampleOptions) => {
  const { items: projects } = await client.call('listProjects')
  const usableProjects = projects.filter(({ id }) => isShort(id))
  const project = (usableProjects.find(({ id }) => id === wanted.project) ?? usableProjects[0])?.id ?? 'acme'
  const params = { project }
  const anyToken = (await client.call('readTokens', { params })).items.length === 0
  if (!hasAccess(anyToken))
    return { project: projects.some(({ id }) => id === 'acme') ? 'acme' : projectPlaceholder, anyToken }
  const query = { limit: '1' }
  const [user] = (await client.call('listUsers', { params, query })).items
  const listLinks = async (filter: object) => (await client.call('listPaymentLinks', { params, query: filter })).items
  const activeLinks = await listLinks({ ...storyQuery, limit: `${storyQuery.limit}` })
  const link = (await findWantedLink(client, project, wanted)) ?? pickStoryLink(activeLinks)
  // The story pays its link, so that the other examples need another one.
  const otherLink = activeLinks.find(({ id }) => id !== link?.id) ?? link ?? (await listLinks(query))[0]
  const invoice = otherLink !== undefined && isShort(otherLink.invoice) ? otherLink.invoice : undefined
  return { project, user: user?.id, email: user?.email, paymentLink: otherLink?.id, link, invoice, anyToken }
}

const findWantedLink = (client: CommandClient, project: string, { project: name, paymentLink }: WantedLink) =>
  name === project && paymentLink !== undefined
    ? client.call('retrievePaymentLink', { params: { project, paymentLink } }).catch(() => undefined)
    : undefined

const isShort = ({ length }: string): boolean => length <= 200

export const createCurlExample = (operation: DocumentedOperation, examples: PageExamples): readonly string[] => {
  const { method, path } = operation
  const { clientUrl, project, user = 'usr_1', paymentLink = 'pml_1', anyToken } = examples
  const ids: Readonly<Record<string, string>> = { project, user, paymentLink }
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? name))
  return createClientCurl(anyToken, method, clientUrl + filledPath, createBody(operation, examples))
}

const createBody = ({ operationId, examples }: DocumentedOperation, { email, invoice }: PageExamples): unknown => {
  const bodyExample = (examples.complete ?? Object.values(examples)[0])?.value
  if (typeof bodyExample !== 'object' || bodyExample === null) return undefined
  const existingValues: Readonly<Record<string, object>> = {
    // No user of a seed has this address, and a duplicate may be rejected.
    createUser: { email: 'new.user@example.com' },
    searchUsers: email === undefined ? {} : { email },
    createPaymentLink: invoice === undefined ? {} : { invoice },
  }
  return { ...bodyExample, ...existingValues[operationId] }
}
