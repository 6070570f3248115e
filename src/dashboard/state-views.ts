import { isAddressable } from '../core/schema/url.ts'
import { html, inlineMarkdown, type Markup } from '../core/pages/html.ts'
import { behaviorKeys, type BehaviorSettings, defaultBehaviors, profiles } from '../core/schema/behavior.ts'
import type { ClockStatus } from '../core/schema/clock-document.ts'
import {
  actions,
  badge,
  clockTime,
  clockWithMode,
  collapsed,
  formatCount,
  formatNumber,
  heading,
  menu,
  text,
  time,
} from './components.ts'
import { table } from '../core/pages/table.ts'
import { choiceButtons, field } from './fields.ts'
import { deleteButton, emptyState, form, fromField, fillCommandPath, searchField, searchForm } from './forms.ts'
import { callScoped, getDashboardLink, type View } from './page-request.ts'
import { findMatches } from './paging.ts'

export const projectsView: View = async (request) => {
  const { client, sandbox, sandboxes } = request
  const { items: allProjects } = await client.call('listProjects')
  const { filters, items, pager } = findMatches(request.query, 'projects', {}, allProjects, ({ id }) => [id])
  const sentence = 'No projects yet: the first request to a project creates it.'
  return html`
    ${heading('Projects', undefined, 'A project has its own records, ids, clock and faults.')}
    ${sandbox === undefined && sandboxesNote(sandboxes.length)}
    <div class="bar">${searchForm('projects', searchField('Name', filters.q))} ${createProjectForm}</div>
    ${table({
      caption: 'Projects',
      items,
      getKey: ({ id }) => id,
      columns: {
        Project: ({ id }) =>
          isAddressable(id)
            ? html`<a href="?project=${encodeURIComponent(id)}#payment-links">${text(id)}</a>`
            : text(id),
        Users: ({ users }) => formatNumber(users),
        'Payment links': ({ paymentLinks }) => formatNumber(paymentLinks),
        Clock: ({ clock }) => clockWithMode(clock),
        Actions: ({ id }) => isAddressable(id) && menu(id, resetButton(id), deleteProjectButton(id)),
      },
      empty:
        filters.q === undefined
          ? emptyState(sentence, { ...request, project: 'acme' }, 'reset')
          : 'No project matches.',
    })}
    ${pager} ${collapsed('All projects', [html`<p>Resets every project to the seed.</p>`, resetButton()])}
  `
}

const sandboxesNote = (count: number): Markup | false =>
  count > 0 && html`<p>Isolated from them: <a href="#sandboxes">${formatCount(count, 'sandbox', 'sandboxes')}</a>.</p>`

const newProject = { project: fromField }

const createProjectForm = form('Create', 'changeProject', newProject, {
  layout: 'row',
  look: 'first',
  fields: field('project', 'New project', { required: true, pattern: String.raw`(?!\.{1,2}$).*` }),
  body: {},
  done: 'Project created.',
  exists: 'The project exists already.',
})

const resetButton = (project?: string) => {
  const of = project ?? 'all projects'
  const confirm = `Reset ${of}? All changes since the start are lost.`
  return form('Reset', 'reset', { project }, { of, look: 'danger', done: `Reset ${of}.`, confirm })
}

const deleteProjectButton = (project: string) => {
  const confirm = `Delete the project ${project} with all its records?`
  return deleteButton('deleteProject', { project }, 'project', project, { confirm })
}

export const sandboxesView: View = async (request) => {
  const { items: allSandboxes } = await request.client.call('listSandboxes')
  const { filters, items, pager } = findMatches(request.query, 'sandboxes', {}, allSandboxes, ({ name }) => [name])
  const mockUrl = `${request.mockUrl}/@checkout-1`
  const sentence = 'No sandboxes yet: the first request to one creates it.'
  return html`
    <h1 tabindex="-1">Sandboxes</h1>
    <p class="lead">Each is a mock of its own, below <code>/@name</code>.</p>
    <div class="bar">${searchForm('sandboxes', field('q', 'Name', { type: 'search', value: filters.q }))}</div>
    ${table({
      caption: 'Sandboxes',
      items,
      getKey: ({ name }) => name,
      columns: {
        Sandbox: ({ name }) => html`<a href="${getDashboardLink(undefined, name)}">${name}</a>`,
        Projects: ({ projects }) => formatNumber(projects),
        Created: ({ createdAt }) => time(createdAt),
        Actions: ({ name }) => actions(deleteButton('deleteSandbox', { sandbox: name }, 'sandbox', name)),
      },
      empty: filters.q === undefined ? emptyState(sentence, { ...request, mockUrl }, 'reset') : 'No sandbox matches.',
    })}
    ${pager} ${collapsed('All sandboxes', [html`<p>Ends their requests as a reset does.</p>`, deleteAllButton])}
  `
}

const deleteAll = { look: 'danger', done: 'Deleted all sandboxes.', confirm: 'Delete all sandboxes?' } as const
const deleteAllButton = form('Delete all', 'deleteSandboxes', {}, deleteAll)

export const snapshotsView: View = async (request) => {
  const { project } = request
  const params = { project }
  const { items } = await callScoped(request, 'listSnapshots')
  const scope = project ?? 'all projects'
  const fields = field('name', 'Name', { required: true })
  const save = { layout: 'row', look: 'first', fields, done: 'Snapshot saved.', exists: 'Snapshot replaced.' } as const
  return html`
    ${heading('Snapshots', project, 'Named copies of the state. They survive a reset, and cost nothing.')}
    <div class="bar">${form('Save', 'saveSnapshot', params, save)}</div>
    ${table({
      caption: `Snapshots of ${scope}`,
      items,
      getKey: ({ name }) => name,
      columns: {
        Snapshot: ({ name }) => text(name),
        Saved: ({ createdAt }) => time(createdAt),
        Users: ({ users }) => formatNumber(users),
        'Payment links': ({ paymentLinks }) => formatNumber(paymentLinks),
        Actions: ({ name }) => snapshotButtons({ project, name }),
      },
      empty: emptyState('No snapshots yet.', request, 'saveSnapshot'),
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

const snapshotButtons = (params: { project: string | undefined; name: string }) => {
  const { name } = params
  const confirm = `Restore ${name}? All later changes are lost.`
  return actions(
    form('Restore', 'restoreSnapshot', params, { of: name, done: `Restored ${name}.`, confirm }),
    menu(name, deleteButton('deleteSnapshot', params, 'snapshot', name)),
  )
}

const clockSteps = {
  '1 second': 1000,
  '1 minute': 60_000,
  '1 hour': 3_600_000,
  '1 day': 86_400_000,
  '30 days': 30 * 86_400_000,
}

const clockModeTexts = {
  real: 'it shows the time of this machine, and runs.',
  frozen: 'it stops until it is advanced.',
  stepping: 'it moves with each write.',
} satisfies Record<ClockStatus['mode'], string>

export const clockView: View = async (request) => {
  const { project } = request
  const clock = await callScoped(request, 'readClock')
  const { mode, step } = clock
  const params = { project }
  const clockModeLabels = { frozen: 'Freeze', real: 'Real', stepping: 'Step' }
  const modeButtons = choiceButtons('mode', Object.keys(clockModeLabels), mode, clockModeLabels)
  const stepButtons = Object.entries(clockSteps).map(([label, milliseconds]) =>
    form(`+ ${label}`, 'advanceClock', params, { body: { milliseconds }, done: `Advanced by ${label}.` }),
  )
  return html`
    ${heading('Clock', project, project === undefined ? 'This also sets the clock of future projects.' : undefined)}
    <p class="big">${clockTime(clock)} UTC</p>
    <p>
      The clock is <strong>${mode}</strong>: ${clockModeTexts[mode]}
      ${step !== undefined && html`One step is ${step} ms.`}
    </p>
    ${form(undefined, 'setClock', params, { fields: modeButtons, done: 'Clock mode changed.' })}
    <h2>Advance</h2>
    <p>Scheduled payments run when they are due.</p>
    ${actions(stepButtons)}
    ${form('Advance', 'advanceClock', params, {
      layout: 'row',
      fields: field('milliseconds', 'Milliseconds', { type: 'number', min: 0, required: true }),
      done: 'Clock advanced.',
    })}
    <h2>Freeze at a time</h2>
    ${form('Freeze at this time', 'setClock', params, {
      layout: 'row',
      fields: field('now', 'Time, in UTC', { placeholder: '2025-01-01T00:00:00Z', required: true }),
      body: { mode: 'frozen' },
      done: 'Clock frozen.',
    })}
    <h2>Step with each write</h2>
    ${form('Step with writes', 'setClock', params, {
      layout: 'row',
      fields: field('step', 'Milliseconds of a step', { type: 'number', min: 1, value: step ?? 1000, required: true }),
      body: { mode: 'stepping' },
      done: 'The clock steps with each write.',
    })}
  `
}

export const behaviorsView: View = async (request) => {
  const { project } = request
  const params = { project }
  const { values, registry } = await callScoped(request, 'readBehaviors')
  const profileButtons = Object.entries(profiles).map(([name, profile]) =>
    form(`Use the profile ${name}`, 'changeBehaviors', params, {
      body: { ...defaultBehaviors, ...profile },
      done: `Set the behaviors of the profile ${name}.`,
    }),
  )
  const behaviorSwitches = registry.map((behavior) => renderBehaviorSwitch(behavior, values[behavior.key]))
  return html`
    ${heading('Behaviors', project, 'How the mock behaves where the specification is silent. The first value is the default.')}
    ${actions(profileButtons)}
    ${form(undefined, 'changeBehaviors', params, { layout: 'switches', fields: behaviorSwitches, done: 'Behavior changed.' })}
    ${behaviorKeys.every((key) => values[key] === defaultBehaviors[key]) && html`<p>All behaviors have their defaults.</p>`}
  `
}

type DescribedBehavior = BehaviorSettings['registry'][number]

const renderBehaviorSwitch = (
  { key, values, default: defaultValue, spec, summary }: DescribedBehavior,
  currentValue: unknown,
) => html`
  <div
    class="switch${currentValue === defaultValue ? '' : ' changed'}"
    role="group"
    aria-labelledby="b-${key}"
    aria-describedby="s-${key}"
  >
    <div>
      <code id="b-${key}">${key}</code> ${badge(spec)} ${currentValue !== defaultValue && badge('changed', 'plain')}
      <p id="s-${key}">${inlineMarkdown(summary)}</p>
    </div>
    ${choiceButtons(key, values, currentValue)}
  </div>
`
