import type { Find } from './page.ts'

/** An error object of the mock, or another error with a message. */
export interface ApiError {
  readonly message: string
  readonly hint?: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

/** Creates functions that show successes and errors in regions that screen readers announce. */
export const createMessages = (find: Find) => {
  const done = find('#done')
  const alert = find('#error')
  const paragraph = (text: string) => {
    const element = document.createElement('p')
    element.textContent = text
    return element
  }
  return {
    showDone: (text: string) => {
      done.textContent = text
      alert.replaceChildren()
    },
    showError: ({ message, hint, details = [] }: ApiError) => {
      done.textContent = ''
      const more = details.length > 1 ? details.map((detail) => detail.message) : []
      alert.replaceChildren(...[message, ...more, hint ?? []].flat().map(paragraph))
    },
    /** Marks the invalid fields of a form and moves the focus to the first. */
    markInvalid: (form: HTMLFormElement, { details = [] }: Partial<ApiError>) => {
      // A JSON field has nested values: `match.body` is also invalid if `match.body.invoice` is.
      const isInvalid = ({ name }: HTMLInputElement) =>
        details.some(({ path }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
      const fields = Array.from(form.querySelectorAll<HTMLInputElement>('[name]'))
      for (const field of fields) {
        if (isInvalid(field)) field.setAttribute('aria-invalid', 'true')
        else field.removeAttribute('aria-invalid')
      }
      fields.find(isInvalid)?.focus()
    },
  }
}

/** Creates a function that asks for a confirmation. `typed` is a text that the user has to type. */
export const createConfirm = (find: Find) => {
  const dialog = find<HTMLDialogElement>('#confirm')
  const title = find('h2', dialog)
  const label = find('label', dialog)
  const input = find<HTMLInputElement>('input', dialog)
  const yes = find('[value=yes]', dialog)
  let expected = ''
  const check = () => {
    input.setCustomValidity(input.value === expected ? '' : 'This is not the name of the project.')
  }
  input.addEventListener('input', check)

  return (question: string, action: string, typed = ''): Promise<boolean> =>
    new Promise((resolve) => {
      title.textContent = question
      yes.textContent = action
      // An input drops characters that cannot be typed, such as line breaks.
      input.value = typed
      expected = input.value
      input.value = ''
      label.hidden = expected === ''
      check()
      dialog.returnValue = ''
      dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true })
      dialog.showModal()
      if (expected !== '') input.focus()
    })
}
