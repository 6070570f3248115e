import { Refusal } from '../schema/error.ts'
import { isFields } from '../schema/fields.ts'
import { quote } from '../schema/problem.ts'
import type { Entry } from '../schema/traffic.ts'
import type { ProjectControl } from './control.ts'

const shownRequests = 20
const shownRows = 10
const lineLength = 200

/** What a project has seen and what is in it, for the output of a test that failed: short, whatever happened. */
export const projectReport = async (project: ProjectControl): Promise<string> => {
  refuseNoProject(project)
  // One more than is shown tells whether there are more.
  const [summary, { items: requests, dropped }, users, links, faults] = await Promise.all([
    project.summary(),
    project.requests.list({ limit: shownRequests + 1 }),
    project.users.list({ limit: shownRows }),
    project.paymentLinks.list({ limit: shownRows }),
    project.faults.list(),
  ])
  const { revision, clock } = summary
  return [
    `Project '${project.id}', revision ${revision}, ${clock.mode} clock at ${clock.now}`,
    requests.length === 0 ? 'It was sent no request.' : 'Requests, the newest last:',
    ...(requests.length > shownRequests || dropped > 0 ? ['  (earlier ones are left out)'] : []),
    ...requests.slice(-shownRequests).flatMap(entryLines),
    ...section('Users', summary.users, users.items, ({ id, email }) => `${id} ${email}`),
    ...section('Payment links', summary.paymentLinks, links.items, ({ id, status, invoice }) =>
      [id, status, invoice].join(' '),
    ),
    ...section('Faults', faults.length, faults.slice(0, shownRows), ({ match, effect, hits }) =>
      [`hits ${hits}:`, JSON.stringify(match), JSON.stringify(effect)].join(' '),
    ),
  ]
    .map(line)
    .join('\n')
}

const refuseNoProject = (given: unknown) => {
  if (isFields(given) && typeof given.summary === 'function') return
  const message = `projectReport needs a project, such as mock.project('acme') (got ${quote(given)}).`
  throw new Refusal('invalidOptions', message)
}

const entryLines = ({ method, path, query, request, status, response, fault, violations }: Entry): string[] => {
  const refusal = refusalText(response?.body)
  return [
    `  ${method} ${path}${queryText(query)}${bodyText(request.body)}`,
    `    -> ${status ?? 'no answer'}${refusal && ` ${refusal}`}${fault === null ? '' : ` (fault ${fault})`}`,
    ...violations
      .filter(({ message }) => message !== refusal)
      .slice(0, 3)
      .map(({ spec, message }) => `    violation of ${spec}: ${message}`),
  ]
}

const section = <T>(title: string, count: number, items: readonly T[], text: (item: T) => string): string[] => {
  if (count === 0) return []
  return [
    `${title}, ${count}${items.length < count ? ` (${items.length} shown)` : ''}:`,
    ...items.map((item) => `  ${text(item)}`),
  ]
}

const queryText = (query: Entry['query']): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const bodyText = (body: unknown): string => (body === null ? '' : ` ${JSON.stringify(body)}`)

/** The sentence of an error object, or of a problem. */
const refusalText = (body: unknown): string => {
  const { message, detail } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const sentence = message ?? detail
  return typeof sentence === 'string' ? sentence : ''
}

// What clients send must not move the cursor of the terminal.
const line = (text: string): string => {
  const plain = text.replace(/\p{Cc}/gu, '?')
  return plain.length > lineLength ? `${plain.slice(0, lineLength)}...` : plain
}
