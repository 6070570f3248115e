import { curlBlock, html, type Markup, variablesNote } from '../html.ts'
import { operationIds } from '../../schema/operation-routes.ts'
import { shorten } from '../../schema/text.ts'
import type { Change, RecordedRequest } from '../../schema/recorded-request.ts'
import { createBearerHeader, createClientHeaders, createCurl } from '../../wire/curl.ts'
import {
  badge,
  block,
  formatCount,
  definitionList,
  heading,
  jsonBlock,
  maxBlock,
  note,
  table,
  text,
  time,
} from './components.ts'
import { clearButton, copyButton, field, searchForm, select, suggestion } from './forms.ts'
import { callScoped, getViewLink, pickParams, type PageRequest, type View } from './page-request.ts'

const maxEntries = 50

/** The requests of clients, newest first. */
export const journalView: View = async (request) => {
  const { project, query } = request
  const filters = pickParams(query, ['operation', 'status'])
  const { items, dropped } = await callScoped(request, 'listRequests', {
    query: { ...filters, limit: String(maxEntries) },
  })
  return html`
    ${heading('Journal', project, `The newest ${maxEntries} requests of clients, newest first.`)}
    <div class="bar">
      ${searchForm(
        'journal',
        html`${select('operation', 'Operation', [['', 'any'], ...operationIds], { selected: filters.operation })}
        ${field('status', 'Status', { type: 'search', value: filters.status, pattern: '[0-9]{3}' })}`,
        'Filter',
      )}
      ${clearButton('journal', 'clearRequests', project)}
    </div>
    ${table({
      caption: 'Requests',
      items: items.toReversed(),
      getKey: ({ id }) => id,
      columns: {
        Request: (entry) =>
          html`<a href="${getViewLink('request', { id: entry.id })}"
            ><b>${entry.method}</b> ${text(formatPathWithQuery(entry))}</a
          >`,
        Status: statusBadge,
        Operation: ({ operation }) => operation ?? 'none',
        ...(project === undefined && { Project: (entry: RecordedRequest) => text(entry.project ?? '') }),
        Received: ({ receivedAt }) => html`<time datetime="${receivedAt}">${receivedAt.slice(11, 23)}</time>`,
        Duration: formatDuration,
        Notes: ({ fault, violations, changes }) =>
          html`${fault !== null && badge('fault', 'bad')}
          ${violations.length > 0 && badge(formatCount(violations.length, 'violation'), 'bad')}
          ${changes.length > 0 && badge(formatCount(changes.length, 'change'), 'good')}`,
      },
      empty: Object.keys(filters).length === 0 ? await renderEmpty(request) : 'No request matches.',
    })}
    ${dropped > 0 && note(`${formatCount(dropped, 'older request was', 'older requests were')} dropped.`)}
  `
}

const renderEmpty = async ({ project = 'acme', client, clientUrl }: PageRequest): Promise<Markup> => {
  const { items: tokens } = await client.call('readTokens', { params: { project } })
  const url = `${clientUrl}/projects/${encodeURIComponent(project)}/users`
  const curl = createCurl({ method: 'GET', url, headers: createClientHeaders(tokens.length === 0) })
  return suggestion('No requests yet.', curl)
}

/** A recorded request with its response, its changes, its violations and the behavior values it depended on. */
export const requestView: View = async (request) => {
  const entry = await callScoped(request, 'retrieveRequest', { params: { request: request.query.get('id') ?? '' } })
  const { id, method, path, operation, project, receivedAt, fault, response } = entry
  return html`
    <p><a href="#journal">The journal</a></p>
    ${heading(`${method} ${path}`, request.project)}
    ${definitionList({
      Id: html`<code>${id}</code>`,
      Status: statusBadge(entry),
      Operation: operation ?? 'none',
      Project: text(project ?? 'none'),
      Received: time(receivedAt),
      Duration: formatDuration(entry),
      Fault: fault === null ? undefined : html`<code>${fault}</code>`,
    })}
    <h2>As curl</h2>
    ${curlOf(entry, request.origin)}
    <div class="cards wide">
      <section>
        <h2>Request</h2>
        ${
          Object.keys(entry.query).length > 0 &&
          html`<h3>Query</h3>
            ${jsonBlock(entry.query)}`
        }
        ${message(entry.request)}
      </section>
      <section>
        <h2>Response</h2>
        ${response === null ? none : message(response)}
      </section>
    </div>
    <h2>Changes</h2>
    ${entry.changes.length === 0 ? none : entry.changes.map(renderChange)}
    <h2>Violations</h2>
    ${table({
      caption: 'Violations',
      items: entry.violations,
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
      items: Object.entries(entry.assumed),
      getKey: ([key]) => key,
      columns: { Behavior: ([key]) => html`<code>${key}</code>`, Value: ([, value]) => String(value) },
      empty: 'None.',
    })}
  `
}

/** The path and query, shortened. */
const formatPathWithQuery = ({ path, query }: RecordedRequest): string => {
  const parameters = listPairs(query).map((pair) => pair.join('='))
  return shorten(parameters.length === 0 ? path : `${path}?${parameters.join('&')}`, 120)
}

const none = note('None.')

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

const message = ({ headers, body, truncated }: RecordedRequest['request']): Markup => html`
  <h3>Headers</h3>
  ${jsonBlock(headers)}
  <h3>Body</h3>
  ${body === null ? none : typeof body === 'string' ? block(body) : jsonBlock(body)}
  ${truncated && note('The body was longer. Only its beginning was kept.')}
`

const curlOf = (entry: RecordedRequest, origin: string): Markup => {
  const curl = createRequestCurl(entry, origin)
  if (curl.join(' ').length > maxBlock) return note('The request is too long for a curl command.')
  return html`${curlBlock('The request', curl, copyButton)} ${variablesNote(curl)}`
}

/** Creates a curl command that repeats the request. The journal has no tokens, so the command uses `$TOKEN`. */
const createRequestCurl = ({ method, path, query, request }: RecordedRequest, origin: string): readonly string[] => {
  const parameters = new URLSearchParams(listPairs(query)).toString()
  return createCurl({
    method,
    url: `${origin}${path}${parameters && `?${parameters}`}`,
    headers: Object.entries(request.headers)
      .filter(([name]) => !omittedHeaders.has(name))
      .map((header) => (header[0] === 'authorization' ? createBearerHeader('TOKEN') : header)),
    body: request.body,
  })
}

const listPairs = (query: RecordedRequest['query']): string[][] =>
  Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value]))

/** Headers that curl adds, and redacted ones. */
const omittedHeaders = new Set(
  (
    'host connection keep-alive content-length transfer-encoding expect user-agent ' +
    'accept-encoding accept-language sec-fetch-mode cookie proxy-authorization'
  ).split(' '),
)
