import { html, type Markup } from '../html.ts'
import type { Page } from '../../schema/list.ts'
import { linkTo } from './view.ts'

/** How many rows a page has. The list verbs are asked for no more, so that 100,000 cost what 25 cost. */
export const pageSize = 25

type Marks = Pick<Page<unknown>, 'moreItemsAfter' | 'moreItemsBefore'>
type Filters = Readonly<Record<string, string>>

/** The ways to the next page and the one in front. `filters` are those of the list. */
export const pager = (view: string, { moreItemsAfter, moreItemsBefore }: Marks, filters: Filters): Markup | '' =>
  moreItemsAfter === null && moreItemsBefore === null
    ? ''
    : html`<nav class="pager" aria-label="Pages">
        ${moreItemsBefore !== null && html`<a class="button" href="${linkTo(view, filters)}">First</a>`}
        ${
          moreItemsBefore !== null &&
          html`<a class="button" href="${linkTo(view, { ...filters, before: moreItemsBefore })}">Previous</a>`
        }
        ${
          moreItemsAfter !== null &&
          html`<a class="button" href="${linkTo(view, { ...filters, after: moreItemsAfter })}">Next</a>`
        }
      </nav>`
