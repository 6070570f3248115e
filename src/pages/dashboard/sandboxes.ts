import { html, type Markup } from '../html.ts'
import { actions, collapsed, formatCount, table, time } from './components.ts'
import { deleteButton, field, form, searchForm } from './forms.ts'
import { getDashboardLink, type View } from './page-request.ts'
import { findNamesPage } from './paging.ts'

/** All sandboxes, with links to their dashboards and buttons to delete them. */
export const sandboxesView: View = async ({ client, query }) => {
  const { items } = await client.call('listSandboxes')
  const { q, shown, pager } = findNamesPage({
    view: 'sandboxes',
    items,
    getName: ({ name }) => name,
    query,
  })
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
        Projects: ({ projects }) => projects.toLocaleString('en-US'),
        Created: ({ createdAt }) => time(createdAt),
        Actions: ({ name }) => actions(deleteButton('deleteSandbox', { sandbox: name }, 'sandbox', name)),
      },
      empty: q === '' ? 'No sandboxes yet. A sandbox is created on first use.' : 'No sandbox matches.',
    })}
    ${pager} ${collapsed('All sandboxes', [html`<p>Ends their requests as a reset does.</p>`, deleteAllButton])}
  `
}

/** Links to the list from another view. Empty for a mock without sandboxes. */
export const sandboxesNote = (count: number): Markup | false =>
  count > 0 && html`<p>Isolated from them: <a href="#sandboxes">${formatCount(count, 'sandbox', 'sandboxes')}</a>.</p>`

const deleteAllButton = form(
  'Delete all',
  'deleteSandboxes',
  {},
  {
    look: 'danger',
    done: 'Deleted all sandboxes.',
    confirm: 'Delete all sandboxes?',
  },
)
