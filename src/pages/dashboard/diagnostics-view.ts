import { anyOperation, getSituationName, summarizeCoverage } from '../../schema/coverage-text.ts'
import type { Coverage } from '../../schema/summaries.ts'
import { codeBlock, html, type Markup } from '../html.ts'
import { badge, heading, note, table, text, collapsed, formatCount } from './components.ts'
import { clearButton, copyButton, emptyState } from './forms.ts'
import { callScoped, getViewLink, type View, getDashboardLink } from './page-request.ts'

/** The violations of clients, and the behavior values that responses depended on. */
export const diagnosticsView: View = async (request) => {
  const violations = await callScoped(request, 'listViolations')
  const assumptions = await callScoped(request, 'listAssumptions')
  return html`
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
      empty: emptyState('The specification allows all requests.', request, 'listViolations'),
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
      empty: emptyState('No response depended on a behavior.', request, 'listAssumptions'),
    })}
  `
}

/** The situations that clients were shown, and those that they were never shown. */
export const coverageView: View = async (request) => {
  const { project, sandbox } = request
  // Without a format, the coverage is data.
  const coverage = (await callScoped(request, 'readCoverage')) as Coverage
  return html`
    ${heading('Coverage', project, `${summarizeCoverage(coverage)}.`)}
    <div class="bar">${clearButton('coverage', 'clearCoverage', project)}</div>
    ${table({
      caption: 'What operations showed to clients',
      items: coverage.items,
      getKey: getSituationName,
      columns: {
        Operation: ({ operation }) => (operation === null ? anyOperation : html`<code>${operation}</code>`),
        Situation: ({ situation }) => situation,
        Shown: ({ seen }) => (seen === 0 ? badge('never', 'bad') : badge(formatCount(seen, 'time'), 'good')),
        Request: (item) =>
          item.show === undefined
            ? requestLink(item.request ?? '', sandbox, item.sandbox)
            : collapsed('Show it', codeBlock(`The line that shows ${getSituationName(item)}`, item.show, copyButton)),
      },
      empty: 'There is no operation.',
    })}
  `
}

/** Links to the first request, which may be in the journal of a sandbox. */
const requestLink = (id: string, from?: string, sandbox?: string): Markup => {
  const dashboard = sandbox === undefined ? '' : getDashboardLink(from, sandbox)
  const link = html`<a href="${dashboard}${getViewLink('request', { id })}">First request</a>`
  return html`${link}${sandbox !== undefined && html` in <code>${sandbox}</code>`}`
}
