import { type ApiError, find } from './page.ts'

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
    const isOmitted = field.matches('[type=checkbox]:not(:checked)') || (field.matches('button') && field !== submitter)
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
const input = find<HTMLInputElement>('input', dialog)
let expected = ''

const checkTyped = () => input.setCustomValidity(input.value === expected ? '' : 'This is not the name of the project.')

input.addEventListener('input', checkTyped)

/** Asks for a confirmation. `typed` is a text that the user has to type. */
export const confirm = (question: string, action: string, typed = ''): Promise<boolean> =>
  new Promise((resolve) => {
    find('h2', dialog).textContent = question
    find('[value=yes]', dialog).textContent = action
    // An input drops characters that cannot be typed, such as line breaks.
    input.value = typed
    expected = input.value
    input.value = ''
    find('label', dialog).hidden = expected === ''
    checkTyped()
    dialog.returnValue = ''
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true })
    dialog.showModal()
    if (expected !== '') input.focus()
  })
