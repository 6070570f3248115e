/** Creates the bar above every view. */
export const createBar = (fetchView: (view: string) => Promise<string>, tick: () => void) => {
  const bar = document.querySelector('#bar')!
  return {
    refresh: async (): Promise<void> => {
      const { search } = location
      const template = document.createElement('template')
      template.innerHTML = await fetchView('bar')
      // Another project was selected in the meantime, which refreshes the bar too.
      if (search !== location.search) return
      // Replacing an open select would close it.
      if (bar.contains(document.activeElement))
        bar.querySelector('p')!.replaceWith(template.content.querySelector('p')!)
      else bar.replaceChildren(template.content)
      tick()
    },
    /** The only project, if there is exactly one. */
    onlyProject: () => bar.querySelector<HTMLElement>('[data-only]')?.dataset.only,
  }
}

/** Marks the tab of a view and scrolls to it. */
export const markTab = (view: string): void => {
  const tabs = document.querySelector('#sections')!
  for (const tab of tabs.querySelectorAll('a')) {
    const name = tab.getAttribute('href')!.slice(1)
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
