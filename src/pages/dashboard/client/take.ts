import type { CallPlane } from './calls.ts'
import type { Refused } from './notices.ts'

/**
 * Takes things out of the page: a document as a file, a text to the clipboard.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
export const createTake = (call: CallPlane, say: (text: string) => void) => ({
  download: async (path: string, name: string): Promise<void> => {
    const response = await call(path)
    if (!response.ok) throw (await response.json()) as Refused
    const text = JSON.stringify(await response.json(), null, 2)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    link.download = name
    link.click()
    URL.revokeObjectURL(link.href)
    say('The seed is downloaded.')
  },
  copy: async (id: string): Promise<void> => {
    const source = document.getElementById(id)!
    // Where the address is no secure one there is no clipboard: then the text is marked.
    if ((navigator.clipboard as Clipboard | undefined) === undefined) return getSelection()!.selectAllChildren(source)
    await navigator.clipboard.writeText(source.textContent)
    say('Copied.')
  },
})
