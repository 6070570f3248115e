import { html } from '../html.ts'
import { commands } from '../../schema/commands.ts'
import { actions, heading, table, text, time } from './components.ts'
import { deleteButton, field, form, getCommandPath } from './forms.ts'
import { callScoped, type View } from './page-request.ts'
import { resetButton } from './projects.ts'

/** Named copies of the state, and its export as a seed. */
export const snapshotsView: View = async (request) => {
  const { project } = request
  const params = { project }
  const { items } = await callScoped(request, 'listSnapshots')
  const scope = project ?? 'all projects'
  return html`
    ${heading('Snapshots', project, 'Named copies of the state. They survive a reset, and cost nothing.')}
    <div class="bar">
      ${form('Save', 'saveSnapshot', params, {
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
        Users: ({ users }) => users.toLocaleString('en-US'),
        'Payment links': ({ paymentLinks }) => paymentLinks.toLocaleString('en-US'),
        Actions: ({ name }) => actions(snapshotButtons(name, project)),
      },
      empty: 'No snapshots yet.',
    })}
    <h2>Export and reset</h2>
    <p>The state of ${text(scope)} as a seed, to start the mock from with <code>--seed</code>.</p>
    ${actions(
      html`<button
        data-download="${getCommandPath(commands.exportState, params)}"
        data-name="${project ?? 'paylink-mock'}.seed.json"
      >
        Download the seed
      </button>`,
      resetButton('Reset', project),
    )}
  `
}

const snapshotButtons = (name: string, project: string | undefined) => {
  const params = { project, name }
  return [
    form('Restore', 'restoreSnapshot', params, { of: name, done: `Restored ${name}.` }),
    deleteButton('deleteSnapshot', params, 'snapshot', name),
  ]
}
