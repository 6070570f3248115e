/** Returns the first element that matches, or throws. */
export const find = <E extends Element = HTMLElement>(selector: string, root: ParentNode = document): E => {
  const element = root.querySelector<E>(selector)
  if (element === null) throw new Error(`No element matches '${selector}'.`)
  return element
}

export type Find = typeof find

/** Creates the bar above every view of the dashboard, with the selection of the project. */
export const createTopBar = (find: Find, fetchView: (view: string) => Promise<string>, tick: () => void) => {
  const bar = find('#bar')
  return {
    refresh: async (): Promise<void> => {
      const { search } = location
      const template = document.createElement('template')
      template.innerHTML = await fetchView('bar')
      // Another project was selected in the meantime, which refreshes the bar too.
      if (search !== location.search) return
      // Replacing an open select would close it.
      if (bar.contains(document.activeElement)) find('p', bar).replaceWith(find('p', template.content))
      else bar.replaceChildren(template.content)
      tick()
    },
    /** Returns the project if there is only one. */
    getOnlyProject: () => bar.querySelector<HTMLElement>('[data-only]')?.dataset.only,
  }
}

/** Marks the tab of a view and scrolls to it. */
export const markTab = (find: Find, view: string): void => {
  const tabs = find('#sections')
  for (const tab of tabs.querySelectorAll('a')) {
    const name = tab.hash.slice(1)
    if (name !== view && name !== `${view}s` && !(name === 'journal' && view === 'request')) {
      tab.removeAttribute('aria-current')
      continue
    }
    tab.setAttribute('aria-current', 'page')
    tabs.scrollLeft = tab.offsetLeft - tabs.clientWidth / 2
  }
}

/** Advances the times of real clocks, each second and on every call of the returned function. */
export const createTicker = (): (() => void) => {
  const offsets = new WeakMap<Element, number>()
  const tick = () => {
    for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-ticks]')) {
      const offset = offsets.get(element) ?? Date.parse(element.dateTime) - Date.now()
      offsets.set(element, offset)
      element.textContent = new Date(Date.now() + offset).toISOString().slice(0, 19).replace('T', ' ')
    }
  }
  setInterval(tick, 1000)
  return tick
}

interface SwapOptions {
  /** Whether to keep open details and changed fields: a refresh must not discard them. */
  readonly keep: boolean
  /** The form that was sent. Its fields are not kept. */
  readonly sent?: HTMLFormElement | undefined
}

/** Replaces the content of an element with escaped markup. The focus stays, or moves to the nearest remaining control. */
export const swapInto = (target: Element, markup: string, { keep, sent }: SwapOptions): void => {
  const controls = 'a[href], button, input, select, textarea, summary, [tabindex]'
  const fields = 'input, select, textarea'
  const getKey = (element: Element) =>
    [
      element.tagName,
      element.closest('form')?.dataset.path,
      element.getAttribute('name'),
      element.getAttribute('type'),
      element.getAttribute('href'),
      element.matches(fields) ? '' : element.textContent.trim(),
    ].join('|')
  const getAction = (element: Element) => {
    const { method, path } = element.closest('form')?.dataset ?? {}
    return path && `${method} ${path}`
  }
  const getRow = (element: Element) => element.closest<HTMLElement>('[data-row]')?.dataset.row

  const template = document.createElement('template')
  template.innerHTML = markup
  const next = template.content
  /** Finds the new element for an old one, among equal elements by its index. */
  const findNewElement = <E extends HTMLElement>(old: E, selector: string) => {
    const equals = (root: ParentNode) =>
      Array.from(root.querySelectorAll<E>(selector)).filter((element) => getKey(element) === getKey(old))
    return equals(next)[equals(target).indexOf(old)]
  }
  const isChanged = (field: HTMLInputElement | HTMLSelectElement) => {
    if ('defaultValue' in field) return field.value !== field.defaultValue
    const initial = Array.from(field.options).find((option) => option.defaultSelected) ?? field.options[0]
    return field.value !== initial?.value
  }
  if (keep) {
    for (const old of target.querySelectorAll<HTMLElement>('details[open] > summary'))
      if (!old.closest('details')?.contains(sent ?? null))
        findNewElement(old, 'summary')?.closest('details')?.setAttribute('open', '')
    for (const old of target.querySelectorAll<HTMLInputElement>(fields)) {
      const field = old.form === sent ? undefined : findNewElement(old, fields)
      if (field === undefined) continue
      if (old.type === 'checkbox') field.checked = old.checked
      else if (isChanged(old)) field.value = old.value
      if (old.hasAttribute('aria-invalid')) field.setAttribute('aria-invalid', 'true')
    }
  }
  const focused = document.activeElement
  if (focused === null || focused === target || !target.contains(focused)) return target.replaceChildren(next)
  const [key, action, row] = [getKey(focused), getAction(focused), getRow(focused)]
  target.replaceChildren(next)
  const all = Array.from(target.querySelectorAll<HTMLElement>(controls))
  const nearest =
    all.find((element) => getKey(element) === key) ??
    // The label of a toggle button changes.
    all.find((element) => action !== undefined && element.tagName === 'BUTTON' && getAction(element) === action) ??
    all.find((element) => row !== undefined && getRow(element) === row) ??
    target.querySelector<HTMLElement>('h1')
  nearest?.focus({ preventScroll: true })
}
