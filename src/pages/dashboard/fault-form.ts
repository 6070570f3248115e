import { html, type Markup } from '../html.ts'
import { operationIds } from '../../schema/operation.ts'
import { field, select } from './fields.ts'
import { calls } from './parts.ts'

const choice = (values: readonly string[], none: string) =>
  [['', none], ...values.map((one) => [one, one] as const)] as const

/** Every fault there can be, by form. What is left empty is as by default. */
export const faultForm = (project: string | undefined, still: string | undefined): Markup => html`
  <details>
    <summary>Another fault</summary>
    <form ${calls('addFault', { project }, { done: 'The fault is set.', body: { effect: {} } })}>
      <fieldset class="grid">
        <legend>Which requests, how often and when</legend>
        ${select({ name: 'match.operation', label: 'Operation', options: choice(operationIds, 'any') })}
        ${field({ name: 'match.body', label: 'Part of the body (JSON)', type: 'json', placeholder: '{"invoice":"inv_7"}' })}
        ${select({
          name: 'phase',
          label: 'Phase',
          options: [
            ['before', 'before: nothing happens'],
            ['after', 'after: it has happened'],
          ],
        })}
        ${field({ name: 'skip', label: 'Skip', type: 'number', min: 0 })}
        ${field({ name: 'times', label: 'Times', type: 'number', min: 1 })}
        <label class="check"><input type="checkbox" name="times" value="null" data-json /> For ever</label>
        ${field({ name: 'probability', label: 'Probability', type: 'number', min: 0, max: 1, step: 'any' })}
      </fieldset>
      <fieldset class="grid">
        <legend>What happens</legend>
        ${field({ name: 'effect.status', label: 'Status', type: 'number', min: 200, max: 599 })}
        ${field({ name: 'effect.headers', label: 'Headers (JSON)', type: 'json', placeholder: '{"retry-after":"1"}' })}
        ${field({ name: 'effect.body', label: 'Body (JSON)', type: 'json' })}
        ${field({ name: 'effect.delay.milliseconds', label: 'Delay in milliseconds (real time)', type: 'number', min: 0 })}
        ${field({ name: 'effect.delay.jitter', label: 'And up to so many more', type: 'number', min: 0 })}
        ${select({
          name: 'effect.connection',
          label: 'Connection',
          options: choice(['reset', 'close', 'hang'], 'as it is'),
        })}
        ${select({
          name: 'effect.corrupt',
          label: 'Answer',
          options: choice(['truncated', 'malformed', 'empty'], 'as it is'),
        })}
        ${field({ name: 'effect.rateLimit.limit', label: 'Rate limit: requests', type: 'number', min: 0 })}
        ${field({ name: 'effect.rateLimit.window', label: 'Rate limit: milliseconds', type: 'number', min: 1 })}
      </fieldset>
      ${still !== undefined && html`<p>A rate limit counts by the mock clock. ${still}</p>`}
      <button class="first">Set the fault</button>
    </form>
  </details>
`
