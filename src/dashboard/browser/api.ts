import { type ApiError, find, showDone } from './page.ts'

const tokenKey = 'paylink-mock admin token'

const tokenDialog = find<HTMLDialogElement>('#token')
let tokenPrompt: Promise<void> | undefined

// The views need the token, so a closed dialog opens again.
tokenDialog.addEventListener('close', () => {
  if (tokenPrompt !== undefined) tokenDialog.showModal()
  else if (document.activeElement === document.body) find('main').focus()
})

/** Asks for the admin token in the dialog, once for all calls. Resolves when a token is stored in this tab. */
const askForToken = (message: string): Promise<void> =>
  (tokenPrompt ??= new Promise((resolve) => {
    const tokenInput = find<HTMLInputElement>('input', tokenDialog)
    const storeToken = () => {
      sessionStorage.setItem(tokenKey, tokenInput.value)
      tokenInput.value = ''
      tokenPrompt = undefined
      resolve()
    }
    find('[role=alert]', tokenDialog).textContent = message
    find('form', tokenDialog).addEventListener('submit', storeToken, { once: true })
    showDone('')
    tokenDialog.showModal()
  }))

/** Calls the control API by a path relative to `/__admin/`. Asks for the admin token after a 401. Throws an `ApiError`. */
export const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
  for (;;) {
    const token = sessionStorage.getItem(tokenKey)
    const headers = new Headers(init.headers)
    if (token !== null) headers.set('authorization', `Bearer ${token}`)
    const response = await fetch(path, { ...init, headers }).catch((error: Error) => {
      if (error.name === 'AbortError') throw error
      throw { message: 'The mock does not respond.', hint: 'If it has stopped, start it again.' }
    })
    if (response.ok) return response
    // A proxy may respond with a page instead of an error object.
    const error: ApiError = await response
      .json()
      .catch(() => ({ message: `The mock returned status ${response.status}.` }))
    if (response.status !== 401) throw error
    // Another call may have asked in the meantime.
    if (token === sessionStorage.getItem(tokenKey)) await askForToken(token === null ? '' : error.message)
  }
}

let currentSubscription: AbortController | undefined

/**
 * Subscribes to the events at a path. Each call ends the previous subscription; a call without a path only ends it. Uses
 * `fetch`, because an `EventSource` cannot send a token.
 *
 * @param onEvent is called for events, and after a connection is opened, since events may have been missed
 */
export const subscribe = async (
  path: string | undefined,
  onEvent: () => void,
  onState: (isConnected: boolean) => void,
): Promise<void> => {
  currentSubscription?.abort()
  const { signal } = (currentSubscription = new AbortController())
  if (path === undefined) return
  const followEvents = async () => {
    const { body } = await call(path, { signal })
    onState(true)
    const reader = body!.getReader()
    while (!(await reader.read()).done) onEvent()
  }
  while (!signal.aborted) {
    await followEvents().catch(() => undefined)
    if (signal.aborted) return
    onState(false)
    await new Promise((resolve) => {
      setTimeout(resolve, 2000)
    })
  }
}
