import type { ErrorObject } from '../../schema/error.ts'
import { find } from './page.ts'

/** An error object of the mock, or another error with a message. */
export type ApiError = Pick<ErrorObject, 'message' | 'hint' | 'details'>

const tokenKey = 'paylink-mock admin token'

const dialog = find<HTMLDialogElement>('#token')
const input = find<HTMLInputElement>('input', dialog)
let pending: Promise<void> | undefined
let resolvePending = () => {}

find('form', dialog).addEventListener('submit', () => {
  sessionStorage.setItem(tokenKey, input.value)
  input.value = ''
  pending = undefined
  resolvePending()
})
// The views need the token, so a closed dialog opens again.
dialog.addEventListener('close', () => {
  if (pending !== undefined) dialog.showModal()
})

/** Asks for the admin token in the dialog. Resolves when a token is stored in this tab. */
const askForToken = (message: string, usedToken: string | null): Promise<void> | undefined => {
  // Another call may have asked in the meantime.
  if (usedToken !== sessionStorage.getItem(tokenKey)) return pending
  pending ??= new Promise((resolve) => {
    find('[role=alert]', dialog).textContent = message
    resolvePending = resolve
    dialog.showModal()
  })
  return pending
}

/**
 * Calls the control API by a path relative to `/__admin/`. Sends the admin token, and asks for it after a 401.
 *
 * @throws ApiError unless the call succeeds
 */
export const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
  for (;;) {
    const token = sessionStorage.getItem(tokenKey)
    const headers = new Headers(init.headers)
    if (token !== null) headers.set('authorization', `Bearer ${token}`)
    const response = await fetch(path, { ...init, headers }).catch((error: Error) => {
      if (error.name === 'AbortError') throw error
      throw { message: 'The mock does not respond. If it has stopped, start it again.' }
    })
    if (response.ok) return response
    const error: ApiError = await response.json()
    if (response.status !== 401) throw error
    await askForToken(token === null ? '' : error.message, token)
  }
}

interface EventHandlers {
  /** Called for events, and after a connection is opened, since events may have been missed. */
  readonly onEvent: () => void
  readonly onState: (isConnected: boolean) => void
}

let current: AbortController | undefined

/**
 * Subscribes to the events at a path. Each call ends the previous subscription; a call without a path only ends it. Uses
 * `fetch`, because an `EventSource` cannot send a token.
 */
export const subscribe = async (path: string | undefined, handlers: EventHandlers): Promise<void> => {
  current?.abort()
  const { signal } = (current = new AbortController())
  if (path === undefined) return
  while (!signal.aborted) {
    await notifyOfEvents(path, signal, handlers).catch(() => undefined)
    if (signal.aborted) return
    handlers.onState(false)
    await new Promise((resolve) => {
      setTimeout(resolve, 2000)
    })
  }
}

const notifyOfEvents = async (path: string, signal: AbortSignal, { onEvent, onState }: EventHandlers) => {
  const { body } = await call(path, { signal })
  onState(true)
  if (body === null) return
  const reader = body.getReader()
  while (!(await reader.read()).done) onEvent()
}
