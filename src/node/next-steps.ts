import type { Server } from '../listen.ts'
import type { Core } from '../mock.ts'
import { amountText } from '../schema/problem.ts'
import type { Seed } from '../schema/seed.ts'
import { bearerFrom, clientHeaders, curlOf, payLine, variablesText } from '../wire/curl.ts'
import { printable } from './log.ts'

/** What decides how a client has to call. */
interface Wire {
  readonly seed: Pick<Seed, 'projects' | 'tokens'>
  readonly basePath?: string | undefined
  readonly provider?: string | undefined
  readonly tokens?: readonly unknown[] | undefined
}

/** What to do with a mock that has just started: the projects that are there, and lines that work when pasted. */
export const nextSteps = async (core: Core, server: Server, wire: Wire) => {
  const projects = await core.control.projects()
  const first = projects[0]?.id
  const lines = [...clientLines(core, server, wire, first), ...(await controlLines(core, server, first))]
  const variables = variablesText(lines)
  const seeded = projects.map(
    ({ id, users, paymentLinks }) =>
      `${id} (${amountText(users, 'user')}, ${amountText(paymentLinks, 'payment link')})`,
  )
  const text = [
    '',
    `Projects: ${printable(shortened(seeded).join(', ')) || 'none yet; one comes into being on first use'}`,
    variables === undefined ? 'Try:' : `Try (set ${variables} first):`,
    ...lines.map((line) => `  ${line}`),
    `Dashboard: ${server.url}/__admin/   Interface: ${server.url}/docs   Stop: Ctrl+C`,
    '',
    '',
  ].join('\n')
  return { text, fields: { url: server.url, projects: projects.map(({ id }) => id), try: lines } }
}

const clientLines = (core: Core, { url }: Server, wire: Wire, seeded: string | undefined): string[] => {
  const { seed, basePath = '', provider = 'partner', tokens = seed.tokens ?? [] } = wire
  const project = seeded ?? 'demo'
  const { unknownProject, invoiceIds } = core.behaviorsOf(project)
  if (seeded === undefined && unknownProject === 'notFound') return []
  const headers = clientHeaders(tokens.length === 0)
  const base = `${url}${basePath}/projects/${encodeURIComponent(project)}`
  const known = seed.projects?.[project]?.invoices?.find((one) => one.startsWith('inv_'))
  const invoice = known ?? (invoiceIds === 'seeded' ? undefined : 'inv_1')
  const user = { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: '12345678909' }
  const create = {
    method: 'POST',
    url: `${base}/paymentLinks`,
    headers: [...headers, ['Content-type', 'application/json'] as const],
    body: { invoice, type: provider, [provider]: { user } },
  }
  return [
    curlOf({ method: 'GET', url: `${base}/users?limit=2`, headers }),
    curlOf({ method: 'GET', url: `${base}/paymentLinks?status=active&limit=1`, headers }),
    ...(invoice === undefined ? [] : [curlOf(create)]),
  ]
}

/** Lines that call the control API: a payment of the first project, where a link can be paid, and a reset. */
const controlLines = async (
  { control }: Core,
  { url, adminToken }: Server,
  project: string | undefined,
): Promise<string[]> => {
  const needsToken = adminToken !== undefined
  const pay = async (id: string) => {
    const { items } = await control.project(id).paymentLinks.list({ status: 'active', limit: 1 })
    return items.map((link) => payLine(url, id, link.id, needsToken))
  }
  const headers = needsToken ? [bearerFrom('PAYLINK_MOCK_ADMIN_TOKEN')] : []
  return [
    ...(project === undefined ? [] : await pay(project)),
    curlOf({ method: 'POST', url: `${url}/__admin/reset`, headers }),
  ]
}

const shortened = (texts: readonly string[]): readonly string[] =>
  texts.length > 10 ? [...texts.slice(0, 10), `and ${texts.length - 10} more`] : texts
