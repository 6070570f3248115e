import { html } from '../html.ts'
import { badge, heading, live, note, table, text } from './components.ts'
import { emptyState, formatCommandCurl } from './forms.ts'
import { callScoped, getViewLink, type View } from './page-request.ts'

/** The violations of clients, and the behavior values that responses depended on. */
export const diagnosticsView: View = async (request) => {
  const violations = await callScoped(request, 'listViolations')
  const assumptions = await callScoped(request, 'listAssumptions')
  return live(html`
    ${heading('Diagnostics', request.project, 'Violations of clients, and behaviors that responses depended on.')}
    <h2>Violations</h2>
    ${table({
      caption: 'Parts of requests that the specification does not allow',
      items: violations.items,
      getKey: ({ operation, path }) => `${operation} ${path}`,
      columns: {
        Where: ({ path }) => text(path),
        Section: ({ spec }) => badge(spec),
        Problem: ({ message }) => text(message),
        Operation: ({ operation }) => operation ?? 'none',
        Count: ({ count }) => count,
        First: ({ first }) => requestLink(first),
      },
      empty: emptyState('The specification allows all requests.', formatCommandCurl(request, 'listViolations')),
    })}
    ${violations.dropped > 0 && note(`${violations.dropped} more were not kept.`)}
    <h2>Assumptions</h2>
    ${table({
      caption: 'Behaviors that responses depended on',
      items: assumptions.items,
      getKey: ({ key }) => key,
      columns: {
        Behavior: ({ key }) => html`<a href="#behaviors"><code>${key}</code></a>`,
        Value: ({ value }) => String(value),
        Responses: ({ count }) => count,
        First: ({ first }) => requestLink(first),
      },
      empty: emptyState('No response depended on a behavior.', formatCommandCurl(request, 'listAssumptions')),
    })}
  `)
}

const requestLink = (id: string) => html`<a href="${getViewLink('request', { id })}">First request</a>`
