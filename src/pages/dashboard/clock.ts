import { html } from '../html.ts'
import type { ClockReading } from '../../schema/clock.ts'
import { field } from './fields.ts'
import { button, calls, clockTime, heading, live } from './parts.ts'
import { ask, type View } from './view.ts'

const second = 1000
const hour = 3600 * second
const steps: readonly (readonly [label: string, milliseconds: number])[] = [
  ['1 second', second],
  ['1 minute', 60 * second],
  ['1 hour', hour],
  ['1 day', 24 * hour],
  ['30 days', 30 * 24 * hour],
]

const modes = {
  real: 'It runs.',
  frozen: 'It stands still until it is moved.',
  stepping: 'It moves with each write.',
} satisfies Record<ClockReading['mode'], string>

/** What time it is, and how it is stopped and moved. */
export const clock: View = async (visit) => {
  const { project } = visit
  const reading = await ask(visit, 'readClock')
  const { mode, step } = reading
  const params = { project }
  const set = (label: string, body: object) =>
    button('setClock', params, { label, body, done: `The clock is set: ${label.toLowerCase()}.` })
  return live(html`
    ${heading('Clock', project, project === undefined ? 'What is set here is also set for future projects.' : undefined)}
    <p class="big">${clockTime(reading)} UTC</p>
    <p><strong>${mode}</strong> ${modes[mode]} ${step !== undefined && html`One step is ${step} ms.`}</p>
    <div class="actions">
      ${set('Freeze', { mode: 'frozen' })} ${set('Step', { mode: 'stepping' })} ${set('Real', { mode: 'real' })}
    </div>
    <h2>Advance</h2>
    <p>Planned payments that are then due come true.</p>
    <div class="actions">
      ${steps.map(([label, milliseconds]) =>
        button('advanceClock', params, { label: `+ ${label}`, body: { milliseconds }, done: `Advanced by ${label}.` }),
      )}
    </div>
    <div class="cards">
      <form class="card" ${calls('advanceClock', params, { done: 'The clock is advanced.' })}>
        <h3>By some time</h3>
        ${field({ name: 'milliseconds', label: 'Milliseconds', type: 'number', min: 0, required: true })}
        <button>Advance</button>
      </form>
      <form class="card" ${calls('setClock', params, { done: 'The clock is frozen.', body: { mode: 'frozen' } })}>
        <h3>Freeze at</h3>
        ${field({ name: 'now', label: 'Time, in UTC', placeholder: '2025-01-01T00:00:00Z', required: true })}
        <button>Freeze there</button>
      </form>
      <form class="card" ${calls('setClock', params, { done: 'The clock steps.', body: { mode: 'stepping' } })}>
        <h3>Step with each write</h3>
        ${field({ name: 'step', label: 'Milliseconds of a step', type: 'number', min: 0, value: 1000, required: true })}
        <button>Let it step</button>
      </form>
    </div>
  `)
}
