import { html, type Markup } from '../html.ts'
import { maxBlock } from './parts.ts'

interface FieldOptions {
  /** Where the value goes in the body: names with dots lie deeper. */
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'number' | 'email' | 'search' | 'json'
  readonly value?: string | number | null | undefined
  readonly required?: boolean
  readonly placeholder?: string
  /** Whether an empty field is sent as null; else it is left out. */
  readonly nullable?: boolean
  readonly min?: number
  readonly max?: number
  readonly step?: string
  readonly pattern?: string
  readonly hint?: string | undefined
}

/** A field with its label. A number, and what is written as JSON, is sent as what it is. */
export const field = ({ name, label, type = 'text', value, hint, ...rest }: FieldOptions): Markup => {
  // A cut value must not be saved in place of the whole one.
  const { length } = String(value ?? '')
  if (length > maxBlock) return html`<p><b>${label}</b> is too long to change here: ${length} characters.</p>`
  const attributes = html`name="${name}" ${(type === 'number' || type === 'json') && html`data-json`}
  ${rest.required === true && html`required`} ${rest.nullable === true && html`data-null`}
  ${rest.placeholder !== undefined && html`placeholder="${rest.placeholder}"`}
  ${hint !== undefined && html`aria-describedby="about-${name}"`}`
  const limits = html`${rest.min !== undefined && html`min="${rest.min}"`}
  ${rest.max !== undefined && html`max="${rest.max}"`} ${rest.step !== undefined && html`step="${rest.step}"`}
  ${rest.pattern !== undefined && html`pattern="${rest.pattern}"`}`
  return html`<label
      >${label}
      ${
        type === 'json'
          ? html`<textarea ${attributes} rows="3" spellcheck="false">${value ?? ''}</textarea>`
          : html`<input ${attributes} ${limits} type="${type}" value="${value ?? ''}" autocomplete="off" />`
      } </label
    >${hint !== undefined && html`<small id="about-${name}">${hint}</small>`}`
}

interface SelectOptions {
  readonly name: string
  readonly label: string
  /** What is sent, and what is shown. */
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly value?: string | undefined
}

/** One of several, with its label. An empty one is left out. */
export const select = ({ name, label, options, value }: SelectOptions): Markup =>
  html`<label
    >${label}
    <select name="${name}">
      ${options.map(
        ([one, shown]) => html`<option value="${one}" ${one === value && html`selected`}>${shown}</option>`,
      )}
    </select>
  </label>`

/** A form that asks for the same view with other parameters. */
export const filter = (view: string, fields: Markup, label: string): Markup => html`
  <form class="row" role="search" data-view="${view}">${fields} <button>${label}</button></form>
`
