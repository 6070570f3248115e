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
import { addPaymentUrl } from './record-commands.ts'

/** The commands that report events: a report of the end, and a stream. */
export const reportCommands = {
  report: defineCommand('both', 'GET', '/report', 'Report what happened', {
    description:
      'The last requests, records and faults of a project, or of the ten projects that were used last, as text.',
    query: z.object({ format: described(z.optional(z.enum(['text', 'json'])), 'Default: `text`.') }),
    response: Report,
    text: z.string(),
  }).handle((mock, { project, query, origin }) => {
    const names = project === undefined ? listRecentProjects(mock) : [project]
    const projects = names.map((name) => createProjectReport(mock, name, origin))
    return query.format === 'json' ? { object: 'report', projects } : formatReport(mock, projects)
  }),

  events: defineCommand('both', 'GET', '/events', 'Stream events', {
    description: 'Sends server-sent events.',
    event: MockEvent,
  }).handle(({ traffic }, { project, lastEvent, onEnd, onBehind }) =>
    traffic.events.follow({ project, after: lastEvent, onEnd, ...(onBehind && { onBehind }) }),
  ),
}

const maxProjects = 10
const maxRequests = 20
const maxRecords = 10
const maxLine = 200

/** Formats reports as text for the output of a failed test, with short lines. */
const formatReport = (mock: CommandContext, projects: readonly ProjectReport[]): string =>
  projects.map((report) => formatProjectReport(mock, report)).join('\n\n') || 'There is no project.'

/** Lists the most recently used projects first. Projects without a recorded request come last. */
const listRecentProjects = ({ store, traffic }: CommandContext): readonly string[] => {
  const used = traffic.journal.list().map(({ project }) => project)
  const names = new Set([...used.toReversed(), ...store.projects.listNames()])
  return [...names].filter((name) => name !== '').slice(0, maxProjects)
}

const hasEarlier = ({ traffic: { journal } }: CommandContext, project: string): boolean =>
  journal.countDropped(project) > 0 || journal.list(project).length > maxRequests

const createProjectReport = (mock: CommandContext, project: string, origin: Caller['origin']): ProjectReport => {
  const { store, traffic } = mock
  const links = store.read(project, (tx) => listPaymentLinks(tx, { limit: maxRecords }))
  return {
    summary: store.projects.summarize(project),
    requests: traffic.journal.list(project).slice(-maxRequests).map(toRecordedRequest),
    users: [...store.read(project, (tx) => listPage(tx, 'users', { limit: maxRecords })).items],
    paymentLinks: links.items.map((link) => addPaymentUrl(mock, { project, origin }, link)),
    faults: traffic.faults.list().filter((fault) => fault.project === null || fault.project === project),
  }
}

const formatProjectReport = (mock: CommandContext, report: ProjectReport): string => {
  const { summary, requests, users, paymentLinks, faults } = report
  const { id, revision, clock } = summary
  const userLines = users.map((user) => `${user.id} ${user.email}`)
  // A fault for all projects applies to those of this one, too.
  const effects = new Map(mock.traffic.faults.list().map((fault) => [fault.id, formatEffect(fault)]))
  const scheduled = mock.store.read(id, ({ state }) => state.scheduledPayments)
  const linkLines = paymentLinks.map((link) => {
    const payments = scheduled.filter(({ paymentLink }) => paymentLink === link.id)
    const due = payments.map(({ outcome, when }) => `, ${outcome} scheduled ${JSON.stringify(when)}`)
    return `${link.id} ${link.status} ${link.invoice}${due.join('')}`
  })
  return [
    `Project '${id}', revision ${revision}, ${clock.mode} clock at ${clock.now}`,
    requests.length === 0 ? 'It received no request.' : 'Requests, the newest last:',
    ...(hasEarlier(mock, id) ? ['  (earlier ones are left out)'] : []),
    ...requests.flatMap((recorded) => formatRequest(recorded, effects)),
    ...formatSection('Users', summary.users, userLines),
    ...formatSection('Payment links', summary.paymentLinks, linkLines),
    ...formatSection('Faults', faults.length, faults.slice(0, maxRecords).map(formatFault)),
  ]
    .map((line) => shorten(toPrintable(line), maxLine))
    .join('\n')
}

const formatRequest = (recorded: RecordedRequest, effects: ReadonlyMap<string, string>): string[] => {
  const { method, path, query, request, status, response, fault, violations } = recorded
  const body = request.body === null ? '' : ` ${JSON.stringify(request.body)}`
  const error = getErrorMessage(response?.body)
  const effect = fault === null ? '' : ` (${[effects.get(fault) ?? [], `fault ${fault}`].flat().join(', ')})`
  return [
    `  ${method} ${path}${formatQuery(query)}${body}`,
    `    -> ${status ?? 'no response'}${error && ` ${error}`}${effect}`,
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

const formatFault = (fault: Fault): string => {
  const scope = fault.project === null ? ', for all projects' : ''
  const match = fault.match === undefined ? 'any request' : JSON.stringify(fault.match)
  return `${fault.id}${scope}, hits ${fault.hits}, ${formatEffect(fault)}: ${match} ${JSON.stringify(fault.effect)}`
}

/** Formats an effect, such as `reset after the operation`. The phase does not matter for effects besides these four. */
const formatEffect = ({ effect, phase = 'before' }: Fault): string => {
  const { headers: _, body: __, ...parts } = effect
  const names = Object.entries(parts).map(([name, value]) => {
    if (name === 'status') return `status ${effect.status}`
    return typeof value === 'string' ? value : name
  })
  const hasPhase = ['status', 'connection', 'delay', 'hold'].some((name) => name in parts)
  return `${names.join(' and ')}${hasPhase ? ` ${phase} the operation` : ''}`
}

const formatQuery = (query: RecordedRequest['query']): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Returns the message of an error object, or the detail of a problem document. */
const getErrorMessage = (body: unknown): string => {
  if (!isRecord(body)) return ''
  const sentence = body.message ?? body.detail
  return typeof sentence === 'string' ? sentence : ''
}
