import { shellQuote } from './shell-quote.ts'

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown
}

/** Variables of the shell from which a line reads a token: a token itself is never printed. */
export type TokenVariable = 'TOKEN' | 'PAYLINK_MOCK_ADMIN_TOKEN'

/** The header of a token that the line reads from a variable. */
export const bearerFrom = (variable: TokenVariable) => ['Authorization', `Bearer $${variable}`] as const

/** The headers that every request needs. Without tokens, any token is valid. */
export const clientHeaders = (anyToken: boolean): Sent['headers'] => [
  anyToken ? ['Authorization', 'Bearer any'] : bearerFrom('TOKEN'),
  ['Accept', 'application/json'],
]

/** A request as one line of the shell that works when it is pasted. */
export const curlOf = ({ method, url, headers, body }: Sent): string => {
  const hasBody = body !== undefined && body !== null
  return [
    'curl',
    ...(method === 'HEAD' ? ['-I'] : method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${shellQuote(method)}`]),
    // A path may contain characters that curl treats as a pattern.
    ...(/[[\]{}]/.test(url) ? ['-g'] : []),
    ...headers.map(([name, value]) => `-H ${headerOf(name, value)}`),
    ...(hasBody ? [`--data-raw ${shellQuote(typeof body === 'string' ? body : JSON.stringify(body))}`] : []),
    shellQuote(url),
  ].join(' ')
}

/** The line that pays a link, as its customer would. */
export const payLine = (origin: string, project: string, paymentLink: string, needsToken: boolean): string =>
  curlOf({
    method: 'POST',
    url: `${origin}/__admin/projects/${encodeURIComponent(project)}/paymentLinks/${encodeURIComponent(paymentLink)}/pay`,
    headers: needsToken ? [bearerFrom('PAYLINK_MOCK_ADMIN_TOKEN')] : [],
  })

/** The variables that lines read, and what to set them to. Undefined: the lines read none. */
export const variablesText = (lines: readonly string[]): string | undefined =>
  Object.entries(tokenVariables)
    .filter(([name]) => lines.some((line) => line.includes(`Bearer $${name}"`)))
    .map(([name, what]) => `${name} to ${what}`)
    .join(' and ') || undefined

const tokenVariables: Readonly<Record<TokenVariable, string>> = {
  TOKEN: 'a token of the mock',
  PAYLINK_MOCK_ADMIN_TOKEN: 'the admin token',
}

const headerOf = (name: string, value: string): string => {
  const fromVariable = name.toLowerCase() === 'authorization' && /^Bearer \$[A-Z_]+$/.test(value)
  if (fromVariable) return `"${name}: ${value}"`
  return shellQuote(value === '' ? `${name};` : `${name}: ${value}`)
}
