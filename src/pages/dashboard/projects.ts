import { html } from '../html.ts'
import { actions, clockTime, collapsed, heading, live, table, text } from './components.ts'
import { field, form, fromField, searchForm } from './forms.ts'
import { isAddressable, type View } from './page-request.ts'
import { findNamesPage } from './paging.ts'
import { sandboxesNote } from './sandboxes.ts'

/** All projects, with buttons to create, reset and delete them. */
export const projectsView: View = async ({ client, query, sandbox, sandboxes }) => {
  const { items } = await client.call('listProjects')
  const { q, shown, pager } = findNamesPage({ view: 'projects', items, getName: ({ id }) => id, query })
  const hint = 'Any part of it, in upper or lower case.'
  return live(html`
    ${heading('Projects', undefined, 'A project has its own records, ids, clock and faults.')}
    ${sandbox === undefined && sandboxesNote(sandboxes.length)}
    <div class="bar">
      ${searchForm('projects', field('q', 'Name', { type: 'search', value: q, hint }))} ${createForm}
    </div>
    ${table({
      caption: 'Projects',
      items: shown,
      getKey: ({ id }) => id,
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
    ${pager} ${collapsed('All projects', [html`<p>Resets every project to the seed.</p>`, resetButton('Reset')])}
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
