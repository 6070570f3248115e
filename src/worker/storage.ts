/** What a Durable Object keeps things in, as far as it is used here. */
export interface ObjectStorage {
  list(options: { readonly prefix: string }): Promise<Map<string, unknown>>
  put(entries: Readonly<Record<string, string>>): Promise<void>
  delete(keys: string[]): Promise<number>
}

const prefix = 'state:'
// A value may have 128 KiB, and a character up to three bytes; and so many go into one call.
const pieceLength = 30_000
const mostKeys = 128

/** The text that was kept, and in how many pieces. */
export interface Kept {
  readonly text: string
  readonly pieces: number
}

/** Reads what was kept; no piece where nothing was. */
export const readKept = async (storage: ObjectStorage): Promise<Kept> => {
  const pieces = await storage.list({ prefix })
  return { text: [...pieces.values()].join(''), pieces: pieces.size }
}

/** Keeps a text in the place of the one before. An empty one leaves nothing behind. */
export const keepText = async (storage: ObjectStorage, text: string, { pieces: before }: Kept): Promise<Kept> => {
  const count = Math.ceil(text.length / pieceLength)
  const piece = (index: number) => text.slice(index * pieceLength, (index + 1) * pieceLength)
  // Nothing is waited for in between: what is written in one go is kept as a whole or not at all.
  const writes: Promise<unknown>[] = []
  for (let from = 0; from < count; from += mostKeys) {
    const batch = range(from, Math.min(count, from + mostKeys))
    writes.push(storage.put(Object.fromEntries(batch.map((index) => [keyOf(index), piece(index)]))))
  }
  for (let from = count; from < before; from += mostKeys)
    writes.push(storage.delete(range(from, Math.min(before, from + mostKeys)).map(keyOf)))
  await Promise.all(writes)
  return { text, pieces: count }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, offset) => from + offset)

// Listed in the order of their keys.
const keyOf = (index: number): string => `${prefix}${String(index).padStart(6, '0')}`
