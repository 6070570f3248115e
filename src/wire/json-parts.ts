import { type Fields, isFields } from '../schema/fields.ts'

/** How many characters make one part. A record is never split, so a part may be longer by one record. */
const partLength = 1024 * 1024

/** How deep lists are looked for: in a document the records are in `projects`, in a project, in `users`. */
const maxDepth = 3

/** Returns true if the JSON of a value has more than about `max` characters. Looks at no more of the value than it must. */
export const isLong = (value: unknown, max: number): boolean => roomBeside(value, max) < 0

const roomBeside = (value: unknown, room: number): number => {
  // What separates values counts too: a list of empty strings is not empty.
  let left = room - 3
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left
  for (const part of Array.isArray(value) ? value : Object.entries(value).flat()) {
    if (left < 0) break
    left = roomBeside(part, left)
  }
  return left
}

/** Yields what `JSON.stringify` returns for a value, in parts of about `length` characters. */
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
  else if (isFields(value) && depth < maxDepth) yield* fieldPieces(value, depth)
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

/** The parts as a body: each part is made when the one before it was read. */
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
