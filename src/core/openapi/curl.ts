import { formatCoverageWith } from '../schema/coverage-text.ts'
import type { PaymentLinkView } from '../schema/payment-link.ts'
import type { Coverage, PreparingCall } from '../schema/summaries.ts'

interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown
}

/** A curl command: each flag with its value, and the URL. */
export type Curl = readonly string[]

/** A shell variable that contains a token. Tokens are never printed. */
type TokenVariable = 'TOKEN' | 'PAYLINK_MOCK_ADMIN_TOKEN'

const createBearerHeader = (variable: TokenVariable) => ['Authorization', `Bearer $${variable}`] as const

/** @param anyToken whether any token is valid */
export const createAuthorizationHeader = (anyToken: boolean) =>
  anyToken ? (['Authorization', 'Bearer any'] as const) : createBearerHeader('TOKEN')

export const createClientCurl = (anyToken: boolean, method: string, url: string, body?: unknown): Curl => {
  const accept = ['Accept', 'application/json'] as const
  const headers = [createAuthorizationHeader(anyToken), accept, ...createBodyHeaders(body)]
  return createCurl({ method, url, headers, body })
}

export const createAdminCurl = (needsToken: boolean, method: string, url: string, body?: unknown): Curl => {
  const authorization = needsToken ? [createBearerHeader('PAYLINK_MOCK_ADMIN_TOKEN')] : []
  return createCurl({ method, url, headers: [...authorization, ...createBodyHeaders(body)], body })
}

const createBodyHeaders = (body: unknown): CurlRequest['headers'] =>
  body === undefined ? [] : [['Content-type', 'application/json']]

/** Ends the line after the response, because JSON has no line end. */
export const createCurl = ({ method, url, headers, body }: CurlRequest): Curl => {
  const hasBody = body !== undefined && body !== null
  return [
    'curl',
    ...(method === 'HEAD' ? [] : [String.raw`-w '\n'`]),
    ...(method === 'HEAD' ? ['-I'] : method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${quoteForShell(method)}`]),
    // A path may contain characters that curl treats as a pattern.
    ...(/[[\]{}]/.test(url) ? ['-g'] : []),
    ...headers.map(([name, value]) => `-H ${formatHeader(name, value)}`),
    ...(hasBody ? [`--data-raw ${quoteForShell(typeof body === 'string' ? body : JSON.stringify(body))}`] : []),
    quoteForShell(url),
  ]
}

export interface ControlAddress {
  /** The URL before `/__admin`. */
  readonly mockUrl: string
  readonly needsAdminToken: boolean
}

interface PreparedProject extends ControlAddress {
  readonly project: string
}

export const formatCoverageAsCurl = (coverage: Coverage, target: PreparedProject): string =>
  formatCoverageWith(
    coverage,
    '#',
    (calls) => createPreparingCurl(calls, target).join(' '),
    describeTokenVariables(createAdminCurl(target.needsAdminToken, 'GET', target.mockUrl)),
  )

export const createPreparingCurl = (calls: readonly PreparingCall[], target: PreparedProject): Curl => {
  const projectUrl = `${target.mockUrl}/__admin/projects/${encodeURIComponent(target.project)}`
  return calls.flatMap(({ method, path, body }, index) => [
    ...(index > 0 ? ['&&'] : []),
    ...createAdminCurl(target.needsAdminToken, method, projectUrl + path, body),
  ])
}

export interface StoryOptions extends PreparedProject {
  /** The base URL of a client: what precedes `/projects`. */
  readonly clientUrl: string
  /** The link to pay. Without one, the story only lists the links. */
  readonly paymentLink: string | undefined
  readonly anyToken: boolean
}

export interface StoryStep {
  readonly title: string
  readonly curl: Curl
}

export const storyQuery = { status: 'active', limit: 2 } as const

/** Prefers a link without a redirect, so that a browser that pays it stays here. */
export const pickStoryLink = (paymentLinks: readonly PaymentLinkView[]): PaymentLinkView | undefined =>
  paymentLinks.find(({ partner }) => partner?.redirectUrl == null) ?? paymentLinks[0]

/** The first story of a newcomer: list the payment links, pay one, retrieve it. Terminal, pages and README tell it. */
export const createStory = (storyOptions: StoryOptions): StoryStep[] => {
  const { clientUrl, mockUrl, paymentLink, anyToken, needsAdminToken } = storyOptions
  const path = `/projects/${encodeURIComponent(storyOptions.project)}/paymentLinks`
  const query = `status=${storyQuery.status}&limit=${storyQuery.limit}`
  const list = createClientCurl(anyToken, 'GET', `${clientUrl}${path}?${query}`)
  const listStep = { title: 'List the active payment links', curl: list }
  if (paymentLink === undefined) return [listStep]
  const linkPath = `${path}/${encodeURIComponent(paymentLink)}`
  const pay = createAdminCurl(needsAdminToken, 'POST', `${mockUrl}/__admin${linkPath}/pay`)
  const retrieve = createClientCurl(anyToken, 'GET', clientUrl + linkPath)
  return [
    listStep,
    { title: 'Pay the payment link', curl: pay },
    { title: 'Retrieve the payment link: it is completed', curl: retrieve },
  ]
}

/** Describes the variables that the commands use. Undefined without variables. */
export const describeTokenVariables = (commands: readonly string[]): string | undefined =>
  Object.entries(tokenVariables)
    .filter(([name]) => commands.some((command) => command.includes(`Bearer $${name}"`)))
    .map(([name, tokenText]) => `${name} to ${tokenText}`)
    .join(' and ') || undefined

const tokenVariables: Readonly<Record<TokenVariable, string>> = {
  TOKEN: 'a token of the mock',
  PAYLINK_MOCK_ADMIN_TOKEN: 'the admin token',
}

const formatHeader = (name: string, value: string): string => {
  const isTokenVariable = name.toLowerCase() === 'authorization' && /^Bearer \$[A-Z_]+$/.test(value)
  if (isTokenVariable) return `"${name}: ${value}"`
  return quoteForShell(value === '' ? `${name};` : `${name}: ${value}`)
}

/** Quotes a text as one word of the shell. Control characters are escaped, so that they do not reach the terminal. */
export const quoteForShell = (text: string): string => {
  if (/^[\w./:=-]+$/.test(text)) return text
  if (!shellControl.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`
  const shellEscaped = text
    .replace(/[\\']/g, String.raw`\$&`)
    .replace(
      new RegExp(shellControl, 'gu'),
      (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  return `$'${shellEscaped}'`
}

// Tabs and line ends are harmless inside quotes.
const shellControl = /[^\P{Cc}\n\t]/u
