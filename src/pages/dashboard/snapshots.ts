import { html } from '../html.ts'
import type { Snapshot } from '../../schema/summaries.ts'
import { field } from './fields.ts'
import { button, calls, heading, pathOf, table, text, time } from './parts.ts'
import { resetQuestion } from './projects.ts'
import { commands } from '../../schema/commands.ts'
import { ask, type View } from './view.ts'

/** Named copies of the state, and the state as a file to start from. */
export const snapshots: View = async (visit) => {
  const { project } = visit
  const { items } = await ask(visit, 'listSnapshots')
  const whose = project === undefined ? 'all projects' : project
  return html`
    ${heading('Snapshots', project, 'Named copies of the state. They survive a reset, and cost nothing.')}
    <div class="bar">
      <form class="row" ${calls('saveSnapshot', { project }, { done: 'The snapshot is saved.' })}>
        ${field({ name: 'name', label: 'Name', required: true })}
        <button class="first">Save</button>
      </form>
    </div>
    ${table({
      caption: `Snapshots of ${whose}`,
      head: ['Snapshot', 'Saved', 'Users', 'Payment links', 'Actions'],
      rows: items.map((one) => rowOf(one, project)),
      none: 'None has been saved.',
    })}
    <h2>Take it home</h2>
    <p>The state of ${text(whose)} as a seed: what is exported can be started from, with <code>--seed</code>.</p>
    <div class="actions">
      <button
        data-download="${pathOf(commands.exportState, { project })}"
        data-name="${project ?? 'paylink-mock'}.seed.json"
      >
        Download the seed
      </button>
      ${button(
        'reset',
        { project },
        {
          label: 'Reset',
          of: whose,
          look: 'danger',
          done: `As at the start: ${whose}.`,
          confirm: resetQuestion(whose),
        },
      )}
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
      ${button('restoreSnapshot', { project, name }, { label: 'Restore', of: name, done: `Back at ${name}.` })}
      ${button(
        'deleteSnapshot',
        { project, name },
        {
          label: 'Delete',
          of: name,
          look: 'danger',
          done: `${name} is deleted.`,
          confirm: `Delete the snapshot ${name}?`,
        },
      )}
    </div>`,
  ],
})
