import type { Fields } from './is-record.ts'

const maxDepth = 16

/**
 * Copies a value like a round trip through JSON. Plain values are copied directly, which takes a tenth of the time and has
 * no size limit: a string holds at most half a gigabyte. Only values with special rules are converted to JSON.
 */
export const jsonCopy = <T>(value: T): T => copyOf(value, 0) as T

const copyOf = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  // JSON has no negative zero.
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  if (depth > maxDepth || !isPlain(value)) return throughJson(value)
  return Array.isArray(value) ? copyOfItems(value, depth) : copyOfFields(value, depth)
}

const isPlain = (value: unknown): value is Fields =>
  typeof value === 'object' &&
  value !== null &&
  (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) &&
  typeof (value as Fields).toJSON !== 'function'

const copyOfItems = (items: readonly unknown[], depth: number): unknown[] => {
  const copy: unknown[] = []
  for (const item of items) copy.push(copyOf(item, depth + 1) ?? null)
  return copy
}

const copyOfFields = (fields: Fields, depth: number): Fields => {
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    const field = copyOf(fields[name], depth + 1)
    if (field === undefined) continue
    // An assignment to this name would set the prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: field, ...normalProperty })
    else copy[name] = field
  }
  return copy
}

const normalProperty = { enumerable: true, configurable: true, writable: true }

const throughJson = (value: unknown): unknown => {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? undefined : JSON.parse(text)
}
