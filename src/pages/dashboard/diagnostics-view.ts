import { anyOperation, getSituationName } from '../../schema/coverage-text.ts'
import type { Coverage, CoverageItem } from '../../schema/summaries.ts'
import { html, type Markup } from '../html.ts'
import { badge, heading, live, note, table, text, collapsed, formatCount } from './components.ts'
import { clearButton, emptyState, formatCommandCurl, copyButton } from './forms.ts'
import { callScoped, getViewLink, type View, getDashboardLink } from './page-request.ts'

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

/** The situations that clients were shown, and those that they were never shown. */
export const coverageView: View = async (request) => {
  const { project, sandbox } = request
  // Without a format, the coverage is data.
  const { seen, total, items } = (await callScoped(request, 'readCoverage')) as Coverage
  return live(html`
    ${heading('Coverage', project, `Clients were shown ${seen} of ${formatCount(total, 'situation')}.`)}
    <div class="bar">${clearButton('coverage', 'clearCoverage', project)}</div>
    ${table({
      caption: 'What operations showed to clients',
      items,
      getKey: getSituationName,
      columns: {
        Operation: ({ operation }) => (operation === null ? anyOperation : html`<code>${operation}</code>`),
        Situation: ({ situation }) => situation,
        Shown: ({ seen }) => (seen === 0 ? badge('never', 'bad') : badge(formatCount(seen, 'time'), 'good')),
        Request: (item) =>
          item.show === undefined ? firstRequestLink(item, sandbox) : collapsed('Show it', lineBlock(item, item.show)),
      },
      empty: 'There is no operation.',
    })}
  `)
}

/** Links to the first request, which may be in the journal of a sandbox. */
const firstRequestLink = ({ request, sandbox }: CoverageItem, from: string | undefined): Markup => {
  const link = getViewLink('request', { id: request ?? '' })
  const href = sandbox === undefined ? link : `${getDashboardLink(from, sandbox)}${link}`
  return html`<a href="${href}">First request</a>${sandbox !== undefined && html` in <code>${sandbox}</code>`}`
}

/** The line that shows a situation, to paste into a test. */
const lineBlock = (item: CoverageItem, line: string): Markup =>
  html`<div class="curl" role="group" aria-label="The line that shows ${getSituationName(item)}">
    <pre tabindex="0"><code>${line}</code></pre>
    ${copyButton}
  </div>`
