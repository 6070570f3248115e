import type { ApiError } from './api.ts'
import { find } from './page.ts'

// Regions that screen readers announce.
const done = find('#done')
const alert = find('#error')

const createParagraph = (textContent: string): HTMLElement =>
  Object.assign(document.createElement('p'), { textContent })

/** Shows a success, and removes an error. */
export const showDone = (text: string): void => {
  done.textContent = text
  alert.replaceChildren()
}

export const showError = ({ message, hint, details = [] }: ApiError): void => {
  done.textContent = ''
  const more = details.length > 1 ? details.map((detail) => detail.message) : []
  alert.replaceChildren(...[message, ...more, hint ?? []].flat().map(createParagraph))
}

/** Marks the invalid fields of a form and moves the focus to the first. */
export const markInvalid = (form: HTMLFormElement, { details = [] }: Partial<ApiError>): void => {
  // A JSON field has nested values: `match.body` is also invalid if `match.body.invoice` is.
  const isInvalid = ({ name }: HTMLInputElement) =>
    details.some(({ path }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
  const fields = Array.from(form.querySelectorAll<HTMLInputElement>('[name]'))
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
