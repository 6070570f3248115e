import type { Server } from '../../listen.ts'
import type { Core } from '../../mock.ts'
import { amountText } from '../../schema/problem.ts'
import type { Seed } from '../../schema/seed.ts'
import { bearerFrom, clientHeaders, curlOf, payLine, variablesText } from '../../wire/curl.ts'
import { jsonLine, printable } from '../log.ts'
import type { LogFormat, Settings } from '../settings.ts'

/** The options that determine how a client calls the mock. */
type ClientOptions = Pick<Settings['mock'], 'basePath' | 'provider' | 'tokens'> & { readonly seed: Seed }

/** Returns what to do after the start: the projects, and commands that work when pasted. */
export const nextSteps = async (core: Core, server: Server, options: ClientOptions) => {
  const projects = await core.control.projects()
  const first = projects[0]?.id
  const lines = [...clientLines(core, server, options, first), ...(await controlLines(core, server, first))]
  const variables = variablesText(lines)
  const names = projects
    .slice(0, 10)
    .map(
      ({ id, users, paymentLinks }) =>
        `${id} (${amountText(users, 'user')}, ${amountText(paymentLinks, 'payment link')})`,
    )
  if (projects.length > 10) names.push(`and ${projects.length - 10} more`)
  const text = [
    '',
    `Projects: ${printable(names.join(', ')) || 'none yet; one comes into being on first use'}`,
    variables === undefined ? 'Try:' : `Try (set ${variables} first):`,
    ...lines.map((line) => `  ${line}`),
    `Dashboard: ${server.url}/__admin/   Interface: ${server.url}/docs   Stop: Ctrl+C`,
    '',
    '',
  ].join('\n')
  return { text, fields: { url: server.url, projects: projects.map(({ id }) => id), try: lines } }
}

const clientLines = (
  core: Core,
  { url }: Server,
  { seed, basePath = '', provider = 'partner', tokens }: ClientOptions,
  firstProject: string | undefined,
): string[] => {
  const project = firstProject ?? 'demo'
  const { unknownProject, invoiceIds } = core.behaviorsOf(project)
  if (firstProject === undefined && unknownProject === 'notFound') return []
  const headers = clientHeaders((tokens ?? seed.tokens ?? []).length === 0)
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

/** Returns calls of the control API: a payment, if the first project has an active link, and a reset. */
const controlLines = async (
  { control }: Core,
  { url, adminToken }: Server,
  project: string | undefined,
): Promise<string[]> => {
  const needsToken = adminToken !== undefined
  const headers = needsToken ? [bearerFrom('PAYLINK_MOCK_ADMIN_TOKEN')] : []
  const reset = curlOf({ method: 'POST', url: `${url}/__admin/reset`, headers })
  if (project === undefined) return [reset]
  const { items } = await control.project(project).paymentLinks.list({ status: 'active', limit: 1 })
  return [...items.map((link) => payLine(url, project, link.id, needsToken)), reset]
}

/** A random token is printed even with `--log silent`: there is no other way to learn it. */
export const tokenText = (token: string, format: LogFormat): string => {
  const variable = 'PAYLINK_MOCK_ADMIN_TOKEN'
  if (format === 'json') return `${jsonLine({ event: 'adminToken', variable, token })}\n`
  return `Admin token for this run (set ${variable} to choose one): ${token}\n`
}
