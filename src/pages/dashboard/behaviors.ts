import { html } from '../html.ts'
import { type BehaviorReadings, behaviorKeys, defaultBehaviors, profiles } from '../../schema/behavior.ts'
import { badge, button, calls, heading, live } from './parts.ts'
import { prose } from '../prose.ts'
import { ask, type View } from './view.ts'

type Reading = BehaviorReadings['registry'][number]

/** What the specification leaves open, as switches. */
export const behaviors: View = async (visit) => {
  const { project } = visit
  const { values, registry } = await ask(visit, 'readBehaviors')
  return live(html`
    ${heading('Behaviors', project, 'Where the specification says "not shown", this is how it is read. The first reading is the default.')}
    <div class="actions">
      ${Object.entries(profiles).map(([name, profile]) =>
        button(
          'changeBehaviors',
          { project },
          {
            label: `Take the profile ${name}`,
            body: { ...defaultBehaviors, ...profile },
            done: `As in the profile ${name}.`,
          },
        ),
      )}
    </div>
    <form class="switches" ${calls('changeBehaviors', { project }, { done: 'Read anew.' })}>
      ${registry.map((reading) => switchOf(reading, values[reading.key]!))}
    </form>
    ${behaviorKeys.every((key) => values[key] === defaultBehaviors[key]) && html`<p>All are as by default.</p>`}
  `)
}

const switchOf = ({ key, values, default: fallback, spec, summary }: Reading, value: Reading['default']) => html`
  <div class="switch" role="group" aria-labelledby="b-${key}" aria-describedby="s-${key}">
    <div>
      <code id="b-${key}">${key}</code> ${badge(spec)} ${value !== fallback && badge('changed', 'plain')}
      <p id="s-${key}">${prose(summary)}</p>
    </div>
    <div class="choice">
      ${values.map(
        (one) =>
          html`<button name="${key}" value="${JSON.stringify(one)}" data-json aria-pressed="${String(one === value)}">
            ${String(one)}
          </button>`,
      )}
    </div>
  </div>
`
