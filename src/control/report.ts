import { listPaymentLinks } from '../domain/payment-links.ts'
import { listPage } from '../domain/pagination.ts'
import type { Fault } from '../schema/fault.ts'
import { isRecord } from '../schema/json-value.ts'
import { shorten, toPrintable } from '../schema/text.ts'
import type { ProjectReport, RecordedRequest, Report } from '../schema/recorded-request.ts'
import { toRecordedRequest } from '../traffic/journal.ts'
import type { ControlOptions } from './handlers.ts'
import { formatPaymentUrl } from '../domain/kinds.ts'

/** The project of a call, and the origin of the payment URLs in its response. */
type ReportCall = { readonly project?: string | undefined; readonly origin: string | undefined }

const maxProjects = 10
const maxRequests = 20
const maxRecords = 10
const maxLine = 200

/** Creates the report of a project, or of the projects that were used last. */
export const createReport = (options: ControlOptions, { project, origin }: ReportCall): Report => {
  const names = project === undefined ? listRecentProjects(options) : [project]
  return { object: 'report', projects: names.map((name) => createProjectReport(options, name, origin)) }
}

/** Formats the report as text for the output of a failed test, with short lines. */
export const formatReport = (options: ControlOptions, call: ReportCall): string =>
  createReport(options, call)
    .projects.map((report) => formatProjectReport(report, hasEarlier(options, report.summary.id)))
    .join('\n\n') || 'There is no project.'

/** Lists the most recently used projects first. Projects without a recorded request come last. */
const listRecentProjects = ({ store, traffic }: ControlOptions): readonly string[] => {
  const used = traffic.journal.list().map(({ project }) => project)
  const names = new Set([...used.toReversed(), ...store.projects.listNames()])
  return [...names].filter((name) => name !== '').slice(0, maxProjects)
}

const hasEarlier = ({ traffic: { journal } }: ControlOptions, project: string): boolean =>
  journal.countDropped(project) > 0 || journal.list(project).length > maxRequests

const createProjectReport = (
  { store, traffic, payUrl }: ControlOptions,
  project: string,
  origin: string | undefined,
): ProjectReport => ({
  summary: store.projects.summarize(project),
  requests: traffic.journal.list(project).slice(-maxRequests).map(toRecordedRequest),
  users: [...store.read(project, (tx) => listPage(tx, 'users', { limit: maxRecords })).items],
  paymentLinks: store
    .read(project, (tx) => listPaymentLinks(tx, { limit: maxRecords }))
    .items.map((link) => ({ ...link, paymentUrl: formatPaymentUrl(payUrl(project, origin), link) })),
  faults: traffic.faults.list(project),
})

const formatProjectReport = (report: ProjectReport, isCut: boolean): string => {
  const { summary, requests, users, paymentLinks, faults } = report
  const { id, revision, clock } = summary
  const userLines = users.map((user) => `${user.id} ${user.email}`)
  const linkLines = paymentLinks.map((link) => `${link.id} ${link.status} ${link.invoice}`)
  return [
    `Project '${id}', revision ${revision}, ${clock.mode} clock at ${clock.now}`,
    requests.length === 0 ? 'It received no request.' : 'Requests, the newest last:',
    ...(isCut ? ['  (earlier ones are left out)'] : []),
    ...requests.flatMap(formatRequest),
    ...formatSection('Users', summary.users, userLines),
    ...formatSection('Payment links', summary.paymentLinks, linkLines),
    ...formatSection('Faults', faults.length, faults.slice(0, maxRecords).map(formatFault)),
  ]
    .map((line) => shorten(toPrintable(line), maxLine))
    .join('\n')
}

const formatRequest = (recorded: RecordedRequest): string[] => {
  const { method, path, query, request, status, response, fault, violations } = recorded
  const error = getErrorMessage(response?.body)
  return [
    `  ${method} ${path}${formatQuery(query)}${formatBody(request.body)}`,
    `    -> ${status ?? 'no response'}${error && ` ${error}`}${fault === null ? '' : ` (fault ${fault})`}`,
    ...violations
      .filter(({ message }) => message !== error)
      .slice(0, 3)
      .map(({ spec, message }) => `    violation of ${spec}: ${message}`),
  ]
}

const formatSection = (title: string, count: number, lines: readonly string[]): string[] => {
  const shown = lines.length < count ? ` (${lines.length} shown)` : ''
  return count === 0 ? [] : [`${title}, ${count}${shown}:`, ...lines.map((line) => `  ${line}`)]
}

const formatFault = ({ match, effect, hits }: Fault): string =>
  [`hits ${hits}:`, JSON.stringify(match), JSON.stringify(effect)].join(' ')

const formatQuery = (query: RecordedRequest['query']): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const formatBody = (body: unknown): string => (body === null ? '' : ` ${JSON.stringify(body)}`)

/** Returns the message of an error object, or the detail of a problem document. */
const getErrorMessage = (body: unknown): string => {
  if (!isRecord(body)) return ''
  const sentence = body.message ?? body.detail
  return typeof sentence === 'string' ? sentence : ''
}
