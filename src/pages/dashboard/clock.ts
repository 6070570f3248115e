import { html } from '../html.ts'
import type { ClockReading } from '../../schema/clock.ts'
import { clockTime, heading, live } from './components.ts'
import { actionAttributes, button, field } from './forms.ts'
import { callScoped, type View } from './page-request.ts'

const steps: readonly (readonly [label: string, milliseconds: number])[] = [
  ['1 second', 1000],
  ['1 minute', 60_000],
  ['1 hour', 3_600_000],
  ['1 day', 86_400_000],
  ['30 days', 30 * 86_400_000],
]

const modes = {
  real: 'It runs.',
  frozen: 'It stands still until it is moved.',
  stepping: 'It moves with each write.',
} satisfies Record<ClockReading['mode'], string>

/** The time of the mock clock, and forms to set and advance it. */
export const clock: View = async (request) => {
  const { project } = request
  const reading = await callScoped(request, 'readClock')
  const { mode, step } = reading
  const params = { project }
  const setButton = (label: string, body: object) =>
    button(label, 'setClock', params, { body, done: `The clock is set: ${label.toLowerCase()}.` })
  return live(html`
    ${heading('Clock', project, project === undefined ? 'What is set here is also set for future projects.' : undefined)}
    <p class="big">${clockTime(reading)} UTC</p>
    <p><strong>${mode}</strong> ${modes[mode]} ${step !== undefined && html`One step is ${step} ms.`}</p>
    <div class="actions">
      ${setButton('Freeze', { mode: 'frozen' })} ${setButton('Step', { mode: 'stepping' })}
      ${setButton('Real', { mode: 'real' })}
    </div>
    <h2>Advance</h2>
    <p>Scheduled payments that are then due are executed.</p>
    <div class="actions">
      ${steps.map(([label, milliseconds]) =>
        button(`+ ${label}`, 'advanceClock', params, { body: { milliseconds }, done: `Advanced by ${label}.` }),
      )}
    </div>
    <div class="cards">
      <form class="card" ${actionAttributes('advanceClock', params, { done: 'The clock is advanced.' })}>
        <h3>By some time</h3>
        ${field('milliseconds', 'Milliseconds', { type: 'number', min: 0, required: true })}
        <button>Advance</button>
      </form>
      <form
        class="card"
        ${actionAttributes('setClock', params, { done: 'The clock is frozen.', body: { mode: 'frozen' } })}
      >
        <h3>Freeze at</h3>
        ${field('now', 'Time, in UTC', { placeholder: '2025-01-01T00:00:00Z', required: true })}
        <button>Freeze there</button>
      </form>
      <form
        class="card"
        ${actionAttributes('setClock', params, { done: 'The clock steps.', body: { mode: 'stepping' } })}
      >
        <h3>Step with each write</h3>
        ${field('step', 'Milliseconds of a step', { type: 'number', min: 0, value: 1000, required: true })}
        <button>Let it step</button>
      </form>
    </div>
  `)
}
