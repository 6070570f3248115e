import { html } from '../html.ts'
import { operationIds } from '../../schema/operation.ts'
import type { Entry } from '../../schema/traffic.ts'
import { field, filter, select } from './fields.ts'
import { badge, button, counted, heading, live, table, text } from './parts.ts'
import { ask, given, linkTo, type View } from './view.ts'

/** How many entries are shown: the newest. */
const most = 50

/** The requests of clients, the newest first, as they come in. */
export const journal: View = async (visit) => {
  const { project, query } = visit
  const filters = given(query, ['operation', 'status'])
  const { items, dropped } = await ask(visit, 'listRequests', { query: { ...filters, limit: String(most) } })
  return live(html`
    ${heading('Journal', project, `The requests of clients as they come in: the newest ${most}, the last one first.`)}
    <div class="bar">
      ${filter(
        'journal',
        html`${select({
          name: 'operation',
          label: 'Operation',
          value: filters.operation,
          options: [['', 'any'], ...operationIds.map((id) => [id, id] as const)],
        })}
        ${field({ name: 'status', label: 'Status', type: 'search', value: filters.status, pattern: '[0-9]{3}' })}`,
        'Filter',
      )}
      ${button(
        'forgetRequests',
        { project },
        {
          label: 'Forget the requests',
          done: 'The journal is empty.',
          confirm: `Forget the requests of ${project ?? 'all projects'}?`,
        },
      )}
    </div>
    ${table({
      caption: 'Requests',
      head: [
        'Request',
        'Status',
        'Operation',
        ...(project === undefined ? ['Project'] : []),
        'Received',
        'Took',
        'Notes',
      ],
      rows: items.toReversed().map((entry) => rowOf(entry, project === undefined)),
      none: 'Nobody has called.',
    })}
    ${dropped > 0 && html`<p class="none">${counted(dropped, 'older entry', 'older entries')} found no room.</p>`}
  `)
}

const rowOf = (entry: Entry, withProject: boolean) => ({
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

/** Path and query, as short as a table needs them. */
const pathText = ({ path, query }: Entry): string => {
  const parameters = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}=${value}`),
  )
  const whole = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
  return whole.length > 120 ? `${whole.slice(0, 120)}...` : whole
}

/** A status in the colour of its class. */
export const statusBadge = (status: number | null) =>
  status === null ? badge('no answer', 'bad') : badge(String(status), status < 400 ? 'good' : 'bad')
