import { html, type Markup } from '../html.ts'
import {
  actions,
  clockWithMode,
  collapsed,
  heading,
  menu,
  table,
  text,
  formatCount,
  formatNumber,
  time,
} from './components.ts'
import { deleteButton, emptyState, field, form, fromField, fillCommandPath, searchField, searchForm } from './forms.ts'
import { isAddressable, type View, getDashboardLink, callScoped, findNamesPage } from './page-request.ts'

/** All projects, with buttons to create, reset and delete them. */
export const projectsView: View = async (request) => {
  const { client, query, sandbox, sandboxes } = request
  const { items } = await client.call('listProjects')
  const { q, shown, pager } = findNamesPage('projects', items, ({ id }) => id, query)
  const sentence = 'No projects yet: the first request to a project creates it.'
  const empty = emptyState(sentence, { ...request, project: 'acme' }, 'changeProject', {})
  return html`
    ${heading('Projects', undefined, 'A project has its own records, ids, clock and faults.')}
    ${sandbox === undefined && sandboxesNote(sandboxes.length)}
    <div class="bar">${searchForm('projects', searchField('Name', q))} ${createForm}</div>
    ${table({
      caption: 'Projects',
      items: shown,
      getKey: ({ id }) => id,
      columns: {
        Project: ({ id }) =>
          isAddressable(id)
            ? html`<a href="?project=${encodeURIComponent(id)}#payment-links">${text(id)}</a>`
            : text(id),
        Users: ({ users }) => formatNumber(users),
        'Payment links': ({ paymentLinks }) => formatNumber(paymentLinks),
        Revision: ({ revision }) => revision,
        Locale: ({ preferredLocale }) => preferredLocale,
        Clock: ({ clock }) => clockWithMode(clock),
        Actions: ({ id }) => isAddressable(id) && menu(id, projectButtons(id)),
      },
      empty: q === '' ? empty : 'No project matches.',
    })}
    ${pager} ${collapsed('All projects', [html`<p>Resets every project to the seed.</p>`, resetButton()])}
  `
}

const createForm = form('Create', 'changeProject', {
  params: { project: fromField },
  layout: 'row',
  look: 'first',
  fields: field('project', 'New project', { required: true, pattern: String.raw`(?!\.{1,2}$).*` }),
  body: {},
  done: 'Project created.',
})

const projectButtons = (id: string) => {
  const confirm = `Delete the project ${id} with all its records?`
  const params = { project: id }
  return [
    resetButton(id),
    form('Delete', 'deleteProject', { params, of: id, look: 'danger', done: `Deleted ${id}.`, confirm, typed: id }),
  ]
}

/** A button that resets a project, or all projects. */
const resetButton = (project?: string) => {
  const of = project ?? 'all projects'
  const confirm = `Reset ${of}? All changes since the start are lost.`
  return form('Reset', 'reset', { params: { project }, of, look: 'danger', done: `Reset ${of}.`, confirm })
}

/** All sandboxes, with links to their dashboards and buttons to delete them. */
export const sandboxesView: View = async (request) => {
  const { client, query } = request
  const { items } = await client.call('listSandboxes')
  const { q, shown, pager } = findNamesPage('sandboxes', items, ({ name }) => name, query)
  const origin = `${request.origin}/@checkout-1`
  const empty = emptyState('No sandboxes yet: the first request to one creates it.', { ...request, origin }, 'reset')
  return html`
    <h1 tabindex="-1">Sandboxes</h1>
    <p class="lead">Each is a mock of its own, below <code>/@name</code>.</p>
    <div class="bar">${searchForm('sandboxes', field('q', 'Name', { type: 'search', value: q }))}</div>
    ${table({
      caption: 'Sandboxes',
      items: shown,
      getKey: ({ name }) => name,
      columns: {
        Sandbox: ({ name }) => html`<a href="${getDashboardLink(undefined, name)}">${name}</a>`,
        Projects: ({ projects }) => formatNumber(projects),
        Created: ({ createdAt }) => time(createdAt),
        Actions: ({ name }) => actions(deleteButton('deleteSandbox', { sandbox: name }, 'sandbox', name)),
      },
      empty: q === '' ? empty : 'No sandbox matches.',
    })}
    ${pager} ${collapsed('All sandboxes', [html`<p>Ends their requests as a reset does.</p>`, deleteAllButton])}
  `
}

/** Links to the list from another view. Empty for a mock without sandboxes. */
const sandboxesNote = (count: number): Markup | false =>
  count > 0 && html`<p>Isolated from them: <a href="#sandboxes">${formatCount(count, 'sandbox', 'sandboxes')}</a>.</p>`

const deleteAllButton = form('Delete all', 'deleteSandboxes', {
  params: {},
  look: 'danger',
  done: 'Deleted all sandboxes.',
  confirm: 'Delete all sandboxes?',
})

/** Named copies of the state, and its export as a seed. */
export const snapshotsView: View = async (request) => {
  const { project } = request
  const params = { project }
  const { items } = await callScoped(request, 'listSnapshots')
  const scope = project ?? 'all projects'
  return html`
    ${heading('Snapshots', project, 'Named copies of the state. They survive a reset, and cost nothing.')}
    <div class="bar">
      ${form('Save', 'saveSnapshot', {
        params,
        layout: 'row',
        look: 'first',
        fields: field('name', 'Name', { required: true }),
        done: 'Snapshot saved.',
      })}
    </div>
    ${table({
      caption: `Snapshots of ${scope}`,
      items,
      getKey: ({ name }) => name,
      columns: {
        Snapshot: ({ name }) => text(name),
        Saved: ({ createdAt }) => time(createdAt),
        Users: ({ users }) => formatNumber(users),
        'Payment links': ({ paymentLinks }) => formatNumber(paymentLinks),
        Actions: ({ name }) => snapshotButtons(name, project),
      },
      empty: emptyState('No snapshots yet.', request, 'saveSnapshot', { name: 'before' }),
    })}
    <h2>Export and reset</h2>
    <p>The state of ${text(scope)} as a seed, to start the mock from with <code>--seed</code>.</p>
    ${actions(
      html`<button
        data-download="${fillCommandPath('exportState', params)}"
        data-name="${project ?? 'paylink-mock'}.seed.json"
      >
        Download the seed
      </button>`,
      resetButton(project),
    )}
  `
}

const snapshotButtons = (name: string, project: string | undefined) => {
  const params = { project, name }
  return actions(
    form('Restore', 'restoreSnapshot', { params, of: name, done: `Restored ${name}.` }),
    menu(name, deleteButton('deleteSnapshot', params, 'snapshot', name)),
  )
}
