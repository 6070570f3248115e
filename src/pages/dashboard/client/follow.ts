import type { CallPlane } from './calls.ts'

interface Heard {
  /** Something has happened; also at the start, and after a gap, in which something may have. */
  readonly onEvent: () => void
  readonly onState: (connected: boolean) => void
}

/**
 * Follows the events of a project or of all, until another is followed, or none. Not an `EventSource`, which cannot send a token.
 * Runs in the browser, as its own source text: it knows nothing but its arguments.
 */
export const createFollower = (call: CallPlane, { onEvent, onState }: Heard): ((path: string | undefined) => void) => {
  let current: AbortController | undefined

  const listen = async (path: string, signal: AbortSignal) => {
    const { ok, body } = await call(path, { signal })
    if (!ok || body === null) return
    onState(true)
    const reader = body.getReader()
    for (;;) {
      const { done } = await reader.read()
      if (done) return
      onEvent()
    }
  }

  return async (path) => {
    current?.abort()
    const { signal } = (current = new AbortController())
    if (path === undefined) return
    while (!signal.aborted) {
      await listen(path, signal).catch(() => undefined)
      if (signal.aborted) return
      onState(false)
      await new Promise((resolve) => {
        setTimeout(resolve, 2000)
      })
    }
  }
}
