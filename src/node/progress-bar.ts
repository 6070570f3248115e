/** A line on a terminal that is drawn over and over while a long work is done. */
export interface ProgressBar {
  /** So much more of the work is done. */
  readonly add: (done: number) => void
  /** Takes the line away: what was waited for says the rest. */
  readonly end: () => void
}

/** A line on a terminal that says what is being done, each time in place of what it said before. */
export interface StatusLine {
  readonly say: (what: string) => void
  /** Takes the line away, if there is one. */
  readonly end: () => void
}

/** Back to the beginning of the line, which is empty from there on. */
export const clearLine = '\r\u001B[K'

/** Says what is being done. Where there is no terminal, nothing is said. */
export const createStatusLine = (write: ((text: string) => void) | undefined): StatusLine => {
  let said = false
  return {
    say: (what) => {
      said = true
      write?.(`${clearLine}${what} ...`)
    },
    end: () => {
      if (said) write?.(clearLine)
    },
  }
}

const width = 30

/** Draws a bar for so much work. Where there is no terminal, or little to wait for, there is none. */
export const createProgressBar = (
  label: string,
  total: number,
  write: ((text: string) => void) | undefined,
): ProgressBar | undefined => {
  if (write === undefined || total < leastWork) return undefined
  let done = 0
  let drawn = -1
  const draw = () => {
    const percent = Math.min(100, Math.floor((done / total) * 100))
    if (percent === drawn) return
    drawn = percent
    const full = Math.round((percent / 100) * width)
    write(`\r${label} [${'#'.repeat(full)}${'-'.repeat(width - full)}] ${percent}%`)
  }
  draw()
  return {
    add: (more) => {
      done += more
      draw()
    },
    // Over the line, and then back to its beginning.
    end: () => write(`\r${' '.repeat(label.length + width + 8)}\r`),
  }
}

/** Less takes about half a second. */
const leastWork = 200_000
