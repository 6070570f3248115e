/** What a Durable Object keeps things in, as far as it is used here. */
export interface ObjectStorage {
  list(options: { readonly prefix: string }): Promise<Map<string, unknown>>
  put(entries: Readonly<Record<string, string>>): Promise<void>
  delete(keys: string[]): Promise<number>
}

/** What is stored of a project: two texts, empty ones if nothing is. */
export interface Stored {
  /** Small, since it is written with every request. */
  readonly head: string
  /** Written in pieces, and only if it has changed. */
  readonly text: string
  readonly pieces: number
}

const prefix = 'state:'
// Listed after all pieces.
const headKey = `${prefix}head`
// A value may have 128 KiB, and a character up to three bytes; and so many go into one call.
const pieceLength = 30_000
const mostKeys = 128

/** Reads what is stored. */
export const readStored = async (storage: ObjectStorage): Promise<Stored> => {
  const values = (await storage.list({ prefix })) as Map<string, string>
  const head = values.get(headKey) ?? ''
  values.delete(headKey)
  return { head, text: [...values.values()].join(''), pieces: values.size }
}

/** Stores two texts in the place of those before, as far as they differ. */
export const writeStored = async (
  storage: ObjectStorage,
  { head, text }: Pick<Stored, 'head' | 'text'>,
  before: Stored,
): Promise<Stored> => {
  const count = Math.ceil(text.length / pieceLength)
  const piece = (index: number) => text.slice(index * pieceLength, (index + 1) * pieceLength)
  // Nothing is waited for in between: what is written in one go is kept as a whole or not at all.
  const writes: Promise<unknown>[] = []
  if (head !== before.head) writes.push(storage.put({ [headKey]: head }))
  if (text !== before.text)
    for (let from = 0; from < count; from += mostKeys) {
      const batch = range(from, Math.min(count, from + mostKeys))
      writes.push(storage.put(Object.fromEntries(batch.map((index) => [keyOf(index), piece(index)]))))
    }
  for (let from = count; from < before.pieces; from += mostKeys)
    writes.push(storage.delete(range(from, Math.min(before.pieces, from + mostKeys)).map(keyOf)))
  await Promise.all(writes)
  return { head, text, pieces: count }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, offset) => from + offset)

// Listed in the order of their keys.
const keyOf = (index: number): string => `${prefix}${String(index).padStart(6, '0')}`
