/**
 * Lets the time of a real clock go on, each second and whenever it is called: from the time that the server rendered.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
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
