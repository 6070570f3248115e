/**
 * What a form sends: its fixed body, with its fields on top at the places that their names say.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
export const requestOf = (
  form: HTMLFormElement,
  submitter: HTMLElement | null,
): { path: string; init: RequestInit } => {
  type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLButtonElement
  type Fields = Record<string, unknown>
  const { method = '', path = '', body: fixed } = form.dataset
  const sent = new Map<string, Field>()
  for (const one of Array.from(form.elements) as Field[]) {
    const isOut =
      one.tagName === 'BUTTON' ? one !== submitter : one.type === 'checkbox' && !(one as HTMLInputElement).checked
    if (one.name !== '' && !isOut && (one.value !== '' || 'null' in one.dataset)) sent.set(one.name, one)
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
    const value = sent.get(name)?.value ?? ''
    sent.delete(name)
    return encodeURIComponent(value)
  })
  const put = (target: Fields, [name, ...deeper]: string[], value: unknown): void => {
    if (deeper.length === 0) target[name!] = value
    else put((target[name!] ??= {}) as Fields, deeper, value)
  }
  const body = JSON.parse(fixed ?? '{}') as Fields
  for (const [name, one] of sent) put(body, name.split('.'), valueOf(one))
  const isEmpty = fixed === undefined && sent.size === 0
  return {
    path: filled,
    init: isEmpty
      ? { method }
      : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  }
}
