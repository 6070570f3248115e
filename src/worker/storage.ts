/** The part of a Durable Object's storage that is used. */
export interface ObjectStorage {
  list(options: { readonly prefix: string }): Promise<Map<string, unknown>>
  put(entries: Readonly<Record<string, string>>): Promise<void>
  delete(keys: string[]): Promise<number>
}

/** The stored texts of a project. Empty if nothing is stored. */
export interface Stored {
  /** Written with every request, so it must be small. */
  readonly head: string
  /** Written in pieces, only if it has changed. */
  readonly text: string
  readonly pieces: number
}

const prefix = 'state:'
// Sorts after all pieces.
const headKey = `${prefix}head`
// A value has at most 128 KiB, a character at most three bytes, and a call at most 128 keys.
const pieceLength = 30_000
const maxKeys = 128

export const readStored = async (storage: ObjectStorage): Promise<Stored> => {
  const values = (await storage.list({ prefix })) as Map<string, string>
  const head = values.get(headKey) ?? ''
  values.delete(headKey)
  return { head, text: [...values.values()].join(''), pieces: values.size }
}

/** Replaces the stored texts, as far as they differ. */
export const writeStored = async (
  storage: ObjectStorage,
  { head, text }: Pick<Stored, 'head' | 'text'>,
  before: Stored,
): Promise<Stored> => {
  const count = Math.ceil(text.length / pieceLength)
  const piece = (index: number) => text.slice(index * pieceLength, (index + 1) * pieceLength)
  // No `await` in between: the platform stores such writes all together or not at all.
  const writes: Promise<unknown>[] = []
  if (head !== before.head) writes.push(storage.put({ [headKey]: head }))
  if (text !== before.text)
    for (let from = 0; from < count; from += maxKeys) {
      const batch = range(from, Math.min(count, from + maxKeys))
      writes.push(storage.put(Object.fromEntries(batch.map((index) => [keyOf(index), piece(index)]))))
    }
  for (let from = count; from < before.pieces; from += maxKeys)
    writes.push(storage.delete(range(from, Math.min(before.pieces, from + maxKeys)).map(keyOf)))
  await Promise.all(writes)
  return { head, text, pieces: count }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, offset) => from + offset)

// The storage lists values in the order of their keys.
const keyOf = (index: number): string => `${prefix}${String(index).padStart(6, '0')}`
