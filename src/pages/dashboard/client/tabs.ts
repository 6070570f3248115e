/**
 * Marks the tab of a view, and brings it into sight where the tabs are scrolled.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
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
