import { errorDefinitions, type ErrorObject, errors, MockError } from '../schema/error.ts'
import { type OptionChecks, checkOptions } from '../schema/check-options.ts'
import type { ConnectOptions } from '../schema/mock-options.ts'
import { shorten, tokenMessage, tokenPattern } from '../schema/text.ts'
import { parseUrl, hideCredentials, trimSlashes } from '../schema/url.ts'
import { getCommandPath, notFoundCodes } from '../control/command.ts'
import type { Call, CommandId, ControlClient } from '../control/commands.ts'
import { type CommandRoute, commandRoutes } from './command-routes.ts'
import { createControl, createSandbox, createSandboxMethods, type ServerControl } from './control.ts'
import { readEvents } from './event-subscription.ts'
import { isRecord, parseJsonIfValid } from '../schema/json-value.ts'

/**
 * Controls a mock in another process, with the same interface as an embedded mock. Calls reject with the `MockError` of
 * the mock, with the error of `fetch` without a response, or with an `Error` that quotes the response of another server.
 *
 * @param url the address of the mock
 * @returns the control of the mock. It opens no connection before the first call.
 * @throws MockError `invalidOptions` for an invalid URL or option
 * @example
 * const mock = connect('http://127.0.0.1:4600')
 * const project = mock.project('acme')
 */
export const connect = (url: string | URL, connectOptions: ConnectOptions = {}): ServerControl => {
  const options = checkOptions<ConnectOptions>('connect', "{ adminToken: 'secret' }", connectChecks, connectOptions)
  const baseUrl = parseBaseUrl(url)
  const client = createClient(baseUrl, options)
  return {
    ...createControl(client),
    ...createSandboxMethods(client, (name) => {
      const sandboxUrl = `${baseUrl}/@${name}`
      return { ...createSandbox(client, name, createClient(sandboxUrl, options)), url: sandboxUrl }
    }),
  }
}

export const connectChecks: OptionChecks<ConnectOptions> = {
  adminToken: (option) => {
    if (typeof option !== 'string') return 'must be a string'
    return tokenPattern.test(option) ? undefined : tokenMessage
  },
  fetch: (option) => (typeof option === 'function' ? undefined : 'must be a function'),
}

const createClient = (baseUrl: string, { adminToken, fetch = globalThis.fetch }: ConnectOptions): ControlClient => {
  const sendCommand = async (id: CommandId, call: Call, accept: Record<string, string>, init: RequestInit = {}) => {
    const route = commandRoutes[id]
    const headers = {
      ...accept,
      ...(adminToken !== undefined && { authorization: `Bearer ${adminToken}` }),
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
    }
    const body = call.body === undefined ? {} : { body: JSON.stringify(call.body) }
    const url = `${baseUrl}/__admin${buildPath(route, call)}`
    const response = await fetch(url, { ...init, method: route.method, headers, ...body }).catch((error: unknown) => {
      // `fetch` rejects with a `TypeError` without a response, and with other errors after an abort.
      throw error instanceof TypeError ? createConnectionError(baseUrl, error) : error
    })
    if (response.ok) return response
    const responseText = await response.text()
    throw parseMockError(responseText, response.status) ?? rejectResponse(response, responseText)
  }
  const call = async (id: CommandId, call: Call = {}): Promise<unknown> => {
    const response = await sendCommand(id, call, { accept: 'application/json' })
    const responseText = await response.text()
    if (response.headers.get('content-type')?.startsWith('text/plain') && commandRoutes[id].hasText) return responseText
    if (responseText === '') return undefined
    const responseJson = parseJsonIfValid(responseText)
    return responseJson === undefined ? rejectResponse(response, responseText) : responseJson
  }
  const follow: ControlClient['follow'] = (call, after) =>
    readEvents(async (signal) => {
      const headers = { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': `${after}` }) }
      const response = await sendCommand('events', call, headers, { signal })
      return response.body ?? rejectResponse(response, '')
    })
  return { call: call as ControlClient['call'], follow }
}

const parseBaseUrl = (url: string | URL): string => {
  const urlText = String(url)
  const { protocol, username, password } = parseUrl(urlText) ?? {}
  const isWeb = protocol === 'http:' || protocol === 'https:'
  // Paths are appended, so a query cannot come before them. `fetch` accepts no password in a URL.
  if (isWeb && !username && !password && !/[?#]/.test(urlText)) return trimSlashes(urlText)
  throw errors.invalidOptions({
    message: `connect: ${JSON.stringify(hideCredentials(urlText))} is not the address of a mock.`,
    hint: "It looks like 'http://localhost:4600', without a password or a query.",
  })
}

const buildPath = (route: CommandRoute, { params = {}, query }: Call): string => {
  const commandPath = getCommandPath(route, params.project).replace(
    /(\w+)\/\{(\w+)\}/g,
    (_, collection: string, name: string) => `${collection}/${encodeSegment(collection, params[name] ?? '')}`,
  )
  const queryText = new URLSearchParams(query as Record<string, string> | undefined).toString()
  return queryText === '' ? commandPath : `${commandPath}?${queryText}`
}

// URL parsing drops `.`, `..` and empty segments: the call would reach another project, or all of them.
const encodeSegment = (collection: string, name: string): string => {
  if (/^\.{0,2}$|\p{Surrogate}/u.test(name))
    throw new MockError(notFoundCodes[collection] ?? 'projectNotFound', `No address can name '${name}'.`)
  return encodeURIComponent(name)
}

const parseMockError = (text: string, status: number): MockError | undefined => {
  const error = parseJsonIfValid(text) as Partial<ErrorObject> | null | undefined
  if (error?.object !== 'error' || !Object.hasOwn(errorDefinitions, error.code ?? '')) return undefined
  const { object, type, code, message, hint, details, ...facts } = error as ErrorObject
  return new MockError(code, message, { hint, details, status, type, ...(Object.keys(facts).length > 0 && { facts }) })
}

const createConnectionError = (baseUrl: string, cause: TypeError): Error => {
  const { code } = isRecord(cause.cause) ? cause.cause : {}
  const reason = typeof code === 'string' ? ` (${code})` : ''
  const message = `Failed to call the mock at ${baseUrl}: it does not respond${reason}. Start it, or pass its address to connect.`
  return new Error(message, { cause })
}

/** The error for a response that no mock sends, for example one of a proxy. */
const rejectResponse = ({ url, status }: Response, text: string): never => {
  throw new Error(`${url} returned ${status} with a response that is not from a mock: ${shorten(text, 200)}`)
}
