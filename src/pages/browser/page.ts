import { Idiomorph } from 'idiomorph'
import type { ErrorObject } from '../../schema/error.ts'
import { formatSeconds } from '../../schema/text.ts'

/** An error object of the mock, or another error with a message. */
export type ApiError = Pick<ErrorObject, 'message' | 'hint' | 'details'>

/** Returns the first element that matches, or throws. */
export const find = <E extends Element = HTMLElement>(selector: string, root: ParentNode = document): E => {
  const element = root.querySelector<E>(selector)
  if (element === null) throw new Error(`No element matches '${selector}'.`)
  return element
}

// Regions that screen readers announce.
const done = find('#done')
const alert = find('#error')

/** Shows a success, and removes an error. */
export const showDone = (text: string): void => {
  done.textContent = text
  alert.replaceChildren()
}

export const showError = ({ message, hint = '', details = [] }: ApiError): void => {
  const more = details.length > 1 ? details.map((detail) => detail.message) : []
  const texts = [message, ...more, hint].filter((text) => text !== '')
  done.textContent = ''
  alert.replaceChildren(...texts.map((textContent) => Object.assign(document.createElement('p'), { textContent })))
}

/** Marks the tab of a view: its own, or that of its list. */
export const markTab = (view: string): void => {
  const tabs = find('#sections')
  for (const tab of tabs.querySelectorAll('a')) {
    const name = tab.hash.slice(1)
    const isCurrent = name === view || name === `${view}s` || (name === 'journal' && view === 'request')
    tab.ariaCurrent = isCurrent ? 'page' : null
    if (isCurrent) tabs.scrollLeft = tab.offsetLeft - tabs.clientWidth / 2
  }
}

/** The time of each clock when it was loaded, and its distance from the time of the browser. */
const clocks = new WeakMap<Element, { readonly at: string; readonly offset: number }>()

/** Advances the times of real clocks. */
export const tick = (): void => {
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-ticks]')) {
    const { dateTime: at } = element
    const known = clocks.get(element)
    const { offset } = known?.at === at ? known : { offset: Date.parse(at) - Date.now() }
    clocks.set(element, { at, offset })
    element.textContent = formatSeconds(new Date(Date.now() + offset).toISOString())
  }
}

/** Whether the element is a field that the user has edited since it was loaded. */
const isEdited = (element: Node): boolean => {
  if (element instanceof HTMLSelectElement) return element.selectedOptions[0]?.defaultSelected !== true
  if (element instanceof HTMLInputElement && element.checked !== element.defaultChecked) return true
  const hasText = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
  return hasText && element.value !== element.defaultValue
}

/** Gives rows and forms the same ids in each refresh. Forms with the same call are told apart by their order. */
const identify = (root: ParentNode): void => {
  const counts = new Map<string, number>()
  for (const element of root.querySelectorAll<HTMLElement>('[data-row], form[data-path]')) {
    const { row, method, path } = element.dataset
    const key = row === undefined ? `${method} ${path}` : `row ${row}`
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    element.id = `${key} ${count}`
  }
}

/**
 * Replaces the content of an element with escaped markup of the same view. Open details, edited fields and the focus stay,
 * since a refresh must not discard them. A form says if its record was changed elsewhere while it was edited.
 *
 * @param sent the form that was sent: its fields get their new values
 */
export const refreshContent = (target: Element, markup: string, sent?: HTMLFormElement): void => {
  const focused = document.activeElement
  const next = document.createElement('template')
  next.innerHTML = markup
  for (const root of [target, next.content]) identify(root)
  const row = focused?.closest('[data-row]')?.id
  sent?.reset()
  void Idiomorph.morph(target, next.content, {
    morphStyle: 'innerHTML',
    callbacks: {
      beforeNodeMorphed: (old) => !isEdited(old),
      // These describe what the user did, and the server does not know them.
      beforeAttributeUpdated: (name, element) =>
        element.contains(sent ?? null) ||
        sent?.contains(element) === true ||
        !['open', 'aria-busy', 'aria-invalid', 'hidden', 'disabled'].includes(name),
    },
  })
  for (const form of target.querySelectorAll<HTMLFormElement>('[data-edits]'))
    if (sent === undefined && [...form.elements].some(isEdited)) find('.elsewhere', form).hidden = false
  if (focused === null || target.contains(document.activeElement) || focused === document.body) return
  // The focused element was removed, or lost the focus when it moved.
  if (focused.isConnected) return (focused as HTMLElement).focus({ preventScroll: true })
  const controls = 'a[href], button, input, select, textarea, summary'
  const nearest = (row && document.getElementById(row)?.querySelector<HTMLElement>(controls)) || find('h1', target)
  nearest.focus({ preventScroll: true })
}

/** Replaces the content of the bar, except a select that is open. */
export const refreshBar = (bar: Element, markup: string): void => {
  void Idiomorph.morph(bar, markup, { morphStyle: 'innerHTML', ignoreActive: true })
}

type Body = Readonly<Record<string, unknown>>

const listFormFields = (form: HTMLFormElement) =>
  Array.from(form.querySelectorAll<HTMLInputElement>('[name]:not(:disabled)'))

/** Shows the group of fields that a select chooses, and disables the others. */
export const showChoice = ({ form, value }: HTMLSelectElement): void => {
  for (const group of form?.querySelectorAll<HTMLFieldSetElement>('[data-choice]') ?? [])
    group.hidden = group.disabled = group.dataset.choice !== value
}

/** Returns the call of a form: its fixed body, with its fields by their names, which are paths in the body. */
export const readCall = (form: HTMLFormElement, submitter: HTMLElement | null): { path: string; init: RequestInit } => {
  const { method = '', path = '', body: fixed } = form.dataset
  const fields = new Map<string, HTMLInputElement>()
  for (const field of listFormFields(form)) {
    const isOmitted =
      field.matches('[type=checkbox]:not(:checked)') ||
      (field.matches('button') && field !== submitter) ||
      ('edits' in form.dataset && !isEdited(field))
    if (!isOmitted && (field.value !== '' || 'empty' in field.dataset)) fields.set(field.name, field)
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name)?.value ?? ''
    fields.delete(name)
    return encodeURIComponent(value)
  })
  if (fixed === undefined && fields.size === 0) return { path: filled, init: { method } }
  let body: Body = JSON.parse(fixed ?? '{}')
  for (const [name, field] of fields) body = setValue(body, name.split('.'), readValue(field))
  const headers = { 'content-type': 'application/json' }
  return { path: filled, init: { method, headers, body: JSON.stringify(body) } }
}

const readValue = ({ value, dataset, name }: HTMLInputElement): unknown => {
  if (value === '') return JSON.parse(dataset.empty ?? 'null')
  if (!('json' in dataset)) return value
  try {
    return JSON.parse(value)
  } catch {
    const message = `${name} is not valid JSON: ${value.slice(0, 40)}`
    throw { message, details: [{ path: name, message }] }
  }
}

const setValue = (body: Body, [name = '', ...rest]: string[], value: unknown): Body => ({
  ...body,
  [name]: rest.length === 0 ? value : setValue(Object(body[name]), rest, value),
})

/** Opens the view of a search form with its fields as parameters. */
export const openView = (form: HTMLFormElement): void => {
  const filled = listFormFields(form).filter(({ value }) => value !== '')
  const query = new URLSearchParams(filled.map(({ name, value }) => [name, value]))
  location.hash = `${form.dataset.view}${query.size > 0 ? `?${query}` : ''}`
}

/** Replaces the names of fields in an error, which are paths in the body, by the labels that the form shows. */
export const nameFields = (form: HTMLFormElement, error: ApiError): ApiError => {
  const fields = new Map(
    listFormFields(form).map((field) => [
      field.name,
      field.labels?.[0]?.firstChild?.textContent?.replace('*', '').trim(),
    ]),
  )
  const rename = (message: string) => message.replace(/^[\w.]+(?= )/, (path) => fields.get(path) || path)
  const { message, details = [], ...rest } = error
  return {
    ...rest,
    message: rename(message),
    details: details.map((detail) => ({ ...detail, message: rename(detail.message) })),
  }
}

/** Marks the invalid fields of a form and moves the focus to the first. */
export const markInvalid = (form: HTMLFormElement, { details = [] }: Partial<ApiError>): void => {
  // A JSON field has nested values: `match.body` is also invalid if `match.body.invoice` is.
  const isInvalid = ({ name }: HTMLInputElement) =>
    details.some(({ path }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
  const fields = listFormFields(form)
  for (const field of fields) field.ariaInvalid = isInvalid(field) ? 'true' : null
  fields.find(isInvalid)?.focus()
}

const dialog = find<HTMLDialogElement>('#confirm')

/** Asks for a confirmation. */
export const confirm = (question: string, action: string): Promise<boolean> =>
  new Promise((resolve) => {
    find('h2', dialog).textContent = question
    find('[value=yes]', dialog).textContent = action
    dialog.returnValue = ''
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true })
    dialog.showModal()
  })
