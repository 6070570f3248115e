import { isSecret } from '../schema/problem.ts'
import { joined } from './body.ts'
import { byteOrderMark, endOfValue, marks, skipSpace, textOf } from './json-bytes.ts'
import { checkedJson, WrongJson } from './json.ts'

/** How many bytes are parsed as one text, at most. */
const partSize = 2 ** 23

interface ReaderOptions {
  /** How deep the brackets may nest. */
  readonly mostDepth: number
  /** Parses in place of the reader what is no longer than a part, with refusals of its own. */
  readonly whole?: (bytes: Uint8Array) => unknown
  /** The bytes of a part. @default 8 MB */
  readonly most?: number
  /** The field that the document is the value of, if it is one. */
  readonly field?: string
}

/** Reads on from `#at`. It pauses where the bytes that have come end, and is resumed when there are more. */
type Reading<T> = Generator<undefined, T, undefined>

/**
 * Reads JSON as it comes, however long it is: a long object member by member, a long list item by item, so that no text is
 * longer than a part, and no byte is kept once it was read. Refuses with a `WrongJson`.
 */
export class JsonReader {
  readonly #options: ReaderOptions
  readonly #most: number
  /** What has come since the last look, and how many bytes that is. */
  #chunks: Uint8Array[] = []
  #size = 0
  /** After how many of them it is worth another look. */
  #awaited: number
  /** What is looked at, and how far it was read. */
  #bytes: Uint8Array = new Uint8Array()
  #at = 0
  #isLast = false
  /** How many long lists and objects are open, and the fields that they are the values of. */
  #depth = 0
  #field: string
  #reading: Reading<unknown> | undefined
  #failure: unknown

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#most = options.most ?? partSize
    this.#awaited = this.#most
    this.#field = options.field ?? ''
  }

  /** Takes the next bytes. What is wrong with them is thrown by `end`; what comes behind a mistake is not kept. */
  take(chunk: Uint8Array): void {
    if (this.#failure !== undefined) return
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size <= this.#awaited) return
    try {
      this.#read()
    } catch (error) {
      this.#failure = error
      this.#bytes = new Uint8Array()
    }
  }

  /** All has come: answers the value, or throws what is wrong with it. To be called once. */
  end(): unknown {
    if (this.#failure !== undefined) throw this.#failure
    const { whole } = this.#options
    if (whole !== undefined && this.#reading === undefined) return whole(joined(this.#chunks))
    this.#isLast = true
    return this.#read().value
  }

  #read(): IteratorResult<undefined, unknown> {
    this.#bytes = joined([this.#bytes.subarray(this.#at), ...this.#chunks])
    this.#at = 0
    this.#chunks = []
    this.#size = 0
    this.#reading ??= this.#document()
    const step = this.#reading.next()
    // A long text is looked at again when it is twice as long, not with each part of it.
    this.#awaited = Math.max(this.#most, this.#bytes.length - this.#at)
    return step
  }

  *#document(): Reading<unknown> {
    while (this.#bytes.length < byteOrderMark.length && !this.#isLast) yield
    if (byteOrderMark.every((byte, at) => this.#bytes[at] === byte)) this.#at = byteOrderMark.length
    const value = yield* this.#value()
    if ((yield* this.#nextByte()) !== undefined) throw new WrongJson('notJson')
    return value
  }

  *#value(): Reading<unknown> {
    for (;;) {
      const first = yield* this.#nextByte()
      const end = this.#endOfValue(this.#at)
      const isLong = (end ?? this.#bytes.length) - this.#at > this.#most
      if (isLong && first === marks.objectStart) return yield* this.#inside(this.#members())
      if (isLong && first === marks.listStart) return yield* this.#inside(this.#items())
      if (end !== undefined) return this.#parsed(end)
      if (this.#isLast) throw new WrongJson('notJson')
      yield
    }
  }

  *#inside<T>(members: Reading<T>): Reading<T> {
    this.#depth++
    this.#at++
    const value = yield* members
    this.#depth--
    return value
  }

  *#members(): Reading<object> {
    const members = new Map<string, unknown>()
    if (yield* this.#takes(marks.objectEnd)) return {}
    do {
      const name = yield* this.#value()
      if (typeof name !== 'string' || !(yield* this.#takes(marks.colon))) throw new WrongJson('notJson')
      const field = this.#field
      if (members.has(name)) throw new WrongJson('keyTwice', isSecret(field) ? '' : JSON.stringify(name))
      this.#field = `${field}.${name}`
      members.set(name, yield* this.#value())
      this.#field = field
    } while (yield* this.#takes(marks.comma))
    if (!(yield* this.#takes(marks.objectEnd))) throw new WrongJson('notJson')
    return Object.fromEntries(members)
  }

  *#items(): Reading<unknown[]> {
    const items: unknown[] = []
    if (yield* this.#takes(marks.listEnd)) return items
    do {
      const end = this.#endOfRun()
      if (end === undefined) items.push(yield* this.#value())
      else for (const item of this.#parsedItems(end)) items.push(item)
    } while (yield* this.#takes(marks.comma))
    if (!(yield* this.#takes(marks.listEnd))) throw new WrongJson('notJson')
    return items
  }

  /** Whether this byte comes next. If it does, it is read. */
  *#takes(byte: number): Reading<boolean> {
    const isNext = (yield* this.#nextByte()) === byte
    if (isNext) this.#at++
    return isNext
  }

  /** The next byte that is no white space; undefined at the end of all. */
  *#nextByte(): Reading<number | undefined> {
    for (;;) {
      this.#at = skipSpace(this.#bytes, this.#at)
      if (this.#at < this.#bytes.length || this.#isLast) return this.#bytes[this.#at]
      yield
    }
  }

  /** The place behind the items that have come as a whole, as many as fit into one part; undefined where there is none. */
  #endOfRun(): number | undefined {
    let last: number | undefined
    for (let at = this.#at; ;) {
      at = skipSpace(this.#bytes, at)
      const end = this.#endOfValue(at)
      if (end === undefined || end === at || end - this.#at > this.#most) return last
      last = end
      at = skipSpace(this.#bytes, end)
      if (this.#bytes[at++] !== marks.comma) return last
    }
  }

  #endOfValue(at: number): number | undefined {
    const mostDepth = this.#options.mostDepth - this.#depth
    return endOfValue(this.#bytes, at, { isLast: this.#isLast, most: this.#most, mostDepth })
  }

  #parsed(end: number): unknown {
    return checkedJson(this.#text(end), this.#options.mostDepth - this.#depth, this.#field)
  }

  #parsedItems(end: number): readonly unknown[] {
    // The list is a level of its own.
    return checkedJson(`[${this.#text(end)}]`, this.#options.mostDepth - this.#depth + 1, this.#field) as unknown[]
  }

  #text(end: number): string {
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return textOf(bytes)
  }
}
