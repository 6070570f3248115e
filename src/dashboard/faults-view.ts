import { html, type Markup } from '../core/pages/html.ts'
import type { Fault } from '../core/schema/fault.ts'
import { operationIds } from '../core/schema/operation-routes.ts'
import { actions, addForm, clockNote, heading, text, time } from './components.ts'
import { table } from '../core/pages/table.ts'
import { choices, field, type FieldOptions, fixed, nullCheckbox, select } from './fields.ts'
import { emptyState, form } from './forms.ts'
import { callScoped, type View } from './page-request.ts'

const faultPresets: Readonly<Record<string, { readonly summary: string; readonly rule: object }>> = {
  'Lost response': {
    summary: 'The next payment link is created, and the connection breaks before the response.',
    rule: { match: { operation: 'createPaymentLink' }, phase: 'after', effect: { connection: 'reset' } },
  },
  '503 twice': { summary: 'The next two requests fail.', rule: { times: 2, effect: { status: 503 } } },
  Slow: {
    summary: 'Every response takes two seconds longer.',
    rule: { times: null, effect: { delay: { milliseconds: 2000 } } },
  },
  'Rate limit': {
    summary: 'More than 5 requests in a second of the mock clock are rejected.',
    rule: { effect: { rateLimit: { limit: 5, window: 1000 } } },
  },
  'Stale reads': {
    summary: 'Lists, searches and retrieves miss the newest change.',
    rule: { times: null, effect: { stale: { changes: 1 } } },
  },
  'Delivered twice': {
    summary: 'The next payment link is created twice, as by a gateway that sends the request again.',
    rule: { match: { operation: 'createPaymentLink' }, effect: { duplicate: true } },
  },
  'Later release': {
    summary: 'Responses have unknown fields, another order and times with microseconds.',
    rule: { times: null, effect: { evolve: true } },
  },
}

/** The faults that apply to the project: its own and those for all projects. */
export const faultsView: View = async (request) => {
  const { project, client } = request
  const params = { project }
  const { items: allFaults } = await client.call('listFaults')
  const note = clockNote(await callScoped(request, 'readClock'))
  const projectFaults = allFaults
    .filter((fault) => project === undefined || fault.project === null || fault.project === project)
    .toReversed()
  const removableFaults = projectFaults.filter((fault) => project === undefined || fault.project === project)
  const removeLabel = project === undefined ? 'Remove all' : 'Remove all of this project'
  const removeAll = form(removeLabel, 'removeFaults', params, { look: 'danger', done: 'Faults removed.' })
  const isShared = (fault: Fault) => project !== undefined && fault.project === null
  return html`
    ${heading('Faults', project, 'Errors that the mock makes on purpose. If several match, the newest applies.')}
    <div class="bar">
      ${addForm('Add a fault', createFaultForm(params, note))} ${removableFaults.length > 1 && removeAll}
    </div>
    ${table({
      caption: 'Faults',
      items: projectFaults,
      getKey: ({ id }) => id,
      columns: {
        Fault: (fault) => html`<code>${fault.id}</code> ${isShared(fault) && html`<small>for all projects</small>`}`,
        When: describeWhen,
        Effect: ({ effect }) =>
          html`${text(formatFields(effect))} ${effect.rateLimit && note && html`<small>${note}</small>`}`,
        Hits: ({ hits }) => hits,
        Remaining: ({ remaining }) => remaining ?? 'unlimited',
        Held: ({ held }) => held ?? '',
        Actions: (fault) => faultButtons(fault, isShared(fault)),
      },
      empty: emptyState('No faults yet.', request, 'addFault'),
    })}
    <h2>Common faults</h2>
    <div class="cards">
      ${Object.entries(faultPresets).map(([label, { summary, rule }]) => {
        const fields = html`<p>${summary}</p>`
        return form(label, 'addFault', params, { layout: 'card', fields, body: rule, done: `Fault created: ${label}.` })
      })}
    </div>
  `
}

const describeWhen = ({ match, phase = 'before', skip = 0, probability = 1, from, until }: Fault) => html`
  ${phase} ${match && Object.keys(match).length > 0 ? text(formatFields(match)) : 'any request'}
  ${skip > 0 && html`<small>skips ${skip}</small>`}
  ${probability < 1 && html`<small>with probability ${probability}</small>`}
  ${from !== undefined && html`<small>from ${time(from)}</small>`}
  ${until !== undefined && html`<small>until ${time(until)}</small>`}
`

const faultButtons = ({ id, project, held = 0 }: Fault, isShared: boolean) => {
  const params = { project: project ?? undefined, fault: id }
  const confirm = isShared ? 'Remove this fault for all projects?' : undefined
  return actions(
    held > 0 && form('Release', 'releaseFault', params, { of: id, body: {}, done: `Released ${held}.` }),
    form('Remove', 'removeFault', params, { of: id, look: 'danger', done: `Removed ${id}.`, confirm }),
  )
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

const numberField = (name: string, label: string, hint: string, more?: FieldOptions) =>
  field(name, label, { type: 'number', min: 0, hint, ...more })

const jsonField = (name: string, label: string, hint: string, placeholder?: string) =>
  field(name, label, { type: 'json', hint, placeholder })

/** The effects on a request, each with its fields. `note` says how the mock clock runs. */
const createEffects = (note: string | undefined): Readonly<Record<string, Markup>> => ({
  'An error status': html`
    ${numberField('effect.status', 'Status', 'Responds with this status.', { min: 200, max: 599, required: true })}
    ${jsonField('effect.headers', 'Headers (JSON)', 'Adds these headers to the status.', '{"retry-after":"1"}')}
    ${jsonField('effect.body', 'Body (JSON)', 'Sends this body with the status. Empty: an error object.')}
  `,
  'A delay': html`
    ${numberField('effect.delay.milliseconds', 'Delay in milliseconds', 'Waits this long, in real time.', { required: true })}
    ${numberField('effect.delay.jitter', 'Random extra delay', 'Adds up to this many milliseconds to the delay.')}
  `,
  'A broken connection': select('effect.connection', 'Connection', Object.entries(connectionTexts), {
    hint: 'How the connection breaks.',
  }),
  'A damaged body': select('effect.corrupt', 'Response', Object.entries(corruptTexts), {
    hint: 'How the body of the response is damaged.',
  }),
  'A response that is held': fixed('effect.hold', 'The request waits until you release it here.'),
  'A rate limit': html`
    ${numberField('effect.rateLimit.limit', 'Requests', 'Rejects all requests above this number with 429.', { required: true })}
    ${numberField('effect.rateLimit.window', 'Window in milliseconds', 'By the mock clock.', { min: 1, required: true })}
    ${note !== undefined && html`<p>${note}</p>`}
  `,
  'A stale read': numberField('effect.stale.changes', 'Changes', 'Reads the state of this many changes ago.', {
    min: 1,
    max: 100,
    required: true,
  }),
  'A request delivered twice': fixed('effect.duplicate', 'The client gets the second response.'),
  'A later release': fixed('effect.evolve', 'Adds fields, and changes their order and times.'),
})

const createFaultForm = (params: { readonly project: string | undefined }, note: string | undefined): Markup => {
  const fields = html`
    <fieldset>
      <legend>1. What happens</legend>
      ${choices('Effect', createEffects(note))}
    </fieldset>
    <fieldset>
      <legend>2. When it happens</legend>
      <div class="grid">
        ${select('match.operation', 'Operation', [['', 'any'], ...operationIds], {
          hint: 'Only requests of this operation.',
        })}
        ${jsonField('match.body', 'Part of the body (JSON)', 'Only requests whose body contains this.', '{"invoice":"inv_7"}')}
        ${select('phase', 'Phase', ['before', 'after'], {
          hint: 'Before the operation, or after it: then its change is made.',
        })}
        ${field('from', 'From', { placeholder: '2025-01-01T00:00:00Z', hint: 'Only from this time of the mock clock.' })}
        ${field('until', 'Until', { placeholder: '2025-01-01T00:00:00Z', hint: 'Only before this time of the mock clock.' })}
        ${numberField('skip', 'Skip', 'Lets this many matching requests pass first.')}
        ${numberField('times', 'Times', 'Applies to this many requests. Empty: to one.', { min: 1 })}
        ${nullCheckbox('times', 'Unlimited', 'Applies until it is removed.')}
        ${numberField('probability', 'Probability', 'From 0 to 1, at random. Empty: always.', { max: 1, step: 'any' })}
      </div>
    </fieldset>
  `
  const options = { look: 'first', fields, body: { effect: {} }, done: 'Fault created.' } as const
  return form('Create the fault', 'addFault', params, options)
}
