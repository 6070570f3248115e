// The script of the start page and of the API description. It adds copy buttons to the commands, and replaces the parts
// that have changed since the page was loaded.

const addCopyButton = (block: HTMLElement): void => {
  const button = document.createElement('button')
  const show = (text: string) => {
    button.textContent = text
    button.setAttribute('aria-label', `${text}: ${block.getAttribute('aria-label')}`)
  }
  show('Copy')
  button.addEventListener('click', () => {
    const code = block.querySelector('code')!
    navigator.clipboard.writeText(code.textContent).then(
      () => show('Copied'),
      () => {
        getSelection()?.selectAllChildren(code)
        show('Selected')
      },
    )
  })
  block.append(button)
}

const refresh = async (source: string): Promise<void> => {
  if (document.hidden) return
  const response = await fetch(source)
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const part of document.querySelectorAll('[data-live]')) {
    const other = next.getElementById(part.id)
    if (other !== null && other.innerHTML !== part.innerHTML) part.replaceChildren(...other.childNodes)
  }
}

// Browsers have no clipboard on other pages than those of https and of this machine.
if (isSecureContext) for (const block of document.querySelectorAll<HTMLElement>('.curl')) addCopyButton(block)
const { source } = document.querySelector('main')!.dataset
if (source !== undefined) setInterval(() => void refresh(source).catch(() => undefined), 1000)
