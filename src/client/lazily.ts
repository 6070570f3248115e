/** Something that is read one after the other, and ended. */
interface Reading<T> {
  next(): Promise<IteratorResult<T, undefined>>
  return(): Promise<unknown>
}

/** What begins with its first read: a failure to begin is one of that read. Each reader begins anew. */
export const lazily = <T>(begin: () => Reading<T>): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => {
    let reading: Reading<T> | undefined
    let ended = false
    return {
      next: async () => {
        if (ended) return { done: true, value: undefined }
        reading ??= begin()
        return reading.next()
      },
      return: async () => {
        ended = true
        await reading?.return()
        return { done: true, value: undefined }
      },
    }
  },
})
