import type { CallApi } from './api.ts'

/** Returns the request of a form: its fixed body with its fields, whose names are paths in the body. */
export const requestOf = (
  form: HTMLFormElement,
  submitter: HTMLElement | null,
): { path: string; init: RequestInit } => {
  type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLButtonElement
  type Body = Record<string, unknown>
  const { method = '', path = '', body: fixed } = form.dataset
  const fields = new Map<string, Field>()
  for (const field of Array.from(form.elements) as Field[]) {
    const isOmitted =
      field.tagName === 'BUTTON'
        ? field !== submitter
        : field.type === 'checkbox' && !(field as HTMLInputElement).checked
    if (field.name !== '' && !isOmitted && (field.value !== '' || 'null' in field.dataset))
      fields.set(field.name, field)
  }

  const valueOf = ({ value, dataset, name }: Field): unknown => {
    if (value === '') return null
    if (!('json' in dataset)) return value
    try {
      return JSON.parse(value) as unknown
    } catch {
      const message = `${name} is not JSON: ${value.slice(0, 40)}`
      throw { message, details: [{ path: name, message }] }
    }
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name)?.value ?? ''
    fields.delete(name)
    return encodeURIComponent(value)
  })
  const put = (target: Body, [name, ...deeper]: string[], value: unknown): void => {
    if (deeper.length === 0) target[name!] = value
    else put((target[name!] ??= {}) as Body, deeper, value)
  }
  const body = JSON.parse(fixed ?? '{}') as Body
  for (const [name, field] of fields) put(body, name.split('.'), valueOf(field))
  const isEmpty = fixed === undefined && fields.size === 0
  return {
    path: filled,
    init: isEmpty
      ? { method }
      : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  }
}

/** Creates functions that save a response as a file and copy a text. */
export const createTransfer = (call: CallApi, showDone: (text: string) => void) => ({
  download: async (path: string, name: string): Promise<void> => {
    const response = await call(path)
    const text = JSON.stringify(await response.json(), null, 2)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    link.download = name
    link.click()
    URL.revokeObjectURL(link.href)
    showDone('The seed is downloaded.')
  },
  copy: async (id: string): Promise<void> => {
    const source = document.getElementById(id)!
    // An insecure origin has no clipboard, so the text is selected instead.
    if ((navigator.clipboard as Clipboard | undefined) === undefined) return getSelection()!.selectAllChildren(source)
    await navigator.clipboard.writeText(source.textContent)
    showDone('Copied.')
  },
})
