/** Longer than any machine needs, in milliseconds: it ends a test that hangs, and says nothing about speed. */
export const maxWait = 30_000

/** Waits for a promise. A test that waits for an event that never comes says what it waited for. */
export const within = async <T>(what: string, promise: Promise<T>, limit = maxWait): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${limit} ms for ${what}.`)), limit)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
