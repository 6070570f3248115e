import { html } from '../html.ts'
import type { Fault } from '../../schema/fault.ts'
import { faultForm } from './fault-form.ts'
import { effectText } from './effect-text.ts'
import { button, heading, live, standstill, table, text } from './parts.ts'
import { ask, type View } from './view.ts'

/** What goes wrong most often, by one click. */
const presets: readonly (readonly [label: string, what: string, rule: object])[] = [
  [
    'Lost answer',
    'The next payment link is created, and the connection breaks before the answer.',
    { match: { operation: 'createPaymentLink' }, phase: 'after', effect: { connection: 'reset' } },
  ],
  ['503 twice', 'The next two requests are refused.', { times: 2, effect: { status: 503 } }],
  ['Slow', 'Every answer takes two seconds longer.', { times: null, effect: { delay: { milliseconds: 2000 } } }],
  [
    'Rate limit',
    'More than 5 requests in a second of the mock clock are rejected.',
    { effect: { rateLimit: { limit: 5, window: 1000 } } },
  ],
]

/** What is broken on purpose. One project is hit by its own faults and by those for all. */
export const faults: View = async (visit) => {
  const { project, steer } = visit
  const { items: all } = await steer.call('listFaults')
  const still = standstill(await ask(visit, 'readClock'))
  const items = all.filter((one) => project === undefined || one.project === null || one.project === project)
  const removable = items.filter((one) => project === undefined || one.project === project)
  return live(html`
    ${heading('Faults', project, 'What clients run into. Of several that match, the newest strikes.')}
    <div class="cards">
      ${presets.map(
        ([label, what, body]) =>
          html`<div class="card">
            <p>${what}</p>
            ${button('addFault', { project }, { label, body, done: `Broken on purpose: ${label}.` })}
          </div>`,
      )}
    </div>
    ${table({
      caption: 'Faults',
      head: ['Fault', 'Strikes', 'Effect', 'Hits', 'Remaining', 'Actions'],
      rows: items.map((fault) => rowOf(fault, project, still)),
      none: 'Nothing is broken.',
    })}
    ${
      removable.length > 1 &&
      html`<div class="actions">
        ${button(
          'removeFaults',
          { project },
          {
            label: project === undefined ? 'Remove all' : 'Remove all of this project',
            look: 'danger',
            done: 'The faults are removed.',
          },
        )}
      </div>`
    }
    ${faultForm(project, still)}
  `)
}

const rowOf = (
  { id, match, phase, skip, probability, effect, hits, remaining, ...fault }: Fault,
  project: string | undefined,
  still: string | undefined,
) => {
  const isShared = project !== undefined && fault.project === null
  return {
    key: id,
    cells: [
      html`<code>${id}</code> ${isShared && html`<small>for all projects</small>`}`,
      html`${phase === 'after' ? 'after' : 'before'}
      ${match && Object.keys(match).length > 0 ? text(listed(match)) : 'any request'}
      ${skip !== undefined && skip > 0 && html`<small>skips ${skip}</small>`}
      ${probability !== undefined && probability < 1 && html`<small>with probability ${probability}</small>`}`,
      html`${text(effectText(effect))} ${effect.rateLimit && still && html`<small>${still}</small>`}`,
      String(hits),
      remaining === null ? 'for ever' : String(remaining),
      html`<div class="actions">
        ${button(
          'removeFault',
          { project: fault.project ?? undefined, fault: id },
          {
            label: 'Remove',
            of: id,
            look: 'danger',
            done: `${id} is removed.`,
            confirm: isShared ? 'Remove this fault for all projects?' : undefined,
          },
        )}
      </div>`,
    ],
  }
}

/** `status: 503, headers: {"retry-after":"1"}` */
const listed = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
