import { joined } from './body.ts'
import { byteOrderMark, endOfValue, marks, skipSpace } from './json-bytes.ts'
import { checkedJson, WrongJson } from './json.ts'

/** So many bytes are parsed as one text, and no more. */
const partSize = 2 ** 23

interface ReaderOptions {
  /** How deep the brackets may nest. */
  readonly mostDepth: number
  /** Parses what is no longer than a part, in words of its own. */
  readonly whole?: (bytes: Uint8Array) => unknown
  /** The bytes of a part; 8 MB, unless a test says otherwise. */
  readonly most?: number
}

/** A step of the reading: it stops where what has come ends, and goes on when there is more. */
type Reading<T> = Generator<undefined, T, undefined>

/**
 * Reads JSON as it comes, however long it is: a long object member by member, a long list item by item, so that no text is
 * larger than a part, and no byte is kept that was read. Refuses with a `WrongJson`.
 */
export class JsonReader {
  readonly #options: ReaderOptions
  readonly #most: number
  /** What has come and was not looked at. */
  #chunks: Uint8Array[] = []
  #size = 0
  /** How much must come until it is worth the while to look. */
  #awaited: number
  #bytes: Uint8Array = new Uint8Array()
  #at = 0
  #isLast = false
  #depth = 0
  #reading: Reading<unknown> | undefined
  #failure: unknown

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#most = options.most ?? partSize
    this.#awaited = this.#most
  }

  take(chunk: Uint8Array): void {
    // What comes behind a mistake is thrown away.
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

  /** The value, when all has come. Throws what is wrong with it. */
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
    if ((yield* this.#solid()) !== undefined) throw new WrongJson('notJson')
    return value
  }

  *#value(): Reading<unknown> {
    for (;;) {
      const first = yield* this.#solid()
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
    if (++this.#depth > this.#options.mostDepth) throw new WrongJson('tooDeep')
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
      if (members.has(name)) throw new WrongJson('keyTwice', JSON.stringify(name))
      members.set(name, yield* this.#value())
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

  /** Whether this byte comes next: then it is passed. */
  *#takes(byte: number): Reading<boolean> {
    const isNext = (yield* this.#solid()) === byte
    if (isNext) this.#at++
    return isNext
  }

  /** The next byte that is no white space; undefined where all ends. */
  *#solid(): Reading<number | undefined> {
    for (;;) {
      this.#at = skipSpace(this.#bytes, this.#at)
      if (this.#at < this.#bytes.length || this.#isLast) return this.#bytes[this.#at]
      yield
    }
  }

  /** Behind as many short items as are here; undefined where there is none. */
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
    return checkedJson(this.#text(end), this.#options.mostDepth - this.#depth)
  }

  #parsedItems(end: number): readonly unknown[] {
    // The list is a level of its own.
    return checkedJson(`[${this.#text(end)}]`, this.#options.mostDepth - this.#depth + 1) as unknown[]
  }

  #text(end: number): string {
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return textOf(bytes)
  }
}

// A mark of the order of bytes is none within a text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const textOf = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new WrongJson('notUtf8')
  }
}
