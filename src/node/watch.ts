import { statSync } from 'node:fs'

/** How often it is looked, in milliseconds. */
const pace = 100

/**
 * Calls back when the file has changed, and was then left alone until the next look: editors write in several steps. Answers
 * how to stop. It looks by itself, since no system tells of what a link leads to, nor of each mounted volume.
 */
export const watchFile = (path: string, onChange: () => unknown): (() => void) => {
  let known = stampOf(path)
  let seen = known
  const look = () => {
    const stamp = stampOf(path)
    const isLeftAlone = stamp === seen
    seen = stamp
    if (!isLeftAlone || stamp === known) return
    known = stamp
    onChange()
  }
  const timer = setInterval(look, pace)
  return () => clearInterval(timer)
}

/** What no other content of the file has; the same for all that cannot be looked at. */
const stampOf = (path: string): string => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch {
    return ''
  }
}
