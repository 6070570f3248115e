/** An error object of the mock, or another error with a message. */
export interface ApiError {
  readonly message: string
  readonly hint?: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

/** Creates functions that show successes and errors in regions that screen readers announce. */
export const createMessages = () => {
  const done = document.querySelector('#done')!
  const alert = document.querySelector('#refusal')!
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
      const more = details.length > 1 ? details.map((one) => one.message) : []
      alert.replaceChildren(...[message, ...more, ...(hint === undefined ? [] : [hint])].map(paragraph))
    },
    /** Marks the invalid fields of a form and moves the focus to the first. */
    markInvalid: (form: HTMLFormElement, { details = [] }: Partial<ApiError>) => {
      // A JSON field has nested values: `match.body` is also invalid if `match.body.invoice` is.
      const isInvalid = ({ name }: HTMLInputElement) =>
        name !== '' &&
        details.some(({ path }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
      const fields = Array.from(form.elements) as HTMLInputElement[]
      for (const field of fields) {
        if (isInvalid(field)) field.setAttribute('aria-invalid', 'true')
        else field.removeAttribute('aria-invalid')
      }
      fields.find(isInvalid)?.focus()
    },
  }
}

/** Creates a function that asks for a confirmation. `typed` is a text that the user has to type. */
export const createConfirm = () => {
  const dialog = document.querySelector<HTMLDialogElement>('#confirm')!
  const title = dialog.querySelector('h2')!
  const label = dialog.querySelector('label')!
  const input = dialog.querySelector('input')!
  const yes = dialog.querySelector<HTMLButtonElement>('[value=yes]')!
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
