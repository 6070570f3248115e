import { html, type Markup } from '../html.ts'
import type { Effect, Fault } from '../../schema/fault.ts'
import { operationIds } from '../../schema/operation.ts'
import { clockNote, heading, live, table, text } from './components.ts'
import { actionAttributes, button, field, select } from './forms.ts'
import { callScoped, type View } from './page-request.ts'

/** Common faults. Each is created with one click. */
const presets: readonly (readonly [label: string, summary: string, rule: object])[] = [
  [
    'Lost answer',
    'The next payment link is created, and the connection breaks before the response.',
    { match: { operation: 'createPaymentLink' }, phase: 'after', effect: { connection: 'reset' } },
  ],
  ['503 twice', 'The next two requests fail.', { times: 2, effect: { status: 503 } }],
  ['Slow', 'Every response takes two seconds longer.', { times: null, effect: { delay: { milliseconds: 2000 } } }],
  [
    'Rate limit',
    'More than 5 requests in a second of the mock clock are rejected.',
    { effect: { rateLimit: { limit: 5, window: 1000 } } },
  ],
]

/** The faults that apply to the project: its own and those for all projects. */
export const faults: View = async (request) => {
  const { project, client } = request
  const { items: all } = await client.call('listFaults')
  const note = clockNote(await callScoped(request, 'readClock'))
  const items = all.filter((fault) => project === undefined || fault.project === null || fault.project === project)
  const removable = items.filter((fault) => project === undefined || fault.project === project)
  const removeLabel = project === undefined ? 'Remove all' : 'Remove all of this project'
  return live(html`
    ${heading('Faults', project, 'Errors that the mock makes on purpose. If several match, the newest applies.')}
    <div class="cards">
      ${presets.map(
        ([label, summary, body]) =>
          html`<div class="card">
            <p>${summary}</p>
            ${button(label, 'addFault', { project }, { body, done: `Broken on purpose: ${label}.` })}
          </div>`,
      )}
    </div>
    ${table({
      caption: 'Faults',
      head: ['Fault', 'Strikes', 'Effect', 'Hits', 'Remaining', 'Actions'],
      rows: items.map((fault) => rowOf(fault, project, note)),
      none: 'No fault is set.',
    })}
    ${
      removable.length > 1 &&
      html`<div class="actions">
        ${button(removeLabel, 'removeFaults', { project }, { look: 'danger', done: 'The faults are removed.' })}
      </div>`
    }
    ${faultForm(project, note)}
  `)
}

const rowOf = (fault: Fault, project: string | undefined, note: string | undefined) => {
  const { id, match, phase, skip = 0, probability = 1, effect, hits, remaining } = fault
  const params = { project: fault.project ?? undefined, fault: id }
  const isShared = project !== undefined && fault.project === null
  return {
    key: id,
    cells: [
      html`<code>${id}</code> ${isShared && html`<small>for all projects</small>`}`,
      html`${phase === 'after' ? 'after' : 'before'}
      ${match && Object.keys(match).length > 0 ? text(fieldsText(match)) : 'any request'}
      ${skip > 0 && html`<small>skips ${skip}</small>`}
      ${probability < 1 && html`<small>with probability ${probability}</small>`}`,
      html`${text(effectText(effect))} ${effect.rateLimit && note && html`<small>${note}</small>`}`,
      String(hits),
      remaining === null ? 'for ever' : String(remaining),
      html`<div class="actions">
        ${button('Remove', 'removeFault', params, {
          of: id,
          look: 'danger',
          done: `${id} is removed.`,
          confirm: isShared ? 'Remove this fault for all projects?' : undefined,
        })}
      </div>`,
    ],
  }
}

/** `status: 503, headers: {"retry-after":"1"}` */
const fieldsText = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

// In the order in which the effects happen.
const effectTexts: { readonly [K in keyof Effect]-?: (value: NonNullable<Effect[K]>) => string } = {
  delay: ({ milliseconds, jitter = 0 }) =>
    `waits ${formatted(milliseconds)}${jitter === 0 ? '' : ` to ${formatted(milliseconds + jitter)}`} ms`,
  rateLimit: ({ limit, window }) => `rejects more than ${formatted(limit)} requests in ${formatted(window)} ms`,
  connection: (how) =>
    ({
      reset: 'resets the connection',
      close: 'closes the connection without a response',
      hang: 'never responds',
    })[how],
  status: (status) => `responds ${status}`,
  headers: (headers) => `with ${fieldsText(headers)}`,
  body: (body) => `with the body ${JSON.stringify(body)}`,
  corrupt: (how) =>
    ({
      truncated: 'sends fewer bytes than announced',
      malformed: 'sends malformed JSON',
      empty: 'sends an empty body',
    })[how],
}

/** `waits 200 to 250 ms, responds 503, with retry-after: 1` */
const effectText = (effect: Effect): string =>
  (Object.keys(effectTexts) as (keyof Effect)[])
    .filter((key) => effect[key] !== undefined)
    .map((key) => (effectTexts[key] as (value: unknown) => string)(effect[key]))
    .join(', ')

const formatted = (value: number): string => value.toLocaleString('en-US')

/** A form for any fault. Empty fields have their defaults. */
const faultForm = (project: string | undefined, note: string | undefined): Markup => html`
  <details>
    <summary>Another fault</summary>
    <form ${actionAttributes('addFault', { project }, { done: 'The fault is set.', body: { effect: {} } })}>
      <fieldset class="grid">
        <legend>Requests</legend>
        ${select('match.operation', 'Operation', [['', 'any'], ...operationIds])}
        ${field('match.body', 'Part of the body (JSON)', { type: 'json', placeholder: '{"invoice":"inv_7"}' })}
        ${select('phase', 'Phase', [
          ['before', 'before: nothing happens'],
          ['after', 'after: it has happened'],
        ])}
        ${field('skip', 'Skip', { type: 'number', min: 0 })} ${field('times', 'Times', { type: 'number', min: 1 })}
        <label class="check"><input type="checkbox" name="times" value="null" data-json /> For ever</label>
        ${field('probability', 'Probability', { type: 'number', min: 0, max: 1, step: 'any' })}
      </fieldset>
      <fieldset class="grid">
        <legend>What happens</legend>
        ${field('effect.status', 'Status', { type: 'number', min: 200, max: 599 })}
        ${field('effect.headers', 'Headers (JSON)', { type: 'json', placeholder: '{"retry-after":"1"}' })}
        ${field('effect.body', 'Body (JSON)', { type: 'json' })}
        ${field('effect.delay.milliseconds', 'Delay in milliseconds (real time)', { type: 'number', min: 0 })}
        ${field('effect.delay.jitter', 'Random extra delay in milliseconds', { type: 'number', min: 0 })}
        ${select('effect.connection', 'Connection', [['', 'as it is'], 'reset', 'close', 'hang'])}
        ${select('effect.corrupt', 'Response', [['', 'as it is'], 'truncated', 'malformed', 'empty'])}
        ${field('effect.rateLimit.limit', 'Rate limit: requests', { type: 'number', min: 0 })}
        ${field('effect.rateLimit.window', 'Rate limit: milliseconds', { type: 'number', min: 1 })}
      </fieldset>
      ${note !== undefined && html`<p>A rate limit counts by the mock clock. ${note}</p>`}
      <button class="first">Set the fault</button>
    </form>
  </details>
`
