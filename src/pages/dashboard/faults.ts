import { html } from 'hono/html'
import type { Fault } from '../../schema/fault.ts'
import { faultForm } from './fault-form.ts'
import { button, heading, live, table, text } from './parts.ts'
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
    'More than 5 requests in a second are refused.',
    { effect: { rateLimit: { limit: 5, window: 1000 } } },
  ],
]

/** What is broken on purpose. */
export const faults: View = async (visit) => {
  const { project } = visit
  const { items } = await ask(visit, 'listFaults')
  return live(html`
    ${heading('Faults', 'What clients run into. Of several that match, the newest strikes.')}
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
      rows: items.map((fault) => rowOf(fault, project)),
      none: 'Nothing is broken.',
    })}
    ${
      items.length > 1 &&
      html`<div class="actions">
        ${button('removeFaults', { project }, { label: 'Remove all', look: 'danger', done: 'Nothing is broken any more.' })}
      </div>`
    }
    ${faultForm(project)}
  `)
}

const rowOf = (
  { id, match, phase, skip, probability, effect, hits, remaining, ...fault }: Fault,
  project?: string,
) => ({
  key: id,
  cells: [
    html`<code>${id}</code>
      ${project !== undefined && fault.project === null && html`<small>for all projects</small>`}`,
    html`${phase === 'after' ? 'after' : 'before'}
    ${match && Object.keys(match).length > 0 ? text(listed(match)) : 'any request'}
    ${skip && html`<small>skips ${skip}</small>`}
    ${probability !== undefined && probability < 1 && html`<small>with probability ${probability}</small>`}`,
    text(listed(effect)),
    String(hits),
    remaining === null ? 'for ever' : String(remaining),
    html`<div class="actions">
      ${button(
        'removeFault',
        { project: fault.project ?? undefined, fault: id },
        { label: 'Remove', of: id, look: 'danger', done: `${id} is gone.` },
      )}
    </div>`,
  ],
})

/** `status: 503, headers: {"retry-after":"1"}` */
const listed = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
