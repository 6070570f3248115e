import { html, type Markup } from '../html.ts'
import type { Effect } from '../../schema/effect.ts'
import type { Fault } from '../../schema/fault.ts'
import { operationIds } from '../../schema/operation.ts'
import { actions, clockNote, collapsed, heading, live, table, text } from './components.ts'
import { field, form, select } from './forms.ts'
import { callScoped, type View } from './page-request.ts'

/** Common faults. Each is created with one click. */
const presets: readonly { readonly label: string; readonly summary: string; readonly rule: object }[] = [
  {
    label: 'Lost response',
    summary: 'The next payment link is created, and the connection breaks before the response.',
    rule: { match: { operation: 'createPaymentLink' }, phase: 'after', effect: { connection: 'reset' } },
  },
  { label: '503 twice', summary: 'The next two requests fail.', rule: { times: 2, effect: { status: 503 } } },
  {
    label: 'Slow',
    summary: 'Every response takes two seconds longer.',
    rule: { times: null, effect: { delay: { milliseconds: 2000 } } },
  },
  {
    label: 'Rate limit',
    summary: 'More than 5 requests in a second of the mock clock are rejected.',
    rule: { effect: { rateLimit: { limit: 5, window: 1000 } } },
  },
]

/** The faults that apply to the project: its own and those for all projects. */
export const faultsView: View = async (request) => {
  const { project, client } = request
  const params = { project }
  const { items: all } = await client.call('listFaults')
  const note = clockNote(await callScoped(request, 'readClock'))
  const items = all.filter((fault) => project === undefined || fault.project === null || fault.project === project)
  const removable = items.filter((fault) => project === undefined || fault.project === project)
  const removeLabel = project === undefined ? 'Remove all' : 'Remove all of this project'
  const removeAll = form(removeLabel, 'removeFaults', params, { look: 'danger', done: 'Faults removed.' })
  const isShared = (fault: Fault) => project !== undefined && fault.project === null
  return live(html`
    ${heading('Faults', project, 'Errors that the mock makes on purpose. If several match, the newest applies.')}
    <div class="cards">
      ${presets.map(({ label, summary, rule }) => {
        const fields = html`<p>${summary}</p>`
        return form(label, 'addFault', params, { layout: 'card', fields, body: rule, done: `Fault created: ${label}.` })
      })}
    </div>
    ${table({
      caption: 'Faults',
      items,
      getKey: ({ id }) => id,
      columns: {
        Fault: (fault) => html`<code>${fault.id}</code> ${isShared(fault) && html`<small>for all projects</small>`}`,
        When: describeWhen,
        Effect: ({ effect }) =>
          html`${text(describeEffect(effect))} ${effect.rateLimit && note && html`<small>${note}</small>`}`,
        Hits: ({ hits }) => hits,
        Remaining: ({ remaining }) => remaining ?? 'unlimited',
        Held: ({ held }) => held ?? '',
        Actions: (fault) => actions(releaseButton(fault), removeButton(fault, isShared(fault))),
      },
      empty: 'No faults.',
    })}
    ${removable.length > 1 && actions(removeAll)} ${collapsed('Another fault', createForm(params, note))}
  `)
}

const describeWhen = ({ match, phase = 'before', skip = 0, probability = 1 }: Fault) => html`
  ${phase} ${match && Object.keys(match).length > 0 ? text(formatFields(match)) : 'any request'}
  ${skip > 0 && html`<small>skips ${skip}</small>`}
  ${probability < 1 && html`<small>with probability ${probability}</small>`}
`

const releaseButton = ({ id, project, held = 0 }: Fault) =>
  held > 0 &&
  form(
    'Release',
    'releaseFault',
    { project: project ?? undefined, fault: id },
    { of: id, body: {}, done: `Released ${held}.` },
  )

const removeButton = ({ id, project }: Fault, isShared: boolean) => {
  const params = { project: project ?? undefined, fault: id }
  const confirm = isShared ? 'Remove this fault for all projects?' : undefined
  return form('Remove', 'removeFault', params, { of: id, look: 'danger', done: `Removed ${id}.`, confirm })
}

/** `status: 503, headers: {"retry-after":"1"}` */
const formatFields = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')

const connectionTexts = {
  reset: 'resets the connection',
  close: 'closes the connection without a response',
  hang: 'never responds',
}

const corruptTexts = {
  truncated: 'sends fewer bytes than announced',
  malformed: 'sends malformed JSON',
  empty: 'sends an empty body',
}

/** `waits 200 to 250 ms, responds 503, with retry-after: 1` */
// In the order in which the effects happen.
const describeEffect = ({ delay, hold, rateLimit, connection, status, headers, body, corrupt }: Effect): string =>
  [
    delay && `waits ${formatRange(delay.milliseconds, delay.jitter)} ms`,
    hold && 'holds the request until it is released',
    rateLimit && `rejects more than ${formatNumber(rateLimit.limit)} requests in ${formatNumber(rateLimit.window)} ms`,
    connection && connectionTexts[connection],
    status !== undefined && `responds ${status}`,
    headers && `with ${formatFields(headers)}`,
    body !== undefined && `with the body ${JSON.stringify(body)}`,
    corrupt && corruptTexts[corrupt],
  ]
    .filter(Boolean)
    .join(', ')

const formatRange = (min: number, jitter = 0): string =>
  jitter === 0 ? formatNumber(min) : `${formatNumber(min)} to ${formatNumber(min + jitter)}`

const formatNumber = (value: number): string => value.toLocaleString('en-US')

/** A form for any fault. Empty fields have their defaults. */
const createForm = (params: { readonly project: string | undefined }, note: string | undefined): Markup => {
  const fields = html`
    <fieldset class="grid">
      <legend>Requests</legend>
      ${select('match.operation', 'Operation', [['', 'any'], ...operationIds])}
      ${field('match.body', 'Part of the body (JSON)', { type: 'json', placeholder: '{"invoice":"inv_7"}' })}
      ${select('phase', 'Phase', [
        ['before', 'before: it does not run'],
        ['after', 'after: it has run'],
      ])}
      ${field('skip', 'Skip', { type: 'number', min: 0 })} ${field('times', 'Times', { type: 'number', min: 1 })}
      <label class="check"><input type="checkbox" name="times" value="null" data-json /> Unlimited</label>
      ${field('probability', 'Probability', { type: 'number', min: 0, max: 1, step: 'any' })}
    </fieldset>
    <fieldset class="grid">
      <legend>Effect</legend>
      ${field('effect.status', 'Status', { type: 'number', min: 200, max: 599 })}
      ${field('effect.headers', 'Headers (JSON)', { type: 'json', placeholder: '{"retry-after":"1"}' })}
      ${field('effect.body', 'Body (JSON)', { type: 'json' })}
      ${field('effect.delay.milliseconds', 'Delay in milliseconds (real time)', { type: 'number', min: 0 })}
      ${field('effect.delay.jitter', 'Random extra delay in milliseconds', { type: 'number', min: 0 })}
      <label class="check"
        ><input type="checkbox" name="effect.hold" value="true" data-json /> Hold until released</label
      >
      ${select('effect.connection', 'Connection', [['', 'unchanged'], 'reset', 'close', 'hang'])}
      ${select('effect.corrupt', 'Response', [['', 'unchanged'], 'truncated', 'malformed', 'empty'])}
      ${field('effect.rateLimit.limit', 'Rate limit: requests', { type: 'number', min: 0 })}
      ${field('effect.rateLimit.window', 'Rate limit: milliseconds', { type: 'number', min: 1 })}
    </fieldset>
    ${note !== undefined && html`<p>A rate limit counts by the mock clock. ${note}</p>`}
  `
  const body = { effect: {} }
  return form('Create the fault', 'addFault', params, { look: 'first', fields, body, done: 'Fault created.' })
}
