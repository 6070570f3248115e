import { html, type Markup } from '../core/pages/html.ts'
import { maxBlock } from './components.ts'

/** The attributes of a tag. Undefined and false values are omitted. */
export const attributes = (values: Readonly<Record<string, string | number | boolean | undefined>>): Markup =>
  html`${Object.entries(values).map(([name, value]) => {
    if (value === undefined || value === false) return ''
    return value === true ? html`${name} ` : html`${name}="${value}" `
  })}`

export interface FieldOptions {
  readonly type?: 'text' | 'number' | 'search' | 'json'
  readonly value?: string | number | null | undefined
  readonly required?: boolean
  readonly placeholder?: string | undefined
  /** The value of an empty field. Without it, an empty field is omitted. */
  readonly whenEmpty?: null | object
  readonly min?: number
  readonly max?: number
  readonly step?: string
  readonly pattern?: string
  readonly hint?: string
}

/** An input with its label. Dots in the name separate the fields of its path in the body. */
export const field = (name: string, label: string, options: FieldOptions = {}): Markup => {
  const { type = 'text', value, whenEmpty, hint, required, placeholder, ...limits } = options
  // Saving a shortened value would lose the rest.
  const { length } = String(value ?? '')
  if (length > maxBlock) return html`<p><b>${label}</b> is too long to change here: ${length} characters.</p>`
  const fieldAttributes = {
    name,
    'data-json': type === 'number' || type === 'json',
    required,
    'data-empty': whenEmpty === undefined ? undefined : JSON.stringify(whenEmpty),
    placeholder,
    'aria-describedby': hint && `about-${name}`,
  }
  const inputElement =
    type === 'json'
      ? html`<textarea ${attributes(fieldAttributes)} rows="2" spellcheck="false">${value ?? ''}</textarea>`
      : html`<input ${attributes({ ...fieldAttributes, ...limits, type, value: value ?? '' })} autocomplete="off" />`
  const labelContent = required === true ? html`<span class="required">${label}</span>` : label
  return withHint(name, html`<label>${labelContent} ${inputElement}</label>`, hint)
}

/** A hidden field with the value true, and a sentence to explain it. */
export const fixed = (name: string, sentence: string): Markup =>
  html`<input type="hidden" name="${name}" value="true" data-json />
    <p>${sentence}</p>`

/** A checkbox that sends null if it is checked. */
export const nullCheckbox = (name: string, label: string, hint: string): Markup => {
  const key = `${name}-null`
  const checkboxAttributes = { name, value: 'null', 'data-json': true, 'aria-describedby': `about-${key}` }
  const checkbox = html`<input type="checkbox" ${attributes(checkboxAttributes)} />`
  return withHint(key, html`<label class="check">${checkbox} ${label}</label>`, hint)
}

/** A string is both the value and the label. */
type SelectOption = string | readonly [value: string, label: string]

/** A select with its label. The empty value is omitted from the body. */
export const select = (
  name: string,
  label: string,
  options: readonly SelectOption[],
  { selected, hint }: { readonly selected?: string | undefined; readonly hint?: string } = {},
): Markup =>
  withHint(
    name,
    html`<label
      >${label}
      <select ${attributes({ name, 'aria-describedby': hint && `about-${name}` })}>
        ${options.map((option) => {
          const [value, optionLabel = value] = typeof option === 'string' ? [option] : option
          return html`<option value="${value}" ${value === selected && html`selected`}>${optionLabel}</option>`
        })}
      </select>
    </label>`,
    hint,
  )

/** A button for each value of a field. The current value is pressed. */
export const choiceButtons = (
  name: string,
  values: readonly unknown[],
  current: unknown,
  labels: Readonly<Record<string, string>> = {},
): Markup => html`
  <div class="choice">
    ${values.map((value) => {
      const buttonAttributes = {
        name,
        value: JSON.stringify(value),
        'data-json': true,
        'aria-pressed': String(value === current),
      }
      return html`<button ${attributes(buttonAttributes)}>${labels[String(value)] ?? String(value)}</button>`
    })}
  </div>
`

/** A select of groups of fields. Only the fields of the selected group are shown and sent. */
export const choices = (label: string, groups: Readonly<Record<string, Markup>>): Markup => html`
  <label class="chooser">
    ${label}
    <select data-chooser>
      ${Object.keys(groups).map((name) => html`<option>${name}</option>`)}
    </select>
  </label>
  ${Object.entries(groups).map(
    ([name, fields], index) =>
      html`<fieldset class="grid" data-choice="${name}" ${index > 0 && html`hidden disabled`}>${fields}</fieldset>`,
  )}
`

const withHint = (name: string, field: Markup, hint: string | undefined): Markup => html`
  <div class="field">${field} ${hint !== undefined && html`<small id="about-${name}">${hint}</small>`}</div>
`
