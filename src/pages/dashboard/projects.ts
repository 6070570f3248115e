import { html } from '../html.ts'
import { actions, clockTime, collapsed, counted, heading, live, table, text } from './components.ts'
import { field, form, fromField, searchForm } from './forms.ts'
import { isAddressable, pickParams, type View } from './page-request.ts'
import { includesText, pageLink, pagerBar } from './paging.ts'

/** The number of projects on a page. A test run may create thousands. */
const pageSize = 50

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
      items: found.slice(start, start + pageSize),
      keyOf: ({ id }) => id,
      columns: {
        Project: ({ id }) =>
          isAddressable(id)
            ? html`<a href="?project=${encodeURIComponent(id)}#payment-links">${text(id)}</a>`
            : text(id),
        Users: ({ users }) => users.toLocaleString('en-US'),
        'Payment links': ({ paymentLinks }) => paymentLinks.toLocaleString('en-US'),
        Revision: ({ revision }) => revision,
        Locale: ({ preferredLocale }) => preferredLocale,
        Clock: ({ clock }) => html`${clockTime(clock)} ${clock.mode}`,
        Actions: ({ id }) => isAddressable(id) && actions(projectButtons(id)),
      },
      empty: q === '' ? 'No projects yet. A project is created on first use, or here.' : 'No project matches.',
    })}
    ${pager(q, start, found.length)}
    ${collapsed('All projects', [html`<p>Resets every project to the seed.</p>`, resetButton('Reset')])}
  `)
}

const newProject = { project: fromField }

const createForm = form('Create', 'changeProject', newProject, {
  layout: 'row',
  look: 'first',
  fields: field('project', 'New project', { required: true, pattern: String.raw`(?!\.{1,2}$).*` }),
  body: {},
  done: 'Project created.',
})

const projectButtons = (id: string) => {
  const params = { project: id }
  const confirm = `Delete the project ${id} with all its records?`
  return [
    resetButton('Reset', id),
    form('Delete', 'deleteProject', params, { of: id, look: 'danger', done: `Deleted ${id}.`, confirm, typed: id }),
  ]
}

/** A button that resets a project, or all projects. */
export const resetButton = (label: string, project?: string) => {
  const params = { project }
  const of = project ?? 'all projects'
  const confirm = `Reset ${of}? All changes since the start are lost.`
  return form(label, 'reset', params, { of, look: 'danger', done: `Reset ${of}.`, confirm })
}

const pager = (q: string, start: number, count: number) => {
  if (count <= pageSize) return ''
  const end = start + pageSize
  return pagerBar([
    start > 0 && pageLink('Previous', 'projects', { q, from: `${start - pageSize}` }),
    html`<span>${start + 1} to ${Math.min(end, count)} of ${counted(count, 'project')}</span>`,
    end < count && pageLink('Next', 'projects', { q, from: `${end}` }),
  ])
}
