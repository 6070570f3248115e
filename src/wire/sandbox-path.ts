import { errors } from '../schema/error.ts'
import { isSandboxName, findPathStart } from '../schema/url.ts'

/** A request to a sandbox: its name, and the URL that the sandbox itself sees. */
export interface SandboxPath {
  readonly name: string
  readonly url: string
  /** Whether nothing follows the name, not even a slash. */
  readonly isBare: boolean
}

/** Splits `http://host/@name/rest`. Undefined: the request is not for a sandbox. Throws if the name is invalid. */
export const splitSandboxPath = (url: string): SandboxPath | undefined => {
  const start = findPathStart(url)
  if (start === -1) return undefined
  const marker = url[start + 1] === '@' ? 1 : url.startsWith('%40', start + 1) ? 3 : 0
  if (marker === 0) return undefined
  const rest = url.slice(start + 1 + marker)
  const length = rest.search(/[/?#]|$/)
  const name = decode(rest.slice(0, length))
  if (!isSandboxName(name)) throw errors.routeNotFound({ sandbox: rest.slice(0, length) })
  const inner = rest.slice(length)
  return { name, url: url.slice(0, start) + inner, isBare: !inner.startsWith('/') }
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
