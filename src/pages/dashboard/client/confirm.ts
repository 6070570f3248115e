/** Asks a question, and for a text to be typed where that is required. */
export type Confirm = (question: string, action: string, typed?: string) => Promise<boolean>

/**
 * Asks before something is deleted.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
export const createConfirm = (): Confirm => {
  const dialog = document.querySelector<HTMLDialogElement>('#confirm')!
  const question = dialog.querySelector('h2')!
  const label = dialog.querySelector('label')!
  const input = dialog.querySelector('input')!
  const yes = dialog.querySelector<HTMLButtonElement>('[value=yes]')!
  let expected = ''
  const check = () => {
    input.setCustomValidity(input.value === expected ? '' : 'This is not the name of the project.')
  }
  input.addEventListener('input', check)

  return (text, action, typed = '') =>
    new Promise((resolve) => {
      question.textContent = text
      yes.textContent = action
      // A field drops what cannot be typed into it, such as the end of a line.
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
