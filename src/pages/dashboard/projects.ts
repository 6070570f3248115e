import { html } from '../html.ts'
import type { ProjectSummary } from '../../schema/summaries.ts'
import { field, filter } from './fields.ts'
import { button, calls, clockTime, counted, fromField, heading, live, table, text } from './parts.ts'
import { containsText } from './search.ts'
import { given, isAddressable, linkTo, type View } from './view.ts'

/** How many projects are shown at once: a run of tests may make thousands. */
const most = 50

/** The projects at a glance, and how one is made, reset and deleted. */
export const projects: View = async ({ steer, query }) => {
  const { items } = await steer.call('listProjects')
  const { q = '', from = '0' } = given(query, ['q', 'from'])
  const found = items.filter(({ id }) => containsText([id], q))
  const start = Math.max(0, Math.min(Number(from) || 0, found.length - 1))
  return live(html`
    ${heading('Projects', undefined, 'A project is a sandbox: its rows, ids, clock and faults are its own.')}
    <div class="bar">
      ${filter('projects', field({ name: 'q', label: 'Name', type: 'search', value: q, hint: 'Any part of it, in upper or lower case.' }), 'Find')}
      ${create}
    </div>
    ${table({
      caption: 'Projects',
      head: ['Project', 'Users', 'Payment links', 'Revision', 'Locale', 'Clock', 'Actions'],
      rows: found.slice(start, start + most).map(rowOf),
      none:
        q === '' ? 'No project yet. One comes into being on first use, or here.' : 'No project has this in its name.',
    })}
    ${pager(q, start, found.length)}
    <details>
      <summary>All projects</summary>
      <p>Back to the seed, with all that was made since.</p>
      ${button(
        'reset',
        {},
        {
          label: 'Reset all projects',
          look: 'danger',
          done: 'All projects are as at the start.',
          confirm: 'Reset all projects? What was changed since the start is lost.',
        },
      )}
    </details>
  `)
}

const rowOf = ({ id, users, paymentLinks, revision, preferredLocale, clock }: ProjectSummary) => ({
  key: id,
  cells: [
    isAddressable(id) ? html`<a href="?project=${encodeURIComponent(id)}#payment-links">${text(id)}</a>` : text(id),
    users.toLocaleString('en-US'),
    paymentLinks.toLocaleString('en-US'),
    String(revision),
    preferredLocale,
    html`${clockTime(clock)} ${clock.mode}`,
    isAddressable(id) &&
      html`<div class="actions">
        ${button(
          'reset',
          { project: id },
          {
            label: 'Reset',
            of: id,
            done: `${id} is as at the start.`,
            confirm: resetQuestion(id),
          },
        )}
        ${button(
          'deleteProject',
          { project: id },
          {
            label: 'Delete',
            of: id,
            look: 'danger',
            done: `${id} is deleted.`,
            confirm: `Delete the project ${id} with all its records?`,
            typed: id,
          },
        )}
      </div>`,
  ],
})

export const resetQuestion = (project: string): string => `Reset ${project}? What was changed since the start is lost.`

const create = html`
  <form class="row" ${calls('changeProject', { project: fromField }, { done: 'The project is there.', body: {} })}>
    ${field({ name: 'project', label: 'New project', required: true, pattern: String.raw`(?!\.{1,2}$).*` })}
    <button class="first">Create</button>
  </form>
`

const pager = (q: string, start: number, all: number) =>
  all <= most
    ? ''
    : html`<nav class="pager" aria-label="Pages">
        ${start > 0 && html`<a class="button" href="${linkTo('projects', { q, from: `${start - most}` })}">Previous</a>`}
        <span>${start + 1} to ${Math.min(start + most, all)} of ${counted(all, 'project')}</span>
        ${
          start + most < all &&
          html`<a class="button" href="${linkTo('projects', { q, from: `${start + most}` })}">Next</a>`
        }
      </nav>`
