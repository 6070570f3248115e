/**
 * Adds copy buttons to the commands, and replaces the parts that have changed since the page was loaded. It can only use the
 * browser: imports do not exist there.
 */
const start = (): void => {
  const main = document.querySelector('main')!

  const addCopyButton = (command: HTMLElement) => {
    const button = document.createElement('button')
    const show = (text: string) => {
      button.textContent = text
      button.setAttribute('aria-label', `${text}: ${command.getAttribute('aria-label')}`)
    }
    show('Copy')
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(command.textContent).then(
        () => show('Copied'),
        () => show('Copy failed'),
      )
    })
    command.after(button)
  }

  const refresh = async () => {
    if (document.hidden) return
    const response = await fetch(main.dataset.source!)
    const next = new DOMParser().parseFromString(await response.text(), 'text/html')
    for (const part of main.querySelectorAll('[data-live]')) {
      const other = next.getElementById(part.id)
      if (other !== null && other.innerHTML !== part.innerHTML) part.replaceChildren(...other.childNodes)
    }
  }

  // Browsers have no clipboard on other pages than those of https and of this machine.
  if (isSecureContext) for (const command of main.querySelectorAll('pre')) addCopyButton(command)
  setInterval(() => void refresh().catch(() => undefined), 1000)
}

/** The script of the page at `/`. */
export const landingScript = `'use strict'
;(${String(start)})()
`
