import { html } from '../html.ts'
import type { Snapshot } from '../../schema/summaries.ts'
import { commands } from '../../schema/commands.ts'
import { heading, table, text, time } from './components.ts'
import { actionAttributes, button, deleteButton, field, pathOf } from './forms.ts'
import { callScoped, type View } from './page-request.ts'
import { resetQuestion } from './projects.ts'

/** Named copies of the state, and its export as a seed. */
export const snapshots: View = async (request) => {
  const { project } = request
  const params = { project }
  const { items } = await callScoped(request, 'listSnapshots')
  const scope = project ?? 'all projects'
  return html`
    ${heading('Snapshots', project, 'Named copies of the state. They survive a reset, and cost nothing.')}
    <div class="bar">
      <form class="row" ${actionAttributes('saveSnapshot', params, { done: 'The snapshot is saved.' })}>
        ${field('name', 'Name', { required: true })}
        <button class="first">Save</button>
      </form>
    </div>
    ${table({
      caption: `Snapshots of ${scope}`,
      head: ['Snapshot', 'Saved', 'Users', 'Payment links', 'Actions'],
      rows: items.map((snapshot) => rowOf(snapshot, project)),
      none: 'None has been saved.',
    })}
    <h2>Export and reset</h2>
    <p>The state of ${text(scope)} as a seed, to start the mock from with <code>--seed</code>.</p>
    <div class="actions">
      <button
        data-download="${pathOf(commands.exportState, params)}"
        data-name="${project ?? 'paylink-mock'}.seed.json"
      >
        Download the seed
      </button>
      ${button('Reset', 'reset', params, {
        of: scope,
        look: 'danger',
        done: `As at the start: ${scope}.`,
        confirm: resetQuestion(scope),
      })}
    </div>
  `
}

const rowOf = ({ name, createdAt, users, paymentLinks }: Snapshot, project: string | undefined) => ({
  key: name,
  cells: [
    text(name),
    time(createdAt),
    users.toLocaleString('en-US'),
    paymentLinks.toLocaleString('en-US'),
    html`<div class="actions">
      ${button('Restore', 'restoreSnapshot', { project, name }, { of: name, done: `Back at ${name}.` })}
      ${deleteButton('deleteSnapshot', { project, name }, 'snapshot', name)}
    </div>`,
  ],
})
