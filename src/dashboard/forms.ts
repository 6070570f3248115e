import { curlBlock, html, type Markup } from '../core/pages/html.ts'
import { type Command, getCommandPath } from '../core/control/command.ts'
import { commands, type CommandId } from '../core/control/commands.ts'
import { createAdminCurl } from '../core/openapi/curl.ts'
import { line } from '../core/pages/table.ts'
import { attributes, field } from './fields.ts'
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
  /** The message after success if the record that its first field names existed before. */
  readonly exists?: string
  /** The body, to which the fields are added. */
  readonly body?: unknown
  /** The record that its fields show. Only the fields that the user has edited are sent. */
  readonly edits?: 'user'
  /** The view to open afterwards. */
  readonly next?: string | undefined
  readonly confirm?: string | undefined
}

/** A form that calls a command of the control API. `submit` is the label of its button; undefined if its fields are buttons. */
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

export const suggestion = (sentence: string, curl: readonly string[]): Markup =>
  html`<p>${sentence}</p>
    ${curlBlock('Try it', curl, copyButton)}`

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

export const searchField = (label: string, value?: string, more = ''): Markup =>
  field('q', label, { type: 'search', value, hint: `Any part of it, in upper or lower case${more}.` })

export const searchForm = (view: string, fields: unknown, label = 'Find'): Markup => html`
  <form class="row" role="search" data-view="${view}">${fields} <button>${label}</button></form>
`
