interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown
}

/** A request as a line of the shell that works when it is pasted. A bearer token stands as `$TOKEN`, unless `any` will do. */
export const curlOf = ({ method, url, headers, body }: Sent): string => {
  const hasBody = body !== undefined && body !== null
  const parts = [
    ...(method === 'HEAD' ? ['-I'] : method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${quoted(method)}`]),
    // What curl takes for a pattern, a path may hold.
    ...(/[[\]{}]/.test(url) ? ['-g'] : []),
    ...headers.map(([name, value]) => `-H ${headerOf(name, value)}`),
    ...(hasBody ? [`--data-raw ${quoted(typeof body === 'string' ? body : JSON.stringify(body))}`] : []),
    quoted(url),
  ]
  return `curl ${parts.join(' \\\n  ')}`
}

const headerOf = (name: string, value: string): string =>
  name.toLowerCase() === 'authorization' && value !== 'Bearer any'
    ? '"Authorization: Bearer $TOKEN"'
    : quoted(value === '' ? `${name};` : `${name}: ${value}`)

/** A text as one word of the shell, whatever it holds: what a terminal would act upon is written out. */
const quoted = (text: string): string => {
  if (/^[\w./:=-]+$/.test(text)) return text
  if (!control.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`
  const written = text
    .replace(/[\\']/g, String.raw`\$&`)
    .replace(new RegExp(control, 'gu'), (one) => String.raw`\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `$'${written}'`
}

// Tabs and ends of lines harm nobody within quotes.
const control = /[^\P{Cc}\n\t]/u
