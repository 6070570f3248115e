import {
  anyOperation,
  getSituationName,
  groupByOperation,
  isNeverCalled,
  summarizeCoverage,
} from '../core/schema/coverage-text.ts'
import { operationIds } from '../core/schema/operation-routes.ts'
import { type Change, type RecordedRequest, secretHeaders } from '../core/schema/recorded-request.ts'
import type { Coverage, CoverageItem } from '../core/schema/summaries.ts'
import { shorten } from '../core/schema/text.ts'
import { createAuthorizationHeader, createClientCurl, createCurl, createPreparingCurl } from '../core/openapi/curl.ts'
import { curlBlock, html, type Markup, variablesNote } from '../core/pages/html.ts'
import {
  badge,
  block,
  collapsed,
  definitionList,
  formatCount,
  heading,
  jsonBlock,
  maxBlock,
  text,
  time,
} from './components.ts'
import { note, table } from '../core/pages/table.ts'
import { field, select } from './fields.ts'
import { clearButton, copyButton, emptyState, searchForm, suggestion } from './forms.ts'
import {
  callScoped,
  getDashboardLink,
  getViewLink,
  type PageRequest,
  pickParams,
  type ProjectRequest,
  type View,
} from './page-request.ts'

const maxJournalRequests = 50

export const journalView: View = async (request) => {
  const { project } = request
  const filters = pickParams(request.query, ['operation', 'status'])
  const query = { ...filters, limit: String(maxJournalRequests) }
  const { items, dropped } = await callScoped(request, 'listRequests', { query })
  const fields = [
    select('operation', 'Operation', [['', 'any'], ...operationIds], { selected: filters.operation }),
    field('status', 'Status', { type: 'search', value: filters.status, pattern: '[0-9]{3}' }),
  ]
  return html`
    ${heading('Journal', project, `The newest ${maxJournalRequests} requests of clients, newest first.`)}
    <div class="bar">
      ${searchForm('journal', fields, 'Filter')} ${clearButton('journal', 'clearRequests', project)}
    </div>
    ${table({
      caption: 'Requests',
      items: items.toReversed(),
      getKey: ({ id }) => id,
      columns: {
        Request: (recorded) => {
          const path = text(shorten(recorded.path + formatQuery(recorded, (pair) => pair.join('=')), 120))
          return html`<a href="${getViewLink('request', { id: recorded.id })}"><b>${recorded.method}</b> ${path}</a>`
        },
        Status: statusBadge,
        Operation: ({ operation }) => operation ?? 'none',
        ...(project === undefined && { Project: (recorded: RecordedRequest) => text(recorded.project) }),
        Received: ({ receivedAt }) => html`<time datetime="${receivedAt}">${receivedAt.slice(11, 23)}</time>`,
        Duration: formatDuration,
        Notes: ({ fault, violations, changes }) => [
          fault !== null && badge('fault', 'bad'),
          violations.length > 0 && badge(formatCount(violations.length, 'violation'), 'bad'),
          changes.length > 0 && badge(formatCount(changes.length, 'change'), 'good'),
        ],
      },
      empty: Object.keys(filters).length === 0 ? await renderEmptyJournal(request) : 'No request matches.',
    })}
    ${dropped > 0 && note(`${formatCount(dropped, 'older request was', 'older requests were')} dropped.`)}
  `
}

const renderEmptyJournal = async ({ project = 'acme', client, clientUrl }: PageRequest): Promise<Markup> => {
  const url = `${clientUrl}/projects/${encodeURIComponent(project)}/users`
  return suggestion('No requests yet.', createClientCurl(await isAnyTokenValid(client, project), 'GET', url))
}

const isAnyTokenValid = async (client: PageRequest['client'], project: string | null): Promise<boolean> =>
  (await client.call('readTokens', { params: project === null ? {} : { project } })).items.length === 0

export const requestView: View = async (request) => {
  const recordedRequest = await callScoped(request, 'retrieveRequest', {
    params: { request: request.query.get('id') ?? '' },
  })
  const { id, method, path, operation, project, receivedAt, fault, response, query, changes, assumed } = recordedRequest
  const anyToken = await isAnyTokenValid(request.client, project)
  const curl = createRequestCurl(recordedRequest, anyToken, request.mockUrl)
  return html`
    <p><a href="#journal">The journal</a></p>
    ${heading(`${method} ${path}`, request.project)}
    ${definitionList({
      Id: html`<code>${id}</code>`,
      Status: statusBadge(recordedRequest),
      Operation: operation ?? 'none',
      Project: text(project ?? 'none'),
      Received: time(receivedAt),
      Duration: formatDuration(recordedRequest),
      Fault: fault === null ? undefined : html`<code>${fault}</code>`,
    })}
    <h2>As curl</h2>
    ${
      curl.join(' ').length > maxBlock
        ? note('The request is too long for a curl command.')
        : [curlBlock('The request', curl, copyButton), variablesNote(curl)]
    }
    <div class="cards wide">
      <section>
        <h2>Request</h2>
        ${Object.keys(query).length > 0 && [html`<h3>Query</h3>`, jsonBlock(query)]}
        ${renderMessage(recordedRequest.request)}
      </section>
      <section>
        <h2>Response</h2>
        ${response === null ? noneNote : renderMessage(response)}
      </section>
    </div>
    <h2>Changes</h2>
    ${changes.length === 0 ? noneNote : changes.map(renderChange)}
    <h2>Violations</h2>
    ${table({
      caption: 'Violations',
      items: recordedRequest.violations,
      getKey: (violation) => violation.path,
      columns: {
        Where: (violation) => text(violation.path),
        Section: ({ spec }) => spec,
        Problem: (violation) => text(violation.message),
      },
      empty: 'None.',
    })}
    <h2>Assumptions</h2>
    ${table({
      caption: 'Assumptions',
      items: Object.entries(assumed),
      getKey: ([key]) => key,
      columns: { Behavior: ([key]) => html`<code>${key}</code>`, Value: ([, value]) => String(value) },
      empty: 'None.',
    })}
  `
}

const noneNote = note('None.')

const statusBadge = ({ status }: RecordedRequest) =>
  status === null ? badge('no response', 'bad') : badge(String(status), status < 400 ? 'good' : 'bad')

const formatDuration = ({ durationMilliseconds }: RecordedRequest) => `${Math.round(durationMilliseconds)} ms`

const renderChange = ({ resource, id, from, to }: Change): Markup => html`
  <h3>${resource} <code>${id}</code> ${from === null ? 'created' : to === null ? 'deleted' : 'changed'}</h3>
  <div class="cards wide">
    ${from !== null && html`<div class="card">Before ${jsonBlock(from)}</div>`}
    ${to !== null && html`<div class="card">After ${jsonBlock(to)}</div>`}
  </div>
`

const renderMessage = ({ headers, body, truncated }: RecordedRequest['request']): Markup => html`
  <h3>Headers</h3>
  ${jsonBlock(headers)}
  <h3>Body</h3>
  ${body === null ? noneNote : typeof body === 'string' ? block(body) : jsonBlock(body)}
  ${truncated && note('The body was longer. Only its beginning was kept.')}
`

/** The journal contains no tokens, so the command gets its own. */
const createRequestCurl = (recordedRequest: RecordedRequest, anyToken: boolean, mockUrl: string): readonly string[] =>
  createCurl({
    method: recordedRequest.method,
    url: mockUrl + recordedRequest.path + formatQuery(recordedRequest, (pair) => String(new URLSearchParams([pair]))),
    headers: Object.entries(recordedRequest.request.headers)
      .filter(([name]) => name === 'authorization' || !(curlHeaders.has(name) || secretHeaders.has(name)))
      .map((header) => (header[0] === 'authorization' ? createAuthorizationHeader(anyToken) : header)),
    body: recordedRequest.request.body,
  })

const formatQuery = ({ query }: RecordedRequest, formatPair: (pair: string[]) => string): string => {
  const queryPairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value]))
  return queryPairs.length === 0 ? '' : `?${queryPairs.map(formatPair).join('&')}`
}

/** Headers that curl adds. */
const curlHeaders = new Set(
  (
    'host connection keep-alive content-length transfer-encoding expect user-agent ' +
    'accept-encoding accept-language sec-fetch-mode'
  ).split(' '),
)

export const diagnosticsView: View = async (request) => {
  const violations = await callScoped(request, 'listViolations')
  const assumptions = await callScoped(request, 'listAssumptions')
  return html`
    ${heading('Diagnostics', request.project, 'Violations of clients, and behaviors that responses depended on.')}
    <h2>Violations</h2>
    ${table({
      caption: 'Parts of requests that the specification does not allow',
      items: violations.items,
      getKey: ({ operation, path }) => `${operation} ${path}`,
      columns: {
        Where: ({ path }) => text(path),
        Section: ({ spec }) => badge(spec),
        Problem: (violation) => text(violation.message),
        Operation: ({ operation }) => operation ?? 'none',
        Count: ({ count }) => count,
        First: ({ first }) => requestLink(first),
      },
      empty: emptyState('No violations yet.', request, 'listViolations'),
    })}
    ${violations.dropped > 0 && note(`${violations.dropped} more were not kept.`)}
    <h2>Assumptions</h2>
    ${table({
      caption: 'Behaviors that responses depended on',
      items: assumptions.items,
      getKey: ({ key }) => key,
      columns: {
        Behavior: ({ key }) => html`<a href="#behaviors"><code>${key}</code></a>`,
        Value: ({ value }) => String(value),
        Responses: ({ count }) => count,
        First: ({ first }) => requestLink(first),
      },
      empty: emptyState('No response depended on a behavior.', request, 'listAssumptions'),
    })}
  `
}

export const coverageView: View = async (request) => {
  const { project } = request
  // Without a format, the coverage is data.
  const coverage = (await callScoped(request, 'readCoverage')) as Coverage
  const { items: projects } = await request.client.call('listProjects', {})
  // For all projects, the commands prepare the first one.
  const preparedProject = { ...request, project: project ?? projects[0]?.id ?? 'acme' }
  const { shown } = pickParams(request.query, ['shown'])
  const situationGroups = groupByOperation(coverage.items)
    .map((all) => ({ all, listedSituations: shown === 'never' ? all.filter(({ seen }) => seen === 0) : all }))
    .filter(({ listedSituations }) => listedSituations.length > 0)
  const shownFilter = select('shown', 'Shown', [['', 'any'], 'never'], { selected: shown })
  return html`
    ${heading('Coverage', project, `${summarizeCoverage(coverage)}.`)}
    <div class="bar">
      ${searchForm('coverage', shownFilter, 'Filter')} ${clearButton('coverage', 'clearCoverage', project)}
    </div>
    <div class="situations">
      ${situationGroups.map(({ all, listedSituations }) => {
        const name = all[0]!.operation ?? anyOperation
        const situationRows = situationTable(name, listedSituations, preparedProject)
        if (isNeverCalled(all)) return collapsed(`${name}: never called`, situationRows)
        const seen = all.filter((item) => item.seen > 0).length
        return html`<h2>${name}: ${seen} of ${all.length} shown</h2>
          ${situationRows}`
      })}
    </div>
    ${situationGroups.length === 0 && note('Clients were shown all situations.')}
  `
}

const situationTable = (operation: string, items: readonly CoverageItem[], preparedProject: ProjectRequest): Markup =>
  table({
    caption: `What ${operation} showed to clients`,
    items,
    getKey: getSituationName,
    columns: {
      Situation: ({ situation }) => situation,
      Shown: ({ seen }) => (seen === 0 ? badge('never', 'bad') : badge(formatCount(seen, 'time'), 'good')),
      Request: ({ show, sandbox, ...item }) => {
        if (item.seen === 0) {
          const curl = show && createPreparingCurl(show, preparedProject)
          return (
            curl &&
            collapsed('Show it', [curlBlock(`Show ${getSituationName(item)}`, curl, copyButton), variablesNote(curl)])
          )
        }
        const link = requestLink(item.request ?? '', sandbox && getDashboardLink(preparedProject.sandbox, sandbox))
        return html`${link}${sandbox !== undefined && html` in <code>${sandbox}</code>`}`
      },
    },
    empty: 'There is no situation.',
  })

/** Links to the first request, which may be in the journal of a sandbox. */
const requestLink = (id: string, dashboard = ''): Markup =>
  html`<a href="${dashboard}${getViewLink('request', { id })}">First request</a>`
