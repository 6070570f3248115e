import { html, type Markup, variablesNote } from '../html.ts'
import type { Change, RecordedRequest } from '../../schema/traffic.ts'
import { bearerFrom, curlOf } from '../../wire/curl.ts'
import { block, definitionList, heading, json, maxBlock, table, text, time } from './components.ts'
import { statusBadge } from './journal.ts'
import { callScoped, type View } from './page-request.ts'

/** A recorded request with its response, its changes, its violations and the behavior values it depended on. */
export const recordedRequest: View = async (request) => {
  const entry = await callScoped(request, 'retrieveRequest', { params: { request: request.query.get('id') ?? '' } })
  const { id, method, path, status, operation, project, receivedAt, durationMilliseconds, fault } = entry
  return html`
    <p><a href="#journal">The journal</a></p>
    ${heading(`${method} ${path}`, request.project)}
    ${definitionList([
      ['Id', html`<code>${id}</code>`],
      ['Status', statusBadge(status)],
      ['Operation', operation ?? 'none'],
      ['Project', text(project ?? 'none')],
      ['Received', html`${time(receivedAt)}, and took ${Math.round(durationMilliseconds)} ms`],
      ['Fault', fault === null ? undefined : html`<code>${fault}</code>`],
    ])}
    <h2>As curl</h2>
    ${curlBlock(curlFor(entry, request.origin))}
    <div class="cards wide">
      <section>${message('Request', { ...entry.request, query: entry.query })}</section>
      <section>
        ${
          entry.response === null
            ? html`<h2>Response</h2>
                ${none}`
            : message('Response', entry.response)
        }
      </section>
    </div>
    <h2>Changes</h2>
    ${entry.changes.length === 0 ? html`<p class="none">It changed nothing.</p>` : entry.changes.map(changeOf)}
    <h2>Violations</h2>
    ${table({
      caption: 'Violations',
      head: ['Where', 'Section', 'What is wrong'],
      rows: entry.violations.map((one) => ({ key: one.path, cells: [text(one.path), one.spec, text(one.message)] })),
      none: 'None.',
    })}
    <h2>Assumptions</h2>
    ${table({
      caption: 'Assumptions',
      head: ['Behavior', 'Reading'],
      rows: Object.entries(entry.assumed).map(([key, value]) => ({
        key,
        cells: [html`<code>${key}</code>`, String(value)],
      })),
      none: 'None.',
    })}
  `
}

const changeOf = ({ resource, id, from, to }: Change): Markup => html`
  <h3>${resource} <code>${id}</code> ${from === null ? 'came to be' : to === null ? 'is gone' : ''}</h3>
  <div class="cards wide">
    ${from !== null && html`<div class="card">Before ${json(from)}</div>`}
    ${to !== null && html`<div class="card">After ${json(to)}</div>`}
  </div>
`

interface Message extends Pick<RecordedRequest['request'], 'headers' | 'body' | 'truncated'> {
  readonly query?: RecordedRequest['query']
}

const message = (title: string, { headers, body, truncated, query = {} }: Message): Markup => html`
  <h2>${title}</h2>
  ${
    Object.keys(query).length > 0 &&
    html`<h3>Query</h3>
      ${json(query)}`
  }
  <h3>Headers</h3>
  ${json(headers)}
  <h3>Body</h3>
  ${body === null ? none : typeof body === 'string' ? block(body) : json(body)}
  ${truncated && html`<p class="none">The body was longer: this is how it begins.</p>`}
`

const none = html`<p class="none">None.</p>`

const curlBlock = (line: string): Markup =>
  line.length > maxBlock
    ? html`<p class="none">The request is too long for a curl command.</p>`
    : html`<pre tabindex="0"><code id="curl">${line}</code></pre>
        ${variablesNote([line])} <button data-copy="curl">Copy</button>`

/** A curl command that repeats the request. The journal has no tokens: the command reads `$TOKEN`. */
const curlFor = ({ method, path, query, request }: RecordedRequest, origin: string): string => {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
  ).toString()
  return curlOf({
    method,
    url: `${origin}${path}${parameters === '' ? '' : `?${parameters}`}`,
    headers: Object.entries(request.headers)
      .filter(([name]) => !omittedHeaders.has(name))
      .map((header) => (header[0] === 'authorization' ? bearerFrom('TOKEN') : header)),
    body: request.body,
  })
}

/** Headers that curl sets by itself, and redacted ones. */
const omittedHeaders = new Set(
  (
    'host connection keep-alive content-length transfer-encoding expect user-agent ' +
    'accept-encoding accept-language sec-fetch-mode cookie proxy-authorization'
  ).split(' '),
)
