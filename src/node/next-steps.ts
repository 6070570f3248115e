import type { Core } from '../mock.ts'
import type { Seed } from '../schema/seed.ts'
import { printable } from './log.ts'
import type { Server } from './server.ts'
import { shellWord } from './shell-word.ts'

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
  const lines = [...clientLines(core, server, wire, projects[0]?.id), resetLine(server)]
  const seeded = projects.map(({ id, users, paymentLinks }) => `${id} (${users} users, ${paymentLinks} payment links)`)
  const text = [
    '',
    `Projects: ${printable(shortened(seeded).join(', ')) || 'none yet; one comes into being on first use'}`,
    'Try:',
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
  // A token is never printed: where one is needed the line reads it from the shell.
  const bearer = tokens.length === 0 ? "-H 'Authorization: Bearer any'" : '-H "Authorization: Bearer $TOKEN"'
  const base = `${url}${basePath}/projects/${encodeURIComponent(project)}`
  const known = seed.projects?.[project]?.invoices?.find((one) => one.startsWith('inv_'))
  const invoice = known ?? (invoiceIds === 'seeded' ? undefined : 'inv_1')
  const user = { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: '12345678909' }
  const body = JSON.stringify({ invoice, type: provider, [provider]: { user } })
  const create = `curl ${bearer} -H 'Content-type: application/json' -d ${shellWord(body)} ${shellWord(`${base}/paymentLinks`)}`
  return [
    `curl ${bearer} ${shellWord(`${base}/users?limit=2`)}`,
    `curl ${bearer} ${shellWord(`${base}/paymentLinks?status=active&limit=1`)}`,
    ...(invoice === undefined ? [] : [create]),
  ]
}

const resetLine = ({ url, adminToken }: Server): string => {
  const bearer = adminToken === undefined ? '' : ' -H "Authorization: Bearer $PAYLINK_MOCK_ADMIN_TOKEN"'
  return `curl -X POST${bearer} '${url}/__admin/reset'`
}

const shortened = (texts: readonly string[]): readonly string[] =>
  texts.length > 10 ? [...texts.slice(0, 10), `and ${texts.length - 10} more`] : texts
