/** What a refusal says, and what fails otherwise. */
export interface Refused {
  readonly message: string
  readonly hint?: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

/**
 * Says what was done and what was refused, as text, in regions that a screen reader reads out.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
export const createNotices = () => {
  const done = document.querySelector('#done')!
  const refusal = document.querySelector('#refusal')!
  const paragraph = (text: string) => {
    const element = document.createElement('p')
    element.textContent = text
    return element
  }
  return {
    say: (text: string) => {
      done.textContent = text
      refusal.replaceChildren()
    },
    complain: ({ message, hint, details = [] }: Refused) => {
      done.textContent = ''
      const more = details.length > 1 ? details.map((one) => one.message) : []
      refusal.replaceChildren(...[message, ...more, ...(hint === undefined ? [] : [hint])].map(paragraph))
    },
    /** Marks the fields of a form that a refusal is about, and moves the focus to the first of them. */
    mark: (form: HTMLFormElement, { details = [] }: Partial<Refused>) => {
      // A field may hold more than one value: that of `match.body` is also wrong where `match.body.invoice` is.
      const isWrong = ({ name }: HTMLInputElement) =>
        name !== '' &&
        details.some(({ path }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
      const fields = Array.from(form.elements) as HTMLInputElement[]
      for (const field of fields) {
        if (isWrong(field)) field.setAttribute('aria-invalid', 'true')
        else field.removeAttribute('aria-invalid')
      }
      fields.find(isWrong)?.focus()
    },
  }
}
