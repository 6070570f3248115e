import { errorCodes, type ErrorCode, type ErrorObject, Refusal } from '../schema/error.ts'
import type { Verb } from '../schema/verb.ts'
import { type Call, type Send, type VerbId, verbs } from '../schema/verbs.ts'
import { type Control, createControl } from './control.ts'

export interface ConnectOptions {
  /** The bearer token of the control plane, where it asks for one. */
  readonly adminToken?: string | undefined
  /** What carries the calls. @default the global fetch */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/**
 * Steers a mock that runs elsewhere, by the same interface as an embedded one. `url` is where it listens.
 * Everything rejects with the `Refusal` that the mock answered, or with the error of `fetch` where nobody answers.
 */
export const connect = (url: string, options: ConnectOptions = {}): Control => {
  const call = caller(url.replace(/\/+$/, ''), options)
  return createControl({ one: call, all: call } as Send)
}

const caller =
  (base: string, { adminToken, fetch = globalThis.fetch }: ConnectOptions) =>
  async (id: VerbId, call: Call = {}): Promise<unknown> => {
    const { method }: Verb = verbs[id]
    const response = await fetch(`${base}/__admin${pathOf(verbs[id], call)}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(adminToken !== undefined && { authorization: `Bearer ${adminToken}` }),
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    })
    const text = await response.text()
    if (!response.ok) throw refusalOf(response, text)
    return text === '' ? undefined : JSON.parse(text)
  }

const pathOf = ({ scope, path }: Verb, { params = {}, query = {} }: Call): string => {
  const { project } = params
  const inScope = scope === 'mock' || project === undefined ? path : `/projects/{project}${path}`
  const filled = inScope.replace(/\{(\w+)\}/g, (_, name: string) => segment(params[name] ?? ''))
  const search = new URLSearchParams(query as Record<string, string>).toString()
  return search === '' ? filled : `${filled}?${search}`
}

// An address takes these two for steps: the call would reach another project, or all of them.
const segment = (name: string): string => {
  if (name === '.' || name === '..' || /\p{Surrogate}/u.test(name))
    throw new Refusal('projectNotFound', `No address can name '${name}'.`)
  return encodeURIComponent(name)
}

/** The refusal as it was thrown there. What is none, of a proxy say, is told as it came. */
const refusalOf = (response: Response, text: string): Error => {
  const { status } = response
  const error = errorIn(text)
  if (error === undefined)
    return new Error(`${response.url} answered ${status}, and not as a mock does: ${text.slice(0, 200)}`)
  return new Refusal(error.code, error.message, { hint: error.hint, details: error.details, status })
}

const errorIn = (text: string): ErrorObject | undefined => {
  try {
    const value = JSON.parse(text) as Partial<ErrorObject> | null
    return value?.object === 'error' && (value.code as ErrorCode) in errorCodes ? (value as ErrorObject) : undefined
  } catch {
    return undefined
  }
}
