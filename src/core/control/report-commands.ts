import * as z from 'zod/mini'
import { listPage } from '../domain/pagination.ts'
import { listPaymentLinks } from '../domain/payment-links.ts'
import type { Fault } from '../schema/fault.ts'
import { isRecord } from '../schema/json-value.ts'
import { MockEvent, type ProjectReport, type RecordedRequest, Report } from '../schema/recorded-request.ts'
import { shorten, toPrintable } from '../schema/text.ts'
import { described } from '../schema/zod-helpers.ts'
import { toRecordedRequest } from '../traffic/journal.ts'
import { type Caller, type CommandContext, defineCommand } from './command.ts'
import { createLinkView } from './record-commands.ts'

export const reportCommands = {
  report: defineCommand('both', 'GET', '/report', 'Report what happened', {
    description:
      'The last requests, records and faults of a project, or of the ten projects that were used last, as text.',
    query: z.object({ format: described(z.optional(z.enum(['text', 'json'])), 'Default: `text`.') }),
    response: Report,
    text: z.string(),
  }).handle((mock, { project, query, origin }) => {
    const projectNames = project === undefined ? listRecentProjects(mock) : [project]
    const projects = projectNames.map((name) => createProjectReport(mock, name, origin))
    if (query.format === 'json') return { object: 'report', projects }
    return projects.map((report) => formatProjectReport(mock, report)).join('\n\n') || 'There is no project.'
  }),

  events: defineCommand('both', 'GET', '/events', 'Stream events', {
    description: 'Sends server-sent events.',
    event: MockEvent,
  }).handle(({ traffic }, { project, lastEvent, onEnd, onBehind }) =>
    traffic.events.follow({ project, after: lastEvent, onEnd, ...(onBehind && { onBehind }) }),
  ),
}

const maxReportProjects = 10
const maxReportRequests = 20
const maxReportRecords = 10
const maxReportLine = 200

/** The most recently used project comes first. Projects without a recorded request come last. */
const listRecentProjects = ({ store, traffic }: CommandContext): readonly string[] => {
  const usedProjects = traffic.journal.list().map(({ project }) => project)
  const projectNames = new Set([...usedProjects.toReversed(), ...store.projects.listNames()])
  return [...projectNames].filter((name) => name !== '').slice(0, maxReportProjects)
}

const createProjectReport = (mock: CommandContext, project: string, origin: Caller['origin']): ProjectReport => {
  const { store, traffic } = mock
  const paymentLinkPage = store.read(project, (tx) => listPaymentLinks(tx, { limit: maxReportRecords }))
  return {
    summary: store.projects.summarize(project),
    requests: traffic.journal.list(project).slice(-maxReportRequests).map(toRecordedRequest),
    users: [...store.read(project, (tx) => listPage(tx, 'users', { limit: maxReportRecords })).items],
    paymentLinks: paymentLinkPage.items.map((link) => createLinkView(mock, { project, origin }, link)),
    faults: traffic.faults.list().filter((fault) => fault.project === null || fault.project === project),
  }
}

const formatProjectReport = (mock: CommandContext, report: ProjectReport): string => {
  const { summary, requests, users, paymentLinks, faults } = report
  const { id, revision, clock } = summary
  const { journal } = mock.traffic
  const hasEarlierRequests = journal.countDropped(id) > 0 || journal.list(id).length > maxReportRequests
  const userLines = users.map((user) => `${user.id} ${user.email}`)
  // A fault for all projects also applies to requests of this project.
  const effectTexts = new Map(mock.traffic.faults.list().map((fault) => [fault.id, formatEffect(fault)]))
  const scheduledPayments = mock.store.read(id, ({ state }) => state.scheduledPayments)
  const linkLines = paymentLinks.map((link) => {
    const payments = scheduledPayments.filter(({ paymentLink }) => paymentLink === link.id)
    const paymentTexts = payments.map(({ outcome, when }) => `, ${outcome} scheduled ${JSON.stringify(when)}`)
    return `${link.id} ${link.status} ${link.invoice}${paymentTexts.join('')}`
  })
  return [
    `Project '${id}', revision ${revision}, ${clock.mode} clock at ${clock.now}`,
    requests.length === 0 ? 'It received no request.' : 'Requests, the newest last:',
    ...(hasEarlierRequests ? ['  (earlier ones are left out)'] : []),
    ...requests.flatMap((request) => formatRequest(request, effectTexts)),
    ...formatSection('Users', summary.users, userLines),
    ...formatSection('Payment links', summary.paymentLinks, linkLines),
    ...formatSection('Faults', faults.length, faults.slice(0, maxReportRecords).map(formatFault)),
  ]
    .map((line) => shorten(toPrintable(line), maxReportLine))
    .join('\n')
}

const formatRequest = (recordedRequest: RecordedRequest, effectTexts: ReadonlyMap<string, string>): string[] => {
  const { method, path, query, request, status, response, fault, violations } = recordedRequest
  const body = request.body === null ? '' : ` ${JSON.stringify(request.body)}`
  const error = getErrorMessage(response?.body)
  const effectText = fault === null ? '' : ` (${[effectTexts.get(fault) ?? [], `fault ${fault}`].flat().join(', ')})`
  return [
    `  ${method} ${path}${formatQuery(query)}${body}`,
    `    -> ${status ?? 'no response'}${error && ` ${error}`}${effectText}`,
    ...violations
      .filter(({ message }) => message !== error)
      .slice(0, 3)
      .map(({ spec, message }) => `    violation of ${spec}: ${message}`),
  ]
}

const formatSection = (title: string, count: number, lines: readonly string[]): string[] => {
  const shownText = lines.length < count ? ` (${lines.length} shown)` : ''
  return count === 0 ? [] : [`${title}, ${count}${shownText}:`, ...lines.map((line) => `  ${line}`)]
}

const formatFault = (fault: Fault): string => {
  const scopeText = fault.project === null ? ', for all projects' : ''
  const matchText = fault.match === undefined ? 'any request' : JSON.stringify(fault.match)
  return `${fault.id}${scopeText}, hits ${fault.hits}, ${formatEffect(fault)}: ${matchText} ${JSON.stringify(fault.effect)}`
}

/** For example `reset after the operation`. The phase matters only for four effects. */
const formatEffect = ({ effect, phase = 'before' }: Fault): string => {
  const { headers: _, body: __, ...effectParts } = effect
  const effectNames = Object.entries(effectParts).map(([name, value]) => {
    if (name === 'status') return `status ${effect.status}`
    return typeof value === 'string' ? value : name
  })
  const hasPhase = ['status', 'connection', 'delay', 'hold'].some((name) => name in effectParts)
  return `${effectNames.join(' and ')}${hasPhase ? ` ${phase} the operation` : ''}`
}

const formatQuery = (query: RecordedRequest['query']): string => {
  const queryPairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`))
  return queryPairs.length === 0 ? '' : `?${queryPairs.join('&')}`
}

const getErrorMessage = (body: unknown): string => {
  if (!isRecord(body)) return ''
  const errorText = body.message ?? body.detail
  return typeof errorText === 'string' ? errorText : ''
}
