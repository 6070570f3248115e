interface SwapOptions {
  /** Whether to keep open details and changed fields: a refresh must not discard them. */
  readonly keep: boolean
  /** The form that was sent. Its fields are not kept. */
  readonly sent?: HTMLFormElement | undefined
}

/** Replaces the content of an element with escaped markup. The focus stays, or moves to the nearest control that is left. */
export const swapInto = (target: Element, markup: string, { keep, sent }: SwapOptions): void => {
  const controls = 'a[href], button, input, select, textarea, summary, [tabindex]'
  const keyOf = (element: Element) =>
    [
      element.tagName,
      element.closest('form')?.dataset.path,
      element.getAttribute('name'),
      element.getAttribute('type'),
      element.getAttribute('href'),
      /INPUT|SELECT|TEXTAREA/.test(element.tagName) ? '' : element.textContent.trim(),
    ].join('|')
  const actionOf = (element: Element | null) => {
    const { method, path } = element?.closest('form')?.dataset ?? {}
    return path === undefined ? undefined : `${method} ${path}`
  }
  const rowOf = (element: Element | null) => element?.closest<HTMLElement>('[data-row]')?.dataset.row

  const template = document.createElement('template')
  template.innerHTML = markup
  const next = template.content
  const fields = 'input, select, textarea'
  /** Finds the new element for an old one, among equal elements by its index. */
  const twinOf = <E extends HTMLElement>(old: E, selector: string) => {
    const alike = (root: ParentNode) =>
      Array.from(root.querySelectorAll<E>(selector)).filter((one) => keyOf(one) === keyOf(old))
    return alike(next)[alike(target).indexOf(old)]
  }
  const isChanged = (field: HTMLInputElement | HTMLSelectElement) => {
    if ('defaultValue' in field) return field.value !== field.defaultValue
    const initial = Array.from(field.options).find((option) => option.defaultSelected) ?? field.options[0]
    return field.value !== initial?.value
  }
  if (keep) {
    for (const old of target.querySelectorAll<HTMLElement>('details[open] > summary'))
      if (!old.parentElement!.contains(sent ?? null)) twinOf(old, 'summary')?.parentElement!.setAttribute('open', '')
    for (const old of target.querySelectorAll<HTMLInputElement>(fields)) {
      const same = old.form === sent ? undefined : twinOf(old, fields)
      if (same === undefined) continue
      if (old.type === 'checkbox') same.checked = old.checked
      else if (isChanged(old)) same.value = old.value
      if (old.hasAttribute('aria-invalid')) same.setAttribute('aria-invalid', 'true')
    }
  }
  const focused = target.contains(document.activeElement) ? document.activeElement : null
  const row = rowOf(focused)
  const key = focused === null ? '' : keyOf(focused)
  const action = actionOf(focused)
  target.replaceChildren(next)
  if (focused === null || focused === target) return
  const all = Array.from(target.querySelectorAll<HTMLElement>(controls))
  const near =
    all.find((one) => keyOf(one) === key) ??
    // The label of a toggle button changes.
    all.find((one) => action !== undefined && one.tagName === 'BUTTON' && actionOf(one) === action) ??
    all.find((one) => row !== undefined && rowOf(one) === row) ??
    target.querySelector<HTMLElement>('h1')
  near?.focus({ preventScroll: true })
}
