import { type Fields, isRecord } from '../schema/is-record.ts'

/** The characters of one part. Records are not split, so that a part may be longer by one record. */
const partLength = 1024 * 1024

/** How deep lists are split: the records of a state are at `projects.acme.users`. */
const maxDepth = 3

/** Returns true if the JSON of a value has more than about `max` characters. Stops counting there. */
export const isLong = (value: unknown, max: number): boolean => subtractLength(value, max) < 0

const subtractLength = (value: unknown, max: number): number => {
  // Quotes and commas: a list of empty strings is not empty.
  let left = max - 3
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left
  for (const part of Array.isArray(value) ? value : Object.entries(value).flat()) {
    if (left < 0) break
    left = subtractLength(part, left)
  }
  return left
}

/** Yields the text of `JSON.stringify` in parts of about `length` characters. */
export function* jsonParts(value: unknown, length = partLength): Generator<string, void, undefined> {
  let part = ''
  for (const piece of piecesOf(value, 0)) {
    part += piece
    if (part.length < length) continue
    yield part
    part = ''
  }
  if (part !== '') yield part
}

function* piecesOf(value: unknown, depth: number): Generator<string, void, undefined> {
  if (Array.isArray(value)) yield* itemPieces(value)
  else if (isRecord(value) && depth < maxDepth) yield* fieldPieces(value, depth)
  else yield JSON.stringify(value)
}

function* itemPieces(items: readonly unknown[]): Generator<string, void, undefined> {
  let before = '['
  for (const item of items) {
    yield before + JSON.stringify(item ?? null)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

function* fieldPieces(fields: Fields, depth: number): Generator<string, void, undefined> {
  let before = '{'
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* piecesOf(value, depth + 1)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

/** Returns the JSON of a value as a response body. Each part is created when the previous one has been read. */
export const jsonStream = (value: unknown): ReadableStream<Uint8Array> => {
  const parts = jsonParts(value)
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull: (controller) => {
      const { done, value: part } = parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(part))
    },
  })
}
