import { MockError } from '../schema/error.ts'
import type { Fault } from '../schema/fault.ts'
import { type Fields, isRecord } from '../schema/is-record.ts'
import { quote, shortened } from '../schema/problem.ts'
import type { RecordedRequest } from '../schema/traffic.ts'
import { requireString } from './check-arguments.ts'
import type { ProjectControl } from './control.ts'

/** The base URL of the mocked API, without a slash at the end. */
export const serviceUrlOf = (url: string, basePath = ''): string =>
  [url, basePath].map((part) => part.replace(/\/+$/, '')).join('')

/**
 * Returns a project id for one test, made from the names of its file, its suites and itself. It is the same in every run
 * and on every machine, and differs if a name differs.
 */
export const projectIdFor = (...names: readonly string[]): string => {
  for (const name of names) requireString('projectIdFor: a name', name)
  const readable = (names.at(-1) ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return `${readable.slice(0, 40).replace(/^-+|-+$/g, '') || 'test'}-${digest(JSON.stringify(names))}`
}

/** A 64-bit hash in base 36: FNV-1a with two offsets and a final mix. */
const digest = (text: string): string =>
  [0x811c9dc5, 0x9e3779b9]
    .map((offset, lane) => {
      let state = offset
      for (let i = 0; i < text.length; i++) state = Math.imul(state ^ (text.charCodeAt(i) + lane), 0x01000193)
      return (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0).toString(36).padStart(7, '0')
    })
    .join('')

const maxRequests = 20
const maxRecords = 10
const maxLine = 200

/**
 * Summarizes a project for the output of a failed test: its last requests, records and faults. The text stays short.
 *
 * @throws MockError `invalidOptions` if the argument is not a project
 */
export const formatProject = async (project: ProjectControl): Promise<string> => {
  requireProject(project)
  // One extra request shows whether there are earlier ones.
  const [summary, { items: requests, dropped }, users, links, faults] = await Promise.all([
    project.summary(),
    project.requests.list({ limit: maxRequests + 1 }),
    project.users.list({ limit: maxRecords }),
    project.paymentLinks.list({ limit: maxRecords }),
    project.faults.list(),
  ])
  const { revision, clock } = summary
  const userLines = users.items.map(({ id, email }) => `${id} ${email}`)
  const linkLines = links.items.map(({ id, status, invoice }) => `${id} ${status} ${invoice}`)
  return [
    `Project '${project.id}', revision ${revision}, ${clock.mode} clock at ${clock.now}`,
    requests.length === 0 ? 'It was sent no request.' : 'Requests, the newest last:',
    ...(requests.length > maxRequests || dropped > 0 ? ['  (earlier ones are left out)'] : []),
    ...requests.slice(-maxRequests).flatMap(entryLines),
    ...section('Users', summary.users, userLines),
    ...section('Payment links', summary.paymentLinks, linkLines),
    ...section('Faults', faults.length, faults.slice(0, maxRecords).map(faultLine)),
  ]
    .map(line)
    .join('\n')
}

const requireProject = (given: unknown) => {
  if (isRecord(given) && typeof given.summary === 'function') return
  const message = `formatProject needs a project, such as mock.project('acme') (got ${quote(given)}).`
  throw new MockError('invalidOptions', message)
}

const entryLines = ({
  method,
  path,
  query,
  request,
  status,
  response,
  fault,
  violations,
}: RecordedRequest): string[] => {
  const refusal = errorText(response?.body)
  return [
    `  ${method} ${path}${queryText(query)}${bodyText(request.body)}`,
    `    -> ${status ?? 'no answer'}${refusal && ` ${refusal}`}${fault === null ? '' : ` (fault ${fault})`}`,
    ...violations
      .filter(({ message }) => message !== refusal)
      .slice(0, 3)
      .map(({ spec, message }) => `    violation of ${spec}: ${message}`),
  ]
}

const section = (title: string, count: number, lines: readonly string[]): string[] => {
  const shown = lines.length < count ? ` (${lines.length} shown)` : ''
  return count === 0 ? [] : [`${title}, ${count}${shown}:`, ...lines.map((one) => `  ${one}`)]
}

const faultLine = ({ match, effect, hits }: Fault): string =>
  [`hits ${hits}:`, JSON.stringify(match), JSON.stringify(effect)].join(' ')

const queryText = (query: RecordedRequest['query']): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const bodyText = (body: unknown): string => (body === null ? '' : ` ${JSON.stringify(body)}`)

/** The message of an error object, or the detail of a problem document. */
const errorText = (body: unknown): string => {
  const { message, detail }: Fields = isRecord(body) ? body : {}
  const sentence = message ?? detail
  return typeof sentence === 'string' ? sentence : ''
}

// Control characters from clients must not move the cursor of the terminal.
const line = (text: string): string => shortened(text.replace(/\p{Cc}/gu, '?'), maxLine)
