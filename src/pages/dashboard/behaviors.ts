import { html, inlineMarkdown } from '../html.ts'
import { behaviorKeys, type BehaviorSettings, defaultBehaviors, profiles } from '../../schema/behavior.ts'
import { actions, badge, heading, live } from './components.ts'
import { attributes, callAttributes, form } from './forms.ts'
import { callScoped, type View } from './page-request.ts'

type Behavior = BehaviorSettings['registry'][number]

/** A switch for each behavior that the specification leaves open. */
export const behaviorsView: View = async (request) => {
  const { project } = request
  const params = { project }
  const { values, registry } = await callScoped(request, 'readBehaviors')
  const profileButtons = Object.entries(profiles).map(([name, profile]) =>
    form(`Use the profile ${name}`, 'changeBehaviors', params, {
      body: { ...defaultBehaviors, ...profile },
      done: `Set the behaviors of the profile ${name}.`,
    }),
  )
  return live(html`
    ${heading('Behaviors', project, 'How the mock behaves where the specification says "not shown". The first value is the default.')}
    ${actions(profileButtons)}
    <form class="switches" ${attributes(callAttributes('changeBehaviors', params, { done: 'Behavior changed.' }))}>
      ${registry.map((behavior) => switchFor(behavior, values[behavior.key]))}
    </form>
    ${behaviorKeys.every((key) => values[key] === defaultBehaviors[key]) && html`<p>All behaviors have their defaults.</p>`}
  `)
}

const switchFor = ({ key, values, default: initial, spec, summary }: Behavior, current: unknown) => html`
  <div class="switch" role="group" aria-labelledby="b-${key}" aria-describedby="s-${key}">
    <div>
      <code id="b-${key}">${key}</code> ${badge(spec)} ${current !== initial && badge('changed', 'plain')}
      <p id="s-${key}">${inlineMarkdown(summary)}</p>
    </div>
    <div class="choice">
      ${values.map((value) => {
        const isPressed = String(value === current)
        return html`<button name="${key}" value="${JSON.stringify(value)}" data-json aria-pressed="${isPressed}">
          ${String(value)}
        </button>`
      })}
    </div>
  </div>
`
