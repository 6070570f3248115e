// The script of the start page and of the API description. It adds copy buttons to the commands, and replaces the parts
// that have changed since the page was loaded.

const addCopyButton = (block: HTMLElement): void => {
  const button = document.createElement('button')
  const showLabel = (text: string) => {
    button.textContent = text
    button.setAttribute('aria-label', `${text}: ${block.getAttribute('aria-label')}`)
  }
  showLabel('Copy')
  button.addEventListener('click', () => {
    const code = block.querySelector('code')!
    navigator.clipboard.writeText(code.textContent).then(
      () => showLabel('Copied'),
      () => {
        getSelection()?.selectAllChildren(code)
        showLabel('Selected')
      },
    )
  })
  block.append(button)
}

const refresh = async (source: string): Promise<void> => {
  if (document.hidden) return
  const response = await fetch(source)
  const newPage = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const livePart of document.querySelectorAll('[data-live]')) {
    const newPart = newPage.getElementById(livePart.id)
    if (newPart !== null && newPart.innerHTML !== livePart.innerHTML) livePart.replaceChildren(...newPart.childNodes)
  }
}

// Browsers have a clipboard only on pages of https or of this machine.
if (isSecureContext) for (const block of document.querySelectorAll<HTMLElement>('.curl')) addCopyButton(block)
const { source } = document.querySelector('main')!.dataset
if (source !== undefined) setInterval(() => void refresh(source).catch(() => undefined), 1000)
