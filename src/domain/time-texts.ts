const seconds = Array.from({ length: 60 }, (_, second) => String(second).padStart(2, '0'))

/**
 * Writes times, in milliseconds since 1970, as `toISOString` does. Times a second apart differ in two digits: of those that
 * are asked for one after the other few are written anew, which takes a quarter of the time.
 */
export const createTimeTexts = (): ((time: number) => string) => {
  // The text of the minute that was asked for last, before its seconds and behind them.
  let minute = NaN
  let before = ''
  let behind = ''
  return (time) => {
    const second = ((Math.floor(time / 1000) % 60) + 60) % 60
    if (time - second * 1000 !== minute) {
      minute = time - second * 1000
      const text = new Date(minute).toISOString()
      before = text.slice(0, -7)
      behind = text.slice(-5)
    }
    // Joined, so that the text is in one piece.
    return [before, seconds[second], behind].join('')
  }
}
