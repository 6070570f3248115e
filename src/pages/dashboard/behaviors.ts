import { html, inlineMarkdown } from '../html.ts'
import { type BehaviorSettings, behaviorKeys, defaultBehaviors, profiles } from '../../schema/behavior.ts'
import { badge, heading, live } from './components.ts'
import { actionAttributes, button } from './forms.ts'
import { callScoped, type View } from './page-request.ts'

type Behavior = BehaviorSettings['registry'][number]

/** A switch for each behavior that the specification leaves open. */
export const behaviors: View = async (request) => {
  const { project } = request
  const params = { project }
  const { values, registry } = await callScoped(request, 'readBehaviors')
  return live(html`
    ${heading('Behaviors', project, 'How the mock behaves where the specification says "not shown". The first value is the default.')}
    <div class="actions">
      ${Object.entries(profiles).map(([name, profile]) =>
        button(`Take the profile ${name}`, 'changeBehaviors', params, {
          body: { ...defaultBehaviors, ...profile },
          done: `As in the profile ${name}.`,
        }),
      )}
    </div>
    <form class="switches" ${actionAttributes('changeBehaviors', params, { done: 'The behavior is changed.' })}>
      ${registry.map((behavior) => switchFor(behavior, values[behavior.key]!))}
    </form>
    ${behaviorKeys.every((key) => values[key] === defaultBehaviors[key]) && html`<p>All are as by default.</p>`}
  `)
}

const switchFor = ({ key, values, default: initial, spec, summary }: Behavior, current: Behavior['default']) => html`
  <div class="switch" role="group" aria-labelledby="b-${key}" aria-describedby="s-${key}">
    <div>
      <code id="b-${key}">${key}</code> ${badge(spec)} ${current !== initial && badge('changed', 'plain')}
      <p id="s-${key}">${inlineMarkdown(summary)}</p>
    </div>
    <div class="choice">
      ${values.map(
        (one) =>
          html`<button name="${key}" value="${JSON.stringify(one)}" data-json aria-pressed="${String(one === current)}">
            ${String(one)}
          </button>`,
      )}
    </div>
  </div>
`
