import type { CallApi } from './api.ts'
import type { Find } from './page.ts'

type Body = Readonly<Record<string, unknown>>

/** Returns the call of a form: its fixed body, with its fields by their names, which are paths in the body. */
export const readCall = (form: HTMLFormElement, submitter: HTMLElement | null): { path: string; init: RequestInit } => {
  const { method = '', path = '', body: fixed } = form.dataset
  const fields = new Map<string, HTMLInputElement>()
  for (const field of form.querySelectorAll<HTMLInputElement>('[name]')) {
    const isOmitted = field.matches('[type=checkbox]:not(:checked)') || (field.matches('button') && field !== submitter)
    if (!isOmitted && (field.value !== '' || 'null' in field.dataset)) fields.set(field.name, field)
  }

  const readValue = ({ value, dataset, name }: HTMLInputElement): unknown => {
    if (value === '') return null
    if (!('json' in dataset)) return value
    try {
      return JSON.parse(value)
    } catch {
      const message = `${name} is not valid JSON: ${value.slice(0, 40)}`
      throw { message, details: [{ path: name, message }] }
    }
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name)?.value ?? ''
    fields.delete(name)
    return encodeURIComponent(value)
  })
  const setValue = (body: Body, [name = '', ...rest]: string[], value: unknown): Body => ({
    ...body,
    [name]: rest.length === 0 ? value : setValue(Object(body[name]), rest, value),
  })
  if (fixed === undefined && fields.size === 0) return { path: filled, init: { method } }
  let body: Body = JSON.parse(fixed ?? '{}')
  for (const [name, field] of fields) body = setValue(body, name.split('.'), readValue(field))
  const headers = { 'content-type': 'application/json' }
  return { path: filled, init: { method, headers, body: JSON.stringify(body) } }
}

/** Creates functions that save a response as a file and copy a text. */
export const createTransfer = (find: Find, call: CallApi, showDone: (text: string) => void) => ({
  download: async (path: string, name: string): Promise<void> => {
    const response = await call(path)
    const text = JSON.stringify(await response.json(), null, 2)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    link.download = name
    link.click()
    URL.revokeObjectURL(link.href)
    showDone('Seed downloaded.')
  },
  copy: async (id: string): Promise<void> => {
    const source = find(`#${id}`)
    // An insecure origin has no clipboard, so the text is selected instead.
    if (!('clipboard' in navigator)) return getSelection()?.selectAllChildren(source)
    await navigator.clipboard.writeText(source.textContent)
    showDone('Copied.')
  },
})
