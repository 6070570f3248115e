import { html, type Markup } from '../html.ts'
import type { ClockReading } from '../../schema/clock.ts'
import { shortened } from '../../schema/problem.ts'
import { type Command, type CommandId, commands } from '../../schema/commands.ts'

/** What a form does beyond its verb. */
interface Deed {
  /** What is said when it is done. */
  readonly done: string
  /** What its body has beside its fields. */
  readonly body?: unknown
  /** Where to go afterwards. */
  readonly next?: string
  /** What is asked first, where something is lost. */
  readonly confirm?: string | undefined
  /** The text to type in order to confirm. */
  readonly typed?: string | undefined
}

/** The params of a path; a project that is undefined stands for all of them. `{name}` is filled in from a field. */
export type Params = Readonly<Record<string, string | undefined>>

/** The attributes by which a form says which verb of the control plane it calls. */
export const calls = (verb: CommandId, params: Params, { done, body, next, confirm, typed }: Deed): Markup => {
  const { method } = commands[verb]
  // A page has a hundred of them: in one line they are half as long.
  // prettier-ignore
  return html`data-method="${method}" data-path="${pathOf(commands[verb], params)}" data-done="${line(done)}"${body !== undefined && html` data-body="${JSON.stringify(body)}"`}${next !== undefined && html` data-next="${next}"`}${confirm !== undefined && html` data-confirm="${line(confirm)}"`}${typed !== undefined && html` data-typed="${typed}"`}`
}

/** Below `/__admin/`. A param that is not given is left for a field of the form. */
export const pathOf = ({ scope, path }: Command, params: Params): string =>
  `${scope === 'mock' || params.project === undefined ? '' : '/projects/{project}'}${path}`
    .slice(1)
    .replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = params[name]
      return value === undefined || value === fromField ? whole : encodeURIComponent(value)
    })

/** A param that a field of the form of the same name has. */
export const fromField = '\0'

interface ButtonOptions extends Deed {
  readonly label: string
  /** What the label is about, for those who hear it alone. */
  readonly of?: string | undefined
  readonly look?: 'first' | 'danger' | undefined
}

/** A button that calls a verb: one click. */
export const button = (verb: CommandId, params: Params, { label, of, look, ...deed }: ButtonOptions): Markup =>
  html`<form ${calls(verb, params, deed)}>
    <button${look !== undefined && html` class="${look}"`}>${label}${of !== undefined && html`<span class="unseen"> ${line(of)}</span>`}</button>
  </form>`

interface Row {
  /** What the row is about: the focus comes back to it. */
  readonly key: string
  readonly cells: readonly unknown[]
}

interface Table {
  readonly caption: string
  readonly head: readonly string[]
  readonly rows: readonly Row[]
  /** What is said in place of no rows. */
  readonly none: string
}

// On a phone rows are stacked; the roles keep what that takes away from a screen reader.
/** A table. Its first cell names the row. */
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
                ${cells.map((cell, index) => cellOf(cell, index, head))}
              </tr>`,
          )}
        </tbody>
      </table>`

const cellOf = (cell: unknown, index: number, head: readonly string[]): Markup =>
  index === 0
    ? html`<th role="rowheader" scope="row">${cell}</th>`
    : html`<td role="cell" data-label="${head[index]}">${cell}</td>`

/** The head of a view: what it is, whether it is for one project or for all, and one sentence that helps. */
export const heading = (title: string, project: string | undefined, lead?: unknown): Markup => html`
  <h1 tabindex="-1">${line(title)}</h1>
  <p class="scope">
    ${project === undefined ? html`For <b>all projects</b>` : html`For the project <b>${text(project)}</b> only`}
  </p>
  ${lead !== undefined && html`<p class="lead">${lead}</p>`}
`

/** A view that shows what changes by itself. */
export const live = (content: Markup): Markup => html`<div data-live>${content}</div>`

/** A state in a word. */
export const badge = (text: string, look: 'good' | 'bad' | 'quiet' | 'plain' = 'quiet'): Markup =>
  html`<span class="badge ${look}">${text}</span>`

/** An instant, to the second: the rest is in the title. */
export const time = (at: string): Markup => html`<time datetime="${at}" title="${at}">${seconds(at)}</time>`

const seconds = (at: string): string => at.slice(0, 19).replace('T', ' ')

/** How many characters of a text are shown on a line, and in a block. */
const maxLine = 500
export const maxBlock = 32 * 1024

const line = (value: string): string => shortened(value, maxLine)

/** The time of a clock. A real one goes on in the browser. */
export const clockTime = ({ now, mode }: ClockReading): Markup =>
  html`<time datetime="${now}" title="${now}" ${mode === 'real' && html`data-ticks`}>${seconds(now)}</time>`

/** Why what depends on the mock clock may wait for ever. Undefined where the clock runs by itself. */
export const standstill = ({ mode }: Pick<ClockReading, 'mode'>): string | undefined =>
  ({
    real: undefined,
    frozen: 'The mock clock is frozen: time passes only when you advance it.',
    stepping: 'The mock clock moves with each write, or when you advance it.',
  })[mode]

/** A text from outside: cut where it is long, and isolated so that it cannot reorder the text around it. */
export const text = (value: string): Markup => html`<bdi>${line(value)}</bdi>`

/** A text over several lines. */
export const block = (value: string): Markup => html`<pre tabindex="0"><code>${shortened(value, maxBlock)}</code></pre>`

/** A value as JSON, over several lines. */
export const json = (value: unknown): Markup => block(JSON.stringify(value, null, 2))

/** What a count counts. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`

/** What a view says that shows the rows of one project, where none is selected. */
export const chooseProject = (title: string): Markup => html`
  <h1 tabindex="-1">${title}</h1>
  <p class="lead">This tab is for one project: choose one above.</p>
  <p><a class="button" href="#projects">See the projects</a></p>
`
