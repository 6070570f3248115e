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

/** A shell variable that contains a token. Tokens are never printed. */
type TokenVariable = 'TOKEN' | 'PAYLINK_MOCK_ADMIN_TOKEN'

/** Creates the Authorization header with the token of a shell variable. */
export const createBearerHeader = (variable: TokenVariable) => ['Authorization', `Bearer $${variable}`] as const

/** Creates the headers that every request to the mocked API needs. `anyToken` means that any token is valid. */
export const createClientHeaders = (anyToken: boolean): CurlRequest['headers'] => [
  anyToken ? ['Authorization', 'Bearer any'] : createBearerHeader('TOKEN'),
  ['Accept', 'application/json'],
]

/** Creates the headers that the control API needs. */
export const createAdminHeaders = (needsToken: boolean): CurlRequest['headers'] =>
  needsToken ? [createBearerHeader('PAYLINK_MOCK_ADMIN_TOKEN')] : []

/** Creates the header of a JSON body, if there is a body. */
export const createBodyHeaders = (body: unknown): CurlRequest['headers'] =>
  body === undefined ? [] : [['Content-type', 'application/json']]

/**
 * Returns the parts of the shell command that sends a request: each flag with its value, and the URL. It ends the line
 * after the response, since JSON has no line end.
 */
export const createCurl = ({ method, url, headers, body }: CurlRequest): readonly string[] => {
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

/** The project that shell commands prepare. */
interface PreparedProject {
  /** The URL before `/__admin`. */
  readonly mockUrl: string
  readonly project: string
  readonly needsAdminToken: boolean
}

/** Formats what clients were never shown, with shell commands that show it. */
export const formatCoverageAsCurl = (coverage: Coverage, target: PreparedProject): string =>
  formatCoverageWith(
    coverage,
    '#',
    (calls) => createPreparingCurl(calls, target).join(' '),
    describeVariables(createAdminHeaders(target.needsAdminToken).map(([name, value]) => formatHeader(name, value))),
  )

/** Returns the parts of the shell command that makes calls of the control API for a project, one after the other. */
export const createPreparingCurl = (
  calls: readonly PreparingCall[],
  { mockUrl, project, needsAdminToken }: PreparedProject,
): readonly string[] =>
  calls.flatMap(({ method, path, body }, index) => [
    ...(index > 0 ? ['&&'] : []),
    ...createCurl({
      method,
      url: `${mockUrl}/__admin/projects/${encodeURIComponent(project)}${path}`,
      headers: [...createAdminHeaders(needsAdminToken), ...createBodyHeaders(body)],
      body,
    }),
  ])

interface StoryOptions {
  /** The base URL of a client: what precedes `/projects`. */
  readonly clientUrl: string
  /** The URL before `/__admin`. */
  readonly mockUrl: string
  readonly project: string
  /** The link to pay. Without one, the story only lists the links. */
  readonly paymentLink: string | undefined
  /** Whether any token of a client is valid. */
  readonly anyToken: boolean
  readonly needsAdminToken: boolean
}

/** A step of a story: what it does, and the parts of its shell command. */
export interface StoryStep {
  readonly title: string
  readonly curl: readonly string[]
}

/** The query of the story's list. */
export const storyQuery = { status: 'active', limit: 2 } as const

/** Returns the link that the story pays: one without a redirect if possible, so that a browser that pays it stays here. */
export const pickStoryLink = (listed: readonly PaymentLinkView[]): PaymentLinkView | undefined =>
  listed.find(({ partner }) => partner?.redirectUrl == null) ?? listed[0]

/** The first story of a newcomer: list the payment links, pay one, retrieve it. Terminal, pages and README tell it. */
export const createStory = (story: StoryOptions): StoryStep[] => {
  const { clientUrl, mockUrl, paymentLink } = story
  const path = `/projects/${encodeURIComponent(story.project)}/paymentLinks`
  const headers = createClientHeaders(story.anyToken)
  const query = `status=${storyQuery.status}&limit=${storyQuery.limit}`
  const list = {
    title: 'List the active payment links',
    curl: createCurl({ method: 'GET', url: `${clientUrl}${path}?${query}`, headers }),
  }
  if (paymentLink === undefined) return [list]
  const linkPath = `${path}/${encodeURIComponent(paymentLink)}`
  return [
    list,
    {
      title: 'Pay the payment link',
      curl: createCurl({
        method: 'POST',
        url: `${mockUrl}/__admin${linkPath}/pay`,
        headers: createAdminHeaders(story.needsAdminToken),
      }),
    },
    {
      title: 'Retrieve the payment link: it is completed',
      curl: createCurl({ method: 'GET', url: clientUrl + linkPath, headers }),
    },
  ]
}

/** Describes the variables of shell commands, or of their parts, and their values. Undefined without variables. */
export const describeVariables = (commands: readonly string[]): string | undefined =>
  Object.entries(tokenVariables)
    .filter(([name]) => commands.some((text) => text.includes(`Bearer $${name}"`)))
    .map(([name, what]) => `${name} to ${what}`)
    .join(' and ') || undefined

const tokenVariables: Readonly<Record<TokenVariable, string>> = {
  TOKEN: 'a token of the mock',
  PAYLINK_MOCK_ADMIN_TOKEN: 'the admin token',
}

const formatHeader = (name: string, value: string): string => {
  const fromVariable = name.toLowerCase() === 'authorization' && /^Bearer \$[A-Z_]+$/.test(value)
  if (fromVariable) return `"${name}: ${value}"`
  return quoteForShell(value === '' ? `${name};` : `${name}: ${value}`)
}

/** Quotes a text as one word of the shell. Control characters are escaped, so that they do not reach the terminal. */
export const quoteForShell = (text: string): string => {
  if (/^[\w./:=-]+$/.test(text)) return text
  if (!control.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`
  const escaped = text
    .replace(/[\\']/g, String.raw`\$&`)
    .replace(new RegExp(control, 'gu'), (char) => String.raw`\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `$'${escaped}'`
}

// Tabs and line ends are harmless inside quotes.
const control = /[^\P{Cc}\n\t]/u
