import { type Fields, isFields } from '../schema/fields.ts'
import { shortCopy } from '../schema/json-copy.ts'

/** How many items make one part: some hundred kilobytes of rows. */
const partSize = 1000

/** How deep lists are looked for: in a document the rows are in `projects`, in a project, in `users`. */
const mostDepth = 3

/** Whether the lists in a value hold more than `most` items together. `depth` is how deep the value itself lies. */
export const isLong = (value: unknown, most: number, depth = 0): boolean => itemsIn(value, depth) > most

const itemsIn = (value: unknown, depth: number): number => {
  if (Array.isArray(value)) return value.length
  if (!isFields(value) || depth >= mostDepth) return 0
  return Object.values(value).reduce<number>((sum, part) => sum + itemsIn(part, depth + 1), 0)
}

/** What `JSON.stringify` makes of a value, in parts, so that no text is larger than a part. */
export function* jsonParts(value: unknown, depth = 0): Generator<string, void, undefined> {
  if (!isLong(value, partSize, depth)) yield JSON.stringify(value)
  else if (Array.isArray(value)) yield* listParts(value)
  else yield* fieldParts(value as Fields, depth)
}

function* listParts(items: readonly unknown[]): Generator<string, void, undefined> {
  for (let start = 0; start < items.length; start += partSize) {
    const part = JSON.stringify(items.slice(start, start + partSize)).slice(1, -1)
    yield start === 0 ? `[${part}` : `,${part}`
  }
  yield ']'
}

function* fieldParts(fields: Fields, depth: number): Generator<string, void, undefined> {
  let before = '{'
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* jsonParts(value, depth + 1)
    before = ','
  }
  yield '}'
}

/** A copy of a value as JSON keeps it, list by list and item by item. */
export const jsonCopy = <T>(value: T, depth = 0): T => {
  if (value === undefined) return value
  if (!isLong(value, partSize, depth)) return shortCopy(value) as T
  if (Array.isArray(value)) return value.map((item: unknown) => jsonCopy(item ?? null, mostDepth)) as T
  const fields = Object.entries(value as Fields).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, jsonCopy(field, depth + 1)])) as T
}

/** The parts as a body: one is made when the one before it was taken. */
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
