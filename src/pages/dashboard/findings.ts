import { html } from '../html.ts'
import { badge, heading, live, table, text } from './parts.ts'
import { ask, linkTo, type View } from './view.ts'

/** What clients sent that the specification does not allow, and which readings answers relied on. */
export const findings: View = async (visit) => {
  const violations = await ask(visit, 'listViolations')
  const assumptions = await ask(visit, 'listAssumptions')
  return live(html`
    ${heading('Findings', visit.project, 'What the traffic of this run says of the client, and of the specification.')}
    <h2>Violations</h2>
    ${table({
      caption: 'What clients sent that the specification does not allow',
      head: ['Where', 'Section', 'What is wrong', 'Operation', 'Times', 'First'],
      rows: violations.items.map((one) => ({
        key: `${one.operation} ${one.path}`,
        cells: [
          text(one.path),
          badge(one.spec),
          text(one.message),
          one.operation ?? 'none',
          String(one.count),
          firstOf(one.first),
        ],
      })),
      none: 'Clients sent nothing that the specification does not allow.',
    })}
    ${violations.dropped > 0 && html`<p class="none">${violations.dropped} more found no room.</p>`}
    <h2>Assumptions</h2>
    ${table({
      caption: 'Readings of what the specification leaves open that answers relied on',
      head: ['Behavior', 'Reading', 'Answers', 'First'],
      rows: assumptions.items.map(({ key, value, count, first }) => ({
        key,
        cells: [html`<a href="#behaviors"><code>${key}</code></a>`, String(value), String(count), firstOf(first)],
      })),
      none: 'No answer relied on what the specification leaves open.',
    })}
  `)
}

const firstOf = (id: string) => html`<a href="${linkTo('request', { id })}">the request</a>`
