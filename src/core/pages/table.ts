import { html, type Markup } from './html.ts'
import { shorten } from '../schema/text.ts'

interface Table<T> {
  readonly caption: string
  readonly items: readonly T[]
  /** Identifies an item, so that the focus can return to it after a refresh. */
  readonly getKey: (item: T) => string
  /** The cell of an item by its column heading. */
  readonly columns: Readonly<Record<string, (item: T) => unknown>>
  readonly empty: string | Markup
  /** Whether the keyboard can scroll the table. A table with links does not need this. @default false */
  readonly hasScrollStop?: boolean
}

// A narrow screen scrolls the table: screen readers do not see a table if CSS stacks its cells.
export const table = <T>({ caption, items, getKey, columns, empty, hasScrollStop = false }: Table<T>): Markup => {
  if (items.length === 0) return note(empty)
  const renderCells = (item: T) =>
    Object.entries(columns).map(([heading, cell], index) =>
      index === 0 ? html`<th scope="row">${cell(item)}</th>` : html`<td data-column="${heading}">${cell(item)}</td>`,
    )
  return html`<div class="scroll" ${hasScrollStop && html`tabindex="0" role="region" aria-label="${caption}"`}>
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${Object.keys(columns).map((heading) => html`<th scope="col" data-column="${heading}">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${items.map(
          (item) =>
            html`<tr data-row="${line(getKey(item))}">
              ${renderCells(item)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

export const note = (content: unknown): Markup => html`<div class="none">${content}</div>`

/** The maximum number of characters in one line. */
const maxLine = 500

/** Text from outside in one line: shortened. */
export const line = (value: string): string => shorten(value, maxLine)
