import type { Core } from '../mock.ts'
import type { Server } from './server.ts'

interface Wire {
  readonly basePath: string
  readonly provider: string
  readonly anyTokenServes: boolean
}

/** What to do with a mock that has just started: the projects that are there, and lines that work when pasted. */
export const nextSteps = async (core: Core, { url, adminToken }: Server, wire: Wire) => {
  const { basePath, provider, anyTokenServes } = wire
  const projects = await core.control.projects()
  const project = projects[0]?.id ?? 'demo'
  const base = `${url}${basePath}/projects/${encodeURIComponent(project)}`
  // A token is never printed: where one is needed the line reads it from the shell.
  const bearer = anyTokenServes ? "-H 'Authorization: Bearer any'" : '-H "Authorization: Bearer $TOKEN"'
  const body = JSON.stringify({ invoice: 'inv_1', type: provider, [provider]: { user: { fullName: 'Ada' } } })
  const admin = adminToken === undefined ? '' : ' -H "Authorization: Bearer $PAYLINK_MOCK_ADMIN_TOKEN"'
  const lines = [
    `curl ${bearer} '${base}/users?limit=2'`,
    `curl ${bearer} '${base}/paymentLinks?status=active&limit=1'`,
    `curl ${bearer} -H 'Content-type: application/json' -d '${body}' '${base}/paymentLinks'`,
    `curl -X POST${admin} '${url}/__admin/reset'`,
  ]
  const seeded = projects.map(({ id, users, paymentLinks }) => `${id} (${users} users, ${paymentLinks} payment links)`)
  const text = [
    '',
    `Projects: ${seeded.join(', ') || 'none yet; one comes into being on first use'}`,
    'Try:',
    ...lines.map((line) => `  ${line}`),
    `Interface: ${url}/openapi.json   Stop: Ctrl+C`,
    '',
    '',
  ].join('\n')
  return { text, fields: { url, projects: projects.map(({ id }) => id), try: lines } }
}
