import type { ApiError } from './messages.ts'
import type { Find } from './page.ts'

// Functions of this folder run in the browser from their source text: they can only use their arguments.

/** Calls the control API by a path relative to `/__admin/`. Rejects with an `ApiError` unless the call succeeds. */
export type CallApi = (path: string, init?: RequestInit) => Promise<Response>

/** Creates a client that sends the admin token. It asks for the token after a 401 and keeps it in this tab. */
export const createApi = (find: Find): CallApi => {
  const key = 'paylink-mock admin token'
  const dialog = find<HTMLDialogElement>('#token')
  const input = find<HTMLInputElement>('input', dialog)
  const problem = find('[role=alert]', dialog)
  let pending: Promise<void> | undefined
  let resolvePending = () => {}

  find('form', dialog).addEventListener('submit', () => {
    sessionStorage.setItem(key, input.value)
    input.value = ''
    pending = undefined
    resolvePending()
  })
  // The views need the token, so a closed dialog opens again.
  dialog.addEventListener('close', () => {
    if (pending !== undefined) dialog.showModal()
  })
  const askForToken = (message: string): Promise<void> =>
    new Promise((resolve) => {
      problem.textContent = message
      resolvePending = resolve
      dialog.showModal()
    })

  return async (path, init = {}) => {
    for (;;) {
      const token = sessionStorage.getItem(key)
      const headers = new Headers(init.headers)
      if (token !== null) headers.set('authorization', `Bearer ${token}`)
      const response = await fetch(path, { ...init, headers }).catch((error: Error) => {
        if (error.name === 'AbortError') throw error
        throw { message: 'The mock does not respond. If it has stopped, start it again.' }
      })
      if (response.ok) return response
      const error: ApiError = await response.json()
      if (response.status !== 401) throw error
      // Another call may have asked in the meantime.
      if (token === sessionStorage.getItem(key)) pending ??= askForToken(token === null ? '' : error.message)
      await pending
    }
  }
}

interface EventHandlers {
  /** Called for events, and after a connection is opened, since events may have been missed. */
  readonly onEvent: () => void
  readonly onState: (isConnected: boolean) => void
}

/**
 * Creates a function that subscribes to the events at a path. Each call ends the previous subscription; a call without a
 * path only ends it. Uses `fetch`, because an `EventSource` cannot send a token.
 */
export const createSubscriber = (call: CallApi, { onEvent, onState }: EventHandlers) => {
  let current: AbortController | undefined

  const readEvents = async (path: string, signal: AbortSignal) => {
    const { body } = await call(path, { signal })
    onState(true)
    if (body === null) return
    const reader = body.getReader()
    while (!(await reader.read()).done) onEvent()
  }

  return async (path: string | undefined): Promise<void> => {
    current?.abort()
    const { signal } = (current = new AbortController())
    if (path === undefined) return
    while (!signal.aborted) {
      await readEvents(path, signal).catch(() => undefined)
      if (signal.aborted) return
      onState(false)
      await new Promise((resolve) => {
        setTimeout(resolve, 2000)
      })
    }
  }
}
