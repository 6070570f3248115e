import { Idiomorph } from 'idiomorph'
import type { ErrorObject } from '../../core/schema/error.ts'
import { formatSeconds } from '../../core/schema/text.ts'

/** An error object of the mock, or another error with a message, which has no code. */
export type ApiError = Pick<ErrorObject, 'message' | 'hint' | 'details'> & Partial<Pick<ErrorObject, 'code'>>

export const find = <E extends Element = HTMLElement>(selector: string, root: ParentNode = document): E => {
  const element = root.querySelector<E>(selector)
  if (element === null) throw new Error(`No element matches '${selector}'.`)
  return element
}

const doneRegion = find('#done')
const errorRegion = find('#error')

let hideDoneTimer: ReturnType<typeof setTimeout> | undefined

/** Shows a success for some seconds, and removes an error. */
export const showDone = (text: string, look = ''): void => {
  doneRegion.className = look
  clearTimeout(hideDoneTimer)
  hideDoneTimer = setTimeout(() => (doneRegion.textContent = ''), 8000)
  doneRegion.textContent = text
  errorRegion.replaceChildren()
}

const createElement = (tag: 'h1' | 'p' | 'button' | 'small', textContent: string) =>
  Object.assign(document.createElement(tag), { textContent })

export const showError = ({ message, hint = '', details = [] }: ApiError): void => {
  const detailTexts = details.length > 1 ? details.map((detail) => detail.message) : []
  const errorTexts = [message, ...detailTexts, hint].filter((text) => text !== '')
  doneRegion.textContent = ''
  errorRegion.replaceChildren(...errorTexts.map((text) => createElement('p', text)), createElement('button', 'Close'))
}

/** Replaces a view by an error, with a link to the list of its section. */
export const showMissing = (main: Element, { message, hint = '' }: ApiError): void => {
  if (main.querySelector('h1')?.textContent === message) return
  const list = document.querySelector('#sections [aria-current]')?.cloneNode(true) as HTMLElement | undefined
  list?.removeAttribute('aria-current')
  const heading = Object.assign(createElement('h1', message), { tabIndex: -1 })
  main.replaceChildren(heading, createElement('p', hint), list ?? '')
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
const shownClocks = new WeakMap<Element, { readonly at: string; readonly offset: number }>()

export const advanceClockTimes = (): void => {
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-ticks]')) {
    const { dateTime: at } = element
    const shownClock = shownClocks.get(element)
    const { offset: clockOffset } = shownClock?.at === at ? shownClock : { offset: Date.parse(at) - Date.now() }
    shownClocks.set(element, { at, offset: clockOffset })
    element.textContent = formatSeconds(new Date(Date.now() + clockOffset).toISOString())
  }
}

const isEdited = (element: Node): boolean => {
  if (element instanceof HTMLSelectElement) return element.selectedOptions[0]?.defaultSelected !== true
  if (element instanceof HTMLInputElement && element.checked !== element.defaultChecked) return true
  const hasText = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
  return hasText && element.value !== element.defaultValue
}

/** Gives rows and forms the same ids in each refresh. Their order distinguishes forms with the same call. */
const setElementIds = (root: ParentNode): void => {
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
 * Replaces the content of an element with escaped markup of the same view. Keeps open details, the focus, and edited fields
 * except those of `sentForm`. A form says if its record was changed elsewhere while it was edited.
 */
export const refreshContent = (target: Element, markup: string, sentForm?: HTMLFormElement): void => {
  const focusedElement = document.activeElement
  const newContent = document.createElement('template')
  newContent.innerHTML = markup
  for (const root of [target, newContent.content]) setElementIds(root)
  const focusedRow = focusedElement?.closest('[data-row]')?.id
  sentForm?.reset()
  void Idiomorph.morph(target, newContent.content, {
    morphStyle: 'innerHTML',
    callbacks: {
      beforeNodeMorphed: (old) => !isEdited(old),
      beforeNodeRemoved: (old) => !(old instanceof Element && old.matches('.problem')),
      // These describe what the user did, and the server does not know them.
      beforeAttributeUpdated: (name, element) =>
        element.contains(sentForm ?? null) ||
        sentForm?.contains(element) === true ||
        !['open', 'aria-busy', 'aria-describedby', 'aria-invalid', 'hidden', 'disabled'].includes(name),
    },
  })
  for (const form of target.querySelectorAll<HTMLFormElement>('[data-edits]'))
    if (sentForm === undefined && [...form.elements].some(isEdited)) find('.elsewhere', form).hidden = false
  const closedDetails = focusedElement?.isConnected === true && focusedElement.closest('details:not([open])')
  if (closedDetails) return find('summary', closedDetails).focus({ preventScroll: true })
  if (focusedElement === null || target.contains(document.activeElement) || focusedElement === document.body) return
  // The focused element was removed, or lost the focus when it moved.
  if (focusedElement.isConnected) return (focusedElement as HTMLElement).focus({ preventScroll: true })
  const controls = 'a[href], button, input, select, textarea, summary'
  const nearestControl =
    (focusedRow && document.getElementById(focusedRow)?.querySelector<HTMLElement>(controls)) || find('h1', target)
  nearestControl.focus({ preventScroll: true })
}

/** Replaces the content of the bar, except a select that is open. */
export const refreshBar = (bar: Element, markup: string): void => {
  void Idiomorph.morph(bar, markup, { morphStyle: 'innerHTML', ignoreActive: true })
}

type CallBody = Readonly<Record<string, unknown>>

const listFormFields = (form: HTMLFormElement) =>
  Array.from(form.querySelectorAll<HTMLInputElement>('[name]:not(:disabled)'))

/** Returns the call of a form: its fixed body, with its fields by their names, which are paths in the body. */
export const readCall = (form: HTMLFormElement, submitter: HTMLElement | null): { path: string; init: RequestInit } => {
  const { method = '', path = '', body: fixedBody } = form.dataset
  const fields = new Map<string, HTMLInputElement>()
  for (const field of listFormFields(form)) {
    const isOmitted =
      field.matches('[type=checkbox]:not(:checked)') ||
      (field.matches('button') && field !== submitter) ||
      ('edits' in form.dataset && !isEdited(field))
    if (!isOmitted && (field.value !== '' || 'empty' in field.dataset)) fields.set(field.name, field)
  }
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name)?.value ?? ''
    fields.delete(name)
    return encodeURIComponent(value)
  })
  if (fixedBody === undefined && fields.size === 0) return { path: filledPath, init: { method } }
  let body: CallBody = JSON.parse(fixedBody ?? '{}')
  for (const [name, field] of fields) body = setValue(body, name.split('.'), readValue(field))
  const headers = { 'content-type': 'application/json' }
  return { path: filledPath, init: { method, headers, body: JSON.stringify(body) } }
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

const setValue = (body: CallBody, [name = '', ...rest]: string[], value: unknown): CallBody => ({
  ...body,
  [name]: rest.length === 0 ? value : setValue(Object(body[name]), rest, value),
})

/** Returns the success message of a form. It differs if the record that the first field names exists already. */
export const getSuccessText = (form: HTMLFormElement): string => {
  const { done = '', exists = done } = form.dataset
  const [field] = listFormFields(form)
  const name = CSS.escape(field?.value ?? '')
  // The project select also lists projects that are on other pages of the table.
  const existingSelector = `[data-row="${name}"], #${field?.name.replaceAll('.', '-')} option[value="${name}"]`
  return document.querySelector(existingSelector) === null ? done : exists
}

/** Opens the view of a search form with its fields as parameters. */
export const openView = (form: HTMLFormElement): void => {
  const filledFields = listFormFields(form).filter(({ value }) => value !== '')
  const query = new URLSearchParams(filledFields.map(({ name, value }) => [name, value]))
  location.hash = `${form.dataset.view}${query.size > 0 ? `?${query}` : ''}`
}

/** Shows the problems of a form below its fields, and as a notice unless each has a field. */
export const showProblems = (form: HTMLFormElement, error: ApiError): void => {
  const namedError = nameFields(form, error)
  if (!markInvalid(form, namedError)) showError(namedError)
}

/** Replaces the names of fields in an error, which are paths in the body, by the labels that the form shows. */
const nameFields = (form: HTMLFormElement, error: ApiError): ApiError => {
  const getLabel = ({ labels }: HTMLInputElement) => labels?.[0]?.firstChild?.textContent?.replace('*', '').trim()
  const fields = new Map(listFormFields(form).map((field) => [field.name, getLabel(field)]))
  // The path of a problem in a JSON field continues after the name of the field.
  const renameField = (message: string) => {
    const [name, label] =
      [...fields].find(([path]) => /^[ .[]/.test(message.slice(path.length)) && message.startsWith(path)) ?? []
    return name === undefined || !label ? message : label + message.slice(name.length).replace(/^\./, ': ')
  }
  const { message, details = [], ...rest } = error
  return {
    ...rest,
    message: renameField(message),
    details: details.map((detail) => ({ ...detail, message: renameField(detail.message) })),
  }
}

/** Shows the problems of a form below its fields, and moves the focus to the first. Returns false if one has no field. */
const markInvalid = (form: HTMLFormElement, { details = [] }: ApiError): boolean => {
  const fields = listFormFields(form).filter((field) => field.closest('.field') !== null)
  // A JSON field has nested values: `match.body` is also invalid if `match.body.invoice` is.
  const invalidFields = details.map(({ path }) =>
    fields.find(({ name }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`)),
  )
  for (const field of fields.filter((one) => invalidFields.includes(one))) {
    const texts = details.filter((_, index) => invalidFields[index] === field).map(({ message }) => message)
    const problem = createElement('small', texts.join(' '))
    Object.assign(problem, { id: `problem-${field.name}`, className: 'problem' })
    field.closest('.field')?.append(problem)
    field.setAttribute('aria-describedby', `${problem.id} ${field.getAttribute('aria-describedby') ?? ''}`.trim())
    field.ariaInvalid = 'true'
  }
  form.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  return details.length > 0 && !invalidFields.includes(undefined)
}

export const clearInvalid = (field: Element): void => {
  field.ariaInvalid = null
  field.setAttribute('aria-describedby', (field.getAttribute('aria-describedby') ?? '').replace(/^problem-\S+ ?/, ''))
  field.closest('.field')?.querySelector('.problem')?.remove()
}

const confirmDialog = find<HTMLDialogElement>('#confirm')

export const confirm = (question: string, action: string): Promise<boolean> =>
  new Promise((resolve) => {
    find('h2', confirmDialog).textContent = question
    find('[value=yes]', confirmDialog).textContent = action
    confirmDialog.returnValue = ''
    confirmDialog.addEventListener('close', () => resolve(confirmDialog.returnValue === 'yes'), { once: true })
    confirmDialog.showModal()
  })
