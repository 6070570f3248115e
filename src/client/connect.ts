import { type ErrorCode, Refusal } from '../schema/error.ts'
import { optionsOf } from '../schema/options-of.ts'
import { ConnectOptions as Options } from '../schema/options.ts'
import { urlOf, withoutCredentials } from '../schema/url.ts'
import { type Call, type Command, type CommandId, commands, type Send } from '../schema/commands.ts'
import { type Control, createControl } from './control.ts'
import { followEvents } from './follow.ts'
import { lazily } from './lazily.ts'
import { answerOf, refusalOf } from './refusal.ts'

export interface ConnectOptions {
  /** The bearer token of the control plane, where it asks for one. */
  readonly adminToken?: string | undefined
  /** What carries the calls. @default the global fetch */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/**
 * Steers a mock that runs elsewhere, by the same interface as an embedded one. `url` is where it listens: throws a `Refusal`
 * if that is no address, or an option is wrong. Everything rejects with the `Refusal` that the mock answered, with the error
 * of `fetch` where nobody answers, and with an `Error` that quotes the answer where it is not that of a mock.
 */
export const connect = (url: string | URL, given: ConnectOptions = {}): Control => {
  const base = addressOf(url)
  const options = optionsOf('connect', "{ adminToken: 'secret' }", Options, given)
  const send = caller(base, options)
  const follow: Send['follow'] = (given, after) =>
    lazily(() => followEvents(`${base}/__admin${pathOf(commands.events, given)}`, after, options))
  return createControl({ one: send, all: send, follow } as Send)
}

const addressOf = (url: string | URL): string => {
  const text = String(url)
  const { protocol, username, password } = urlOf(text) ?? {}
  const isWeb = protocol === 'http:' || protocol === 'https:'
  // Paths go behind it: they would become part of a query. And `fetch` takes no password in an address.
  if (isWeb && !username && !password && !/[?#]/.test(text)) return text.replace(/\/+$/, '')
  throw new Refusal('invalidOptions', `connect: ${JSON.stringify(withoutCredentials(text))} is no address of a mock.`, {
    hint: "It looks like 'http://localhost:4600', without a password or a query.",
  })
}

const caller =
  (base: string, { adminToken, fetch = globalThis.fetch }: ConnectOptions) =>
  async (id: CommandId, call: Call = {}): Promise<unknown> => {
    const { method }: Command = commands[id]
    const response = await fetch(`${base}/__admin${pathOf(commands[id], call)}`, {
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
    return answerOf(response, text)
  }

const pathOf = ({ scope, path }: Command, { params = {}, query = {} }: Call): string => {
  const { project } = params
  const inScope = scope === 'mock' || project === undefined ? path : `/projects/{project}${path}`
  const filled = inScope.replace(
    /(\w+)\/\{(\w+)\}/g,
    (_, collection: string, name: string) => `${collection}/${segment(collection, params[name] ?? '')}`,
  )
  const search = new URLSearchParams(query as Record<string, string>).toString()
  return search === '' ? filled : `${filled}?${search}`
}

/** What a mock says of a name that nothing has. */
const missing: Readonly<Record<string, ErrorCode>> = {
  users: 'userNotFound',
  paymentLinks: 'paymentLinkNotFound',
  plans: 'planNotFound',
  snapshots: 'snapshotNotFound',
  requests: 'requestNotFound',
  faults: 'faultNotFound',
}

// An address takes the dots for steps, and nothing for no segment: the call would reach another project, or all of them.
const segment = (collection: string, name: string): string => {
  if (/^\.{0,2}$|\p{Surrogate}/u.test(name))
    throw new Refusal(missing[collection] ?? 'projectNotFound', `No address can name '${name}'.`)
  return encodeURIComponent(name)
}
