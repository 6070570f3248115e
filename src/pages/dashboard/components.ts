import { html, type Markup } from '../html.ts'
import type { ClockReading } from '../../schema/clock.ts'
import { shortened } from '../../schema/problem.ts'

interface Table {
  readonly caption: string
  readonly head: readonly string[]
  /** The key identifies a row, so that the focus can return to it. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly unknown[] }[]
  /** The text for an empty table. */
  readonly none: string
}

/** A table. The first cell of a row is its header. */
// On a phone rows are stacked. The roles keep the table a table for screen readers.
export const table = ({ caption, head, rows, none }: Table): Markup =>
  rows.length === 0
    ? html`<p class="none">${none}</p>`
    : html`<table role="table">
        <caption class="unseen">
          ${caption}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            ${head.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${rows.map(
            ({ key, cells }) =>
              html`<tr role="row" data-row="${line(key)}">
                ${cells.map((cell, index) =>
                  index === 0
                    ? html`<th role="rowheader" scope="row">${cell}</th>`
                    : html`<td role="cell" data-label="${head[index]}">${cell}</td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>`

/** A list of names and values. Undefined values are left out. */
export const definitionList = (rows: readonly (readonly [name: string, value: unknown])[]): Markup => html`
  <dl>
    ${rows.map(
      ([name, value]) =>
        value !== undefined &&
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>
`

/** The heading of a view, with its scope and an optional sentence that helps. */
export const heading = (title: string, project: string | undefined, lead?: unknown): Markup => html`
  <h1 tabindex="-1">${line(title)}</h1>
  <p class="scope">
    ${project === undefined ? html`For <b>all projects</b>` : html`For the project <b>${text(project)}</b> only`}
  </p>
  ${lead !== undefined && html`<p class="lead">${lead}</p>`}
`

/** The view of a tab that needs a project, if none is selected. */
export const chooseProject = (title: string): Markup => html`
  <h1 tabindex="-1">${title}</h1>
  <p class="lead">This tab is for one project: choose one above.</p>
  <p><a class="button" href="#projects">See the projects</a></p>
`

/** A view that is refreshed on events. */
export const live = (content: Markup): Markup => html`<div data-live>${content}</div>`

export const badge = (text: string, look: 'good' | 'bad' | 'quiet' | 'plain' = 'quiet'): Markup =>
  html`<span class="badge ${look}">${text}</span>`

/** A time in seconds. The title has the whole time. */
export const time = (at: string): Markup => html`<time datetime="${at}" title="${at}">${seconds(at)}</time>`

/** The time of a clock. The browser advances a real one. */
export const clockTime = ({ now, mode }: ClockReading): Markup =>
  html`<time datetime="${now}" title="${now}" ${mode === 'real' && html`data-ticks`}>${seconds(now)}</time>`

const seconds = (at: string): string => at.slice(0, 19).replace('T', ' ')

/** Says why nothing that depends on the mock clock may happen. Undefined for a real clock. */
export const clockNote = ({ mode }: Pick<ClockReading, 'mode'>): string | undefined =>
  ({
    real: undefined,
    frozen: 'The mock clock is frozen: time passes only when you advance it.',
    stepping: 'The mock clock moves with each write, or when you advance it.',
  })[mode]

/** How many characters of a text are shown on a line and in a block. */
const maxLine = 500
export const maxBlock = 32 * 1024

export const line = (value: string): string => shortened(value, maxLine)

/** Foreign text: shortened, and isolated so that it cannot reorder the text around it. */
export const text = (value: string): Markup => html`<bdi>${line(value)}</bdi>`

/** Text with line breaks. */
export const block = (value: string): Markup => html`<pre tabindex="0"><code>${shortened(value, maxBlock)}</code></pre>`

export const json = (value: unknown): Markup => block(JSON.stringify(value, null, 2))

/** `1 user`, `2,000 users` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
