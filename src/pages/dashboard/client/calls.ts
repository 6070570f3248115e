/** Calls the control plane, by a path below `/__admin/`. */
export type CallPlane = (path: string, init?: RequestInit) => Promise<Response>

/**
 * Calls with the admin token, which is asked for once, when a call is refused for the want of it, and kept in this tab.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
export const createCalls = (): CallPlane => {
  const key = 'paylink-mock admin token'
  const dialog = document.querySelector<HTMLDialogElement>('#token')!
  const form = dialog.querySelector('form')!
  const input = dialog.querySelector('input')!
  const problem = dialog.querySelector('[role=alert]')!
  let asked: Promise<void> | undefined
  let answered = () => {}

  form.addEventListener('submit', () => {
    sessionStorage.setItem(key, input.value)
    input.value = ''
    asked = undefined
    answered()
  })
  // There is nothing to see without it: whoever closes the question is asked again.
  dialog.addEventListener('close', () => {
    if (asked !== undefined) dialog.showModal()
  })
  const ask = (message: string): Promise<void> =>
    new Promise((resolve) => {
      problem.textContent = message
      answered = resolve
      dialog.showModal()
    })

  return async (path, init = {}) => {
    for (;;) {
      const token = sessionStorage.getItem(key)
      const headers = new Headers(init.headers)
      if (token !== null) headers.set('authorization', `Bearer ${token}`)
      const response = await fetch(path, { ...init, headers }).catch((error: Error) => {
        if (error.name === 'AbortError') throw error
        throw { message: 'The mock does not respond. It may have stopped: start it again.' }
      })
      if (response.status !== 401) return response
      const refusal = (await response.json()) as { message: string }
      // Meanwhile another call may have asked.
      if (token === sessionStorage.getItem(key)) asked ??= ask(token === null ? '' : refusal.message)
      await asked
    }
  }
}
