import type { PaymentLinkView } from '../schema/payment-link.ts'

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

/** Formats the shell command that sends a request. It ends the line after the response, since JSON has no line end. */
export const formatCurl = ({ method, url, headers, body }: CurlRequest): string => {
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
  ].join(' ')
}

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

/** A step of a story: what it does, and its shell command. */
export interface StoryStep {
  readonly title: string
  readonly line: string
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
    line: formatCurl({ method: 'GET', url: `${clientUrl}${path}?${query}`, headers }),
  }
  if (paymentLink === undefined) return [list]
  const linkPath = `${path}/${encodeURIComponent(paymentLink)}`
  const adminHeaders = story.needsAdminToken ? [createBearerHeader('PAYLINK_MOCK_ADMIN_TOKEN')] : []
  return [
    list,
    {
      title: 'Pay the payment link',
      line: formatCurl({ method: 'POST', url: `${mockUrl}/__admin${linkPath}/pay`, headers: adminHeaders }),
    },
    {
      title: 'Retrieve the payment link: it is completed',
      line: formatCurl({ method: 'GET', url: clientUrl + linkPath, headers }),
    },
  ]
}

/** Describes the variables of shell commands and their values. Undefined for commands without variables. */
export const describeVariables = (lines: readonly string[]): string | undefined =>
  Object.entries(tokenVariables)
    .filter(([name]) => lines.some((line) => line.includes(`Bearer $${name}"`)))
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
