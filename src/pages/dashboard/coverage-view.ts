import { html, type Markup } from '../html.ts'
import { anyOperation, getSituationName } from '../../schema/coverage-text.ts'
import type { Coverage, CoverageItem } from '../../schema/summaries.ts'
import { badge, collapsed, formatCount, heading, live, table } from './components.ts'
import { copyButton, form } from './forms.ts'
import { callScoped, getDashboardLink, getViewLink, type View } from './page-request.ts'

/** The situations that clients were shown, and those that they were never shown. */
export const coverageView: View = async (request) => {
  const { project, sandbox } = request
  // Without a format, the coverage is data.
  const { seen, total, items } = (await callScoped(request, 'readCoverage')) as Coverage
  return live(html`
    ${heading('Coverage', project, `Clients were shown ${seen} of ${formatCount(total, 'situation')}.`)}
    <div class="bar">
      ${form(
        'Clear the coverage',
        'clearCoverage',
        { project },
        { done: 'Coverage cleared.', confirm: `Clear the coverage of ${project ?? 'all projects'}?` },
      )}
    </div>
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
