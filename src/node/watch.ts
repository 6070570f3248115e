import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** How long a file must have been left alone, in milliseconds: editors write in several steps. */
const quiet = 100

/** Calls back when the file has changed. Answers how to stop. */
export const watchFile = (path: string, onChange: () => unknown): (() => void) => {
  let timer: NodeJS.Timeout | undefined
  // The folder is watched, because many editors put a new file in the place of the old one.
  const watcher = watch(dirname(path), (_, name) => {
    if (name !== basename(path)) return
    clearTimeout(timer)
    timer = setTimeout(onChange, quiet)
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
