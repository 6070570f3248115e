import { html } from '../html.ts'
import { operationIds } from '../../schema/operation.ts'
import { shortened } from '../../schema/problem.ts'
import type { RecordedRequest } from '../../schema/traffic.ts'
import { badge, counted, heading, live, table, text } from './components.ts'
import { button, field, searchForm, select } from './forms.ts'
import { callScoped, linkTo, pickParams, type View } from './page-request.ts'

const maxEntries = 50

/** The requests of clients, newest first. */
export const journal: View = async (request) => {
  const { project, query } = request
  const params = { project }
  const filters = pickParams(query, ['operation', 'status'])
  const { items, dropped } = await callScoped(request, 'listRequests', {
    query: { ...filters, limit: String(maxEntries) },
  })
  const withProject = project === undefined
  return live(html`
    ${heading('Journal', project, `The requests of clients as they come in: the newest ${maxEntries}, the last one first.`)}
    <div class="bar">
      ${searchForm(
        'journal',
        html`${select('operation', 'Operation', [['', 'any'], ...operationIds], filters.operation)}
        ${field('status', 'Status', { type: 'search', value: filters.status, pattern: '[0-9]{3}' })}`,
        'Filter',
      )}
      ${button('Forget the requests', 'clearRequests', params, {
        done: 'The journal is empty.',
        confirm: `Forget the requests of ${project ?? 'all projects'}?`,
      })}
    </div>
    ${table({
      caption: 'Requests',
      head: ['Request', 'Status', 'Operation', ...(withProject ? ['Project'] : []), 'Received', 'Took', 'Notes'],
      rows: items.toReversed().map((entry) => rowOf(entry, withProject)),
      none: 'Nobody has called.',
    })}
    ${dropped > 0 && html`<p class="none">${counted(dropped, 'older entry', 'older entries')} found no room.</p>`}
  `)
}

const rowOf = (entry: RecordedRequest, withProject: boolean) => ({
  key: entry.id,
  cells: [
    html`<a href="${linkTo('request', { id: entry.id })}"><b>${entry.method}</b> ${text(pathText(entry))}</a>`,
    statusBadge(entry.status),
    entry.operation ?? 'none',
    ...(withProject ? [text(entry.project ?? '')] : []),
    html`<time datetime="${entry.receivedAt}">${entry.receivedAt.slice(11, 23)}</time>`,
    `${Math.round(entry.durationMilliseconds)} ms`,
    html`${entry.fault !== null && badge('fault', 'bad')}
    ${entry.violations.length > 0 && badge(counted(entry.violations.length, 'violation'), 'bad')}
    ${entry.changes.length > 0 && badge(counted(entry.changes.length, 'change'), 'good')}`,
  ],
})

/** The path and query, shortened. */
const pathText = ({ path, query }: RecordedRequest): string => {
  const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => `${name}=${value}`))
  return shortened(pairs.length === 0 ? path : `${path}?${pairs.join('&')}`, 120)
}

export const statusBadge = (status: number | null) =>
  status === null ? badge('no answer', 'bad') : badge(String(status), status < 400 ? 'good' : 'bad')
