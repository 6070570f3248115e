/**
 * Shows what stands above every view.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
export const createBar = (fragment: (view: string) => Promise<string>, tick: () => void) => {
  const bar = document.querySelector('#bar')!
  return {
    refresh: async (): Promise<void> => {
      const at = location.search
      const template = document.createElement('template')
      template.innerHTML = await fragment('bar')
      // Meanwhile another project was selected: its bar is on the way.
      if (at !== location.search) return
      // A list of choices that is open must not be taken away.
      if (bar.contains(document.activeElement))
        bar.querySelector('p')!.replaceWith(template.content.querySelector('p')!)
      else bar.replaceChildren(template.content)
      tick()
    },
    /** The name of the project, where there is only one. */
    onlyProject: () => bar.querySelector<HTMLElement>('[data-only]')?.dataset.only,
  }
}
