import { call } from './api.ts'
import { showDone } from './messages.ts'
import { find } from './page.ts'

type Body = Readonly<Record<string, unknown>>

/** Returns the call of a form: its fixed body, with its fields by their names, which are paths in the body. */
export const readCall = (form: HTMLFormElement, submitter: HTMLElement | null): { path: string; init: RequestInit } => {
  const { method = '', path = '', body: fixed } = form.dataset
  const fields = new Map<string, HTMLInputElement>()
  for (const field of form.querySelectorAll<HTMLInputElement>('[name]')) {
    const isOmitted = field.matches('[type=checkbox]:not(:checked)') || (field.matches('button') && field !== submitter)
    if (!isOmitted && (field.value !== '' || 'empty' in field.dataset)) fields.set(field.name, field)
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name)?.value ?? ''
    fields.delete(name)
    return encodeURIComponent(value)
  })
  if (fixed === undefined && fields.size === 0) return { path: filled, init: { method } }
  let body: Body = JSON.parse(fixed ?? '{}')
  for (const [name, field] of fields) body = setValue(body, name.split('.'), readValue(field))
  const headers = { 'content-type': 'application/json' }
  return { path: filled, init: { method, headers, body: JSON.stringify(body) } }
}

const readValue = ({ value, dataset, name }: HTMLInputElement): unknown => {
  if (value === '') return JSON.parse(dataset.empty ?? 'null')
  if (!('json' in dataset)) return value
  try {
    return JSON.parse(value)
  } catch {
    const message = `${name} is not valid JSON: ${value.slice(0, 40)}`
    throw { message, details: [{ path: name, message }] }
  }
}

const setValue = (body: Body, [name = '', ...rest]: string[], value: unknown): Body => ({
  ...body,
  [name]: rest.length === 0 ? value : setValue(Object(body[name]), rest, value),
})

/** Opens the view of a search form with its fields as parameters. */
export const openView = (form: HTMLFormElement): void => {
  const query = new URLSearchParams()
  for (const { name, value } of form.querySelectorAll<HTMLInputElement>('[name]'))
    if (value !== '') query.append(name, value)
  location.hash = `${form.dataset.view}${query.size > 0 ? `?${query}` : ''}`
}

export const download = async (path: string, name: string): Promise<void> => {
  const text = JSON.stringify(await (await call(path)).json(), null, 2)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
  showDone('Seed downloaded.')
}

/** Copies the command beside the button. */
export const copy = async (button: HTMLElement): Promise<void> => {
  const source = find('code', button.parentElement!)
  // An insecure origin has no clipboard, so the text is selected instead.
  if (!('clipboard' in navigator)) return getSelection()?.selectAllChildren(source)
  await navigator.clipboard.writeText(source.textContent)
  showDone('Copied.')
}
