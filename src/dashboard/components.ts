import { html, type Markup } from '../core/pages/html.ts'
import { line } from '../core/pages/table.ts'
import type { ClockStatus } from '../core/schema/clock-document.ts'
import { formatSeconds, shorten } from '../core/schema/text.ts'

export const definitionList = (values: Readonly<Record<string, unknown>>): Markup => html`
  <dl>
    ${Object.entries(values).map(
      ([name, value]) =>
        value != null &&
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>
`

export const heading = (title: string, project: string | undefined, lead?: unknown): Markup => html`
  <h1 tabindex="-1">${line(title)}</h1>
  <p class="scope">
    ${project === undefined ? html`For <b>all projects</b>` : html`For the project <b>${text(project)}</b> only`}
  </p>
  ${lead !== undefined && html`<p class="lead">${lead}</p>`}
`

export const addForm = (title: string, content: unknown): Markup =>
  html`<details class="add">
    <summary class="button first">${title}</summary>
    ${content}
  </details>`

export const collapsed = (summary: string, content: unknown): Markup =>
  html`<details>
    <summary>${summary}</summary>
    ${content}
  </details>`

export const menu = (rowName: string, ...buttons: readonly unknown[]): Markup =>
  html`<details class="menu" name="menu">
    <summary class="button">More<span class="unseen"> for ${line(rowName)}</span></summary>
    <div>${buttons}</div>
  </details>`

export const actions = (...buttons: readonly unknown[]): Markup => html`<div class="actions">${buttons}</div>`

/** The space at the end separates it from the next badge. */
export const badge = (text: string, look: 'good' | 'bad' | 'quiet' | 'plain' = 'quiet'): Markup =>
  html`<span class="badge ${look}">${text}</span> `

export const time = (at: string, ticks = false): Markup =>
  html`<time datetime="${at}" title="${at}" ${ticks && html`data-ticks`}>${formatSeconds(at)}</time>`

/** The time of a clock. The browser advances a real one. */
export const clockTime = ({ now, mode }: ClockStatus): Markup => time(now, mode === 'real')

/** `Clock: frozen at 2025-01-01 12:00:00` */
export const clockWithMode = (clock: ClockStatus): Markup => html`${clock.mode} at ${clockTime(clock)}`

export const clockNote = ({ mode }: ClockStatus): string | undefined =>
  ({
    real: undefined,
    frozen: 'The mock clock is frozen: time passes only when you advance it.',
    stepping: 'The mock clock moves with each write, or when you advance it.',
  })[mode]

/** The maximum number of characters in a block. */
export const maxBlock = 32 * 1024

/** Text from outside: shortened, and isolated so that it cannot reorder the text around it. Undefined if there is none. */
export const text = (value: string | null | undefined): Markup | undefined =>
  value ? html`<bdi>${line(value)}</bdi>` : undefined

export const block = (value: string): Markup => html`<pre tabindex="0"><code>${shorten(value, maxBlock)}</code></pre>`

export const jsonBlock = (value: unknown): Markup => block(JSON.stringify(value, null, 2))

export const formatNumber = (value: number): string => value.toLocaleString('en-US')

/** Formats an amount: `1 user`, `2,000 users`. */
export const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatNumber(count)} ${count === 1 ? singular : plural}`
