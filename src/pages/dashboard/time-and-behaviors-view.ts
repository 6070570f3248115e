import { html, inlineMarkdown } from '../html.ts'
import type { ClockStatus } from '../../schema/clock-document.ts'
import { actions, clockTime, heading, badge } from './components.ts'
import { field, form } from './forms.ts'
import { callScoped, type View } from './page-request.ts'
import { behaviorKeys, type BehaviorSettings, defaultBehaviors, profiles } from '../../schema/behavior.ts'

const steps = {
  '1 second': 1000,
  '1 minute': 60_000,
  '1 hour': 3_600_000,
  '1 day': 86_400_000,
  '30 days': 30 * 86_400_000,
}

const modes = {
  real: 'it shows the time of this machine, and runs.',
  frozen: 'it stops until it is advanced.',
  stepping: 'it moves with each write.',
} satisfies Record<ClockStatus['mode'], string>

/** The time of the mock clock, and forms to set and advance it. */
export const clockView: View = async (request) => {
  const { project } = request
  const reading = await callScoped(request, 'readClock')
  const { mode, step } = reading
  const params = { project }
  const setButton = (label: string, body: object) =>
    form(label, 'setClock', { params, body, done: `Clock mode: ${label.toLowerCase()}.` })
  return html`
    ${heading('Clock', project, project === undefined ? 'This also sets the clock of future projects.' : undefined)}
    <p class="big">${clockTime(reading)} UTC</p>
    <p>The clock is <strong>${mode}</strong>: ${modes[mode]} ${step !== undefined && html`One step is ${step} ms.`}</p>
    ${actions(
      setButton('Freeze', { mode: 'frozen' }),
      setButton('Step', { mode: 'stepping' }),
      setButton('Real', { mode: 'real' }),
    )}
    <h2>Advance</h2>
    <p>Scheduled payments run when they are due.</p>
    ${actions(
      Object.entries(steps).map(([label, milliseconds]) =>
        form(`+ ${label}`, 'advanceClock', { params, body: { milliseconds }, done: `Advanced by ${label}.` }),
      ),
    )}
    <div class="cards">
      ${form('Advance', 'advanceClock', {
        params,
        layout: 'card',
        title: 'By milliseconds',
        fields: field('milliseconds', 'Milliseconds', { type: 'number', min: 0, required: true }),
        done: 'Clock advanced.',
      })}
      ${form('Freeze at this time', 'setClock', {
        params,
        layout: 'card',
        title: 'Freeze at',
        fields: field('now', 'Time, in UTC', { placeholder: '2025-01-01T00:00:00Z', required: true }),
        body: { mode: 'frozen' },
        done: 'Clock frozen.',
      })}
      ${form('Step with writes', 'setClock', {
        params,
        layout: 'card',
        title: 'Step with each write',
        fields: field('step', 'Milliseconds of a step', { type: 'number', min: 0, value: 1000, required: true }),
        body: { mode: 'stepping' },
        done: 'The clock steps with each write.',
      })}
    </div>
  `
}

type Behavior = BehaviorSettings['registry'][number]

/** A switch for each behavior that the specification leaves open. */
export const behaviorsView: View = async (request) => {
  const { project } = request
  const params = { project }
  const { values, registry } = await callScoped(request, 'readBehaviors')
  const profileButtons = Object.entries(profiles).map(([name, profile]) =>
    form(`Use the profile ${name}`, 'changeBehaviors', {
      params,
      body: { ...defaultBehaviors, ...profile },
      done: `Set the behaviors of the profile ${name}.`,
    }),
  )
  const switches = registry.map((behavior) => switchFor(behavior, values[behavior.key]))
  return html`
    ${heading('Behaviors', project, 'How the mock behaves where the specification says "not shown". The first value is the default.')}
    ${actions(profileButtons)}
    ${form(undefined, 'changeBehaviors', { params, layout: 'switches', fields: switches, done: 'Behavior changed.' })}
    ${behaviorKeys.every((key) => values[key] === defaultBehaviors[key]) && html`<p>All behaviors have their defaults.</p>`}
  `
}

const switchFor = ({ key, values, default: initial, spec, summary }: Behavior, current: unknown) => html`
  <div class="switch" role="group" aria-labelledby="b-${key}" aria-describedby="s-${key}">
    <div>
      <code id="b-${key}">${key}</code> ${badge(spec)} ${current !== initial && badge('changed', 'plain')}
      <p id="s-${key}">${inlineMarkdown(summary)}</p>
    </div>
    <div class="choice">
      ${values.map((value) => {
        const isPressed = String(value === current)
        return html`<button name="${key}" value="${JSON.stringify(value)}" data-json aria-pressed="${isPressed}">
          ${String(value)}
        </button>`
      })}
    </div>
  </div>
`
