import { html } from '../html.ts'
import { badge, heading, live, table, text } from './components.ts'
import { callScoped, linkTo, type View } from './page-request.ts'

/** The violations of clients, and the behavior values that responses depended on. */
export const diagnostics: View = async (request) => {
  const violations = await callScoped(request, 'listViolations')
  const assumptions = await callScoped(request, 'listAssumptions')
  return live(html`
    ${heading('Diagnostics', request.project, 'Violations of clients, and behaviors that responses depended on.')}
    <h2>Violations</h2>
    ${table({
      caption: 'What clients sent that the specification does not allow',
      head: ['Where', 'Section', 'What is wrong', 'Operation', 'Times', 'First'],
      rows: violations.items.map(({ path, spec, message, operation, count, first }) => ({
        key: `${operation} ${path}`,
        cells: [text(path), badge(spec), text(message), operation ?? 'none', String(count), requestLink(first)],
      })),
      none: 'Clients sent nothing that the specification does not allow.',
    })}
    ${violations.dropped > 0 && html`<p class="none">${violations.dropped} more found no room.</p>`}
    <h2>Assumptions</h2>
    ${table({
      caption: 'Behaviors that responses depended on',
      head: ['Behavior', 'Reading', 'Answers', 'First'],
      rows: assumptions.items.map(({ key, value, count, first }) => ({
        key,
        cells: [html`<a href="#behaviors"><code>${key}</code></a>`, String(value), String(count), requestLink(first)],
      })),
      none: 'No response depended on a behavior.',
    })}
  `)
}

const requestLink = (id: string) => html`<a href="${linkTo('request', { id })}">the request</a>`
