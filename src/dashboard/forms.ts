import { curlBlock, html, type Markup } from '../core/pages/html.ts'
import { type Command, getCommandPath } from '../core/control/command.ts'
import { commands, type CommandId } from '../core/control/commands.ts'
import { createAdminCurl } from '../core/openapi/curl.ts'
import { maxBlock } from './components.ts'
import { line } from '../core/pages/table.ts'
import type { PageRequest } from './page-request.ts'

/** The path parameters of a command. An undefined project means all projects. */
type PathValues = Readonly<Record<string, string | undefined>>

/** A path parameter that the form field of the same name provides. */
export const fromField = '\0'

interface FormOptions {
  readonly layout?: 'card' | 'grid' | 'row' | 'switches'
  readonly fields?: unknown
  /** The object of the button's label, for screen readers. */
  readonly of?: string
  readonly look?: 'first' | 'danger'
  /** The message after success. */
  readonly done: string
  /** How the message looks. @default good */
  readonly doneLook?: 'quiet'
  /** The message after success if the record that its first field names was there before. */
  readonly exists?: string
  /** The body, to which the fields are added. */
  readonly body?: unknown
  /** The record that its fields show. Only the fields that the user has edited are sent. */
  readonly edits?: 'user'
  /** The view to open afterwards. */
  readonly next?: string | undefined
  /** The question to confirm before the call. */
  readonly confirm?: string | undefined
}

/**
 * A form that calls a command of the control API. Without fields it is only a button.
 *
 * @param submit the label of its button; undefined if its fields are buttons
 */
export const form = (
  submit: string | undefined,
  command: CommandId,
  params: PathValues,
  { layout, fields, of, look, done, doneLook, exists, body, edits, next, confirm }: FormOptions,
): Markup => {
  const formAttributes = {
    'data-method': commands[command].method,
    'data-path': fillCommandPath(command, params),
    'data-done': line(done),
    'data-done-look': doneLook,
    'data-exists': exists,
    'data-body': body === undefined ? undefined : JSON.stringify(body),
    'data-edits': edits,
    'data-next': next,
    'data-confirm': confirm === undefined ? undefined : line(confirm),
  }
  return html`<form ${attributes({ class: layout, ...formAttributes })}>
    ${fields}
    ${
      edits !== undefined &&
      html`<p class="elsewhere" role="status" hidden>
        This ${edits} was changed elsewhere. <button type="button" data-discard>Discard the edits</button>
      </p>`
    }
    ${
      submit !== undefined &&
      html`<button ${attributes({ class: look })}>
        ${submit}${of !== undefined && html`<span class="unseen"> ${line(of)}</span>`}
      </button>`
    }
  </form>`
}

export const deleteButton = (
  command: CommandId,
  params: PathValues,
  kind: string,
  id: string,
  more?: Pick<FormOptions, 'next' | 'confirm'>,
): Markup => {
  const confirm = `Delete the ${kind} ${id}?`
  return form('Delete', command, params, { of: id, look: 'danger', done: `Deleted ${id}.`, confirm, ...more })
}

/** A button that clears what the mock has collected of a project or of all, after a confirmation. */
export const clearButton = (what: string, command: CommandId, project: string | undefined): Markup => {
  const done = `${what.charAt(0).toUpperCase()}${what.slice(1)} cleared.`
  const confirm = `Clear the ${what} of ${project ?? 'all projects'}?`
  return form(`Clear the ${what}`, command, { project }, { done, confirm })
}

/** The path of a command below `/__admin/`. The browser fills in missing parameters from form fields. */
export const fillCommandPath = (command: CommandId, params: PathValues): string =>
  getCommandPath(commands[command], params.project)
    .slice(1)
    .replace(/\{(\w+)\}/g, (placeholder, name: string) => {
      const value = params[name]
      return value === undefined || value === fromField ? placeholder : encodeURIComponent(value)
    })

export const copyButton = html`<button data-copy>Copy</button>`

/** The content of a view without records: a sentence, and a shell command to try. */
export const suggestion = (sentence: string, curl: readonly string[]): Markup =>
  html`<p>${sentence}</p>
    ${curlBlock('Try it', curl, copyButton)}`

/** A suggestion of a command of the control API, with its first example, for the selected project or for all. */
export const emptyState = (
  sentence: string,
  { project, mockUrl, needsAdminToken }: PageRequest,
  id: CommandId,
): Markup => {
  const { method, examples = {} }: Command = commands[id]
  const body = Object.values(examples)[0]?.value
  const url = `${mockUrl}/__admin/${fillCommandPath(id, { project })}`
  return suggestion(sentence, createAdminCurl(needsAdminToken, method, url, body))
}

/** The attributes of a tag. Undefined and false values are omitted. */
const attributes = (values: Readonly<Record<string, string | number | boolean | undefined>>): Markup =>
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

/**
 * An input with its label.
 *
 * @param name the path of the value in the body; dots separate nested fields
 */
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

/** A value without a choice, and a sentence that says what it does. */
export const fixed = (name: string, sentence: string): Markup =>
  html`<input type="hidden" name="${name}" value="true" data-json />
    <p>${sentence}</p>`

/** A checkbox. If it is checked, the field has the value. */
export const checkbox = (name: string, label: string, value: true | null, hint: string): Markup => {
  const key = `${name}-${value}`
  const checkboxAttributes = { name, value: String(value), 'data-json': true, 'aria-describedby': `about-${key}` }
  return withHint(
    key,
    html`<label class="check"><input type="checkbox" ${attributes(checkboxAttributes)} /> ${label}</label>`,
    hint,
  )
}

/** An option has its value as label, unless it is a pair of value and label. */
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

/** Buttons that send a value of a field. Each shows the value, or its label. The present value is pressed. */
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

export const searchField = (label: string, value?: string, more = ''): Markup =>
  field('q', label, { type: 'search', value, hint: `Any part of it, in upper or lower case${more}.` })

/** A form that opens the same view with other parameters. */
export const searchForm = (view: string, fields: unknown, label = 'Find'): Markup => html`
  <form class="row" role="search" data-view="${view}">${fields} <button>${label}</button></form>
`
