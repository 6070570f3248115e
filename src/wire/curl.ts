interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown
}

/** A shell variable that contains a token. Tokens are never printed. */
export type TokenVariable = 'TOKEN' | 'PAYLINK_MOCK_ADMIN_TOKEN'

/** Creates the Authorization header with the token of a shell variable. */
export const createBearerHeader = (variable: TokenVariable) => ['Authorization', `Bearer $${variable}`] as const

/** Creates the headers that every request to the mocked API needs. `anyToken` means that any token is valid. */
export const createClientHeaders = (anyToken: boolean): CurlRequest['headers'] => [
  anyToken ? ['Authorization', 'Bearer any'] : createBearerHeader('TOKEN'),
  ['Accept', 'application/json'],
]

/** Formats the shell command that sends a request. */
export const formatCurl = ({ method, url, headers, body }: CurlRequest): string => {
  const hasBody = body !== undefined && body !== null
  return [
    'curl',
    ...(method === 'HEAD' ? ['-I'] : method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${quoteForShell(method)}`]),
    // A path may contain characters that curl treats as a pattern.
    ...(/[[\]{}]/.test(url) ? ['-g'] : []),
    ...headers.map(([name, value]) => `-H ${formatHeader(name, value)}`),
    ...(hasBody ? [`--data-raw ${quoteForShell(typeof body === 'string' ? body : JSON.stringify(body))}`] : []),
    quoteForShell(url),
  ].join(' ')
}

/** Formats the shell command that pays a link. */
export const formatPayCommand = (origin: string, project: string, paymentLink: string, needsToken: boolean): string =>
  formatCurl({
    method: 'POST',
    url: `${origin}/__admin/projects/${encodeURIComponent(project)}/paymentLinks/${encodeURIComponent(paymentLink)}/pay`,
    headers: needsToken ? [createBearerHeader('PAYLINK_MOCK_ADMIN_TOKEN')] : [],
  })

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
