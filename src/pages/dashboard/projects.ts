import { html } from '../html.ts'
import type { ProjectSummary } from '../../schema/summaries.ts'
import { clockTime, counted, heading, live, table, text } from './components.ts'
import { actionAttributes, button, field, fromField, searchForm } from './forms.ts'
import { isAddressable, pickParams, type View } from './page-request.ts'
import { includesText, pageLink, pagerBar } from './paging.ts'

/** The number of projects on a page. A test run may create thousands. */
const pageSize = 50

const resetWarning = 'What was changed since the start is lost.'

/** All projects, with buttons to create, reset and delete them. */
export const projects: View = async ({ client, query }) => {
  const { items } = await client.call('listProjects')
  const { q = '', from = '0' } = pickParams(query, ['q', 'from'])
  const found = items.filter(({ id }) => includesText([id], q))
  const start = Math.max(0, Math.min(Number(from) || 0, found.length - 1))
  const hint = 'Any part of it, in upper or lower case.'
  return live(html`
    ${heading('Projects', undefined, 'A project is a sandbox with its own records, ids, clock and faults.')}
    <div class="bar">
      ${searchForm('projects', field('q', 'Name', { type: 'search', value: q, hint }))} ${createForm}
    </div>
    ${table({
      caption: 'Projects',
      head: ['Project', 'Users', 'Payment links', 'Revision', 'Locale', 'Clock', 'Actions'],
      rows: found.slice(start, start + pageSize).map(rowOf),
      none:
        q === '' ? 'No project yet. One comes into being on first use, or here.' : 'No project has this in its name.',
    })}
    ${pager(q, start, found.length)}
    <details>
      <summary>All projects</summary>
      <p>Resets every project to the seed.</p>
      ${button('Reset all projects', 'reset', allProjects, {
        look: 'danger',
        done: 'All projects are as at the start.',
        confirm: `Reset all projects? ${resetWarning}`,
      })}
    </details>
  `)
}

const rowOf = ({ id, users, paymentLinks, revision, preferredLocale, clock }: ProjectSummary) => ({
  key: id,
  cells: [
    isAddressable(id) ? html`<a href="?project=${encodeURIComponent(id)}#payment-links">${text(id)}</a>` : text(id),
    users.toLocaleString('en-US'),
    paymentLinks.toLocaleString('en-US'),
    String(revision),
    preferredLocale,
    html`${clockTime(clock)} ${clock.mode}`,
    isAddressable(id) && html`<div class="actions">${projectButtons(id)}</div>`,
  ],
})

const projectButtons = (id: string) => {
  const params = { project: id }
  const confirm = `Delete the project ${id} with all its records?`
  return html`
    ${button('Reset', 'reset', params, { of: id, done: `${id} is as at the start.`, confirm: resetQuestion(id) })}
    ${button('Delete', 'deleteProject', params, { of: id, look: 'danger', done: `${id} is deleted.`, confirm, typed: id })}
  `
}

export const resetQuestion = (project: string): string => `Reset ${project}? ${resetWarning}`

const allProjects = {}

const createForm = html`
  <form
    class="row"
    ${actionAttributes('changeProject', { project: fromField }, { done: 'The project is there.', body: {} })}
  >
    ${field('project', 'New project', { required: true, pattern: String.raw`(?!\.{1,2}$).*` })}
    <button class="first">Create</button>
  </form>
`

const pager = (q: string, start: number, count: number) => {
  if (count <= pageSize) return ''
  const end = start + pageSize
  return pagerBar([
    start > 0 && pageLink('Previous', 'projects', { q, from: `${start - pageSize}` }),
    html`<span>${start + 1} to ${Math.min(end, count)} of ${counted(count, 'project')}</span>`,
    end < count && pageLink('Next', 'projects', { q, from: `${end}` }),
  ])
}
