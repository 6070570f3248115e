import { repeatedIn } from '../wire/json.ts'

/** A key that an object has twice. */
export class RepeatedKey extends Error {}

/** So many bytes are parsed as one text; the longest that Node can hold is twice that. */
const partSize = 2 ** 28

/**
 * What JSON says that may be too long for one text: a long object is taken apart field by field, a long list some items at
 * a time. Throws a `SyntaxError` where it is no JSON, as the parser of the language does, and a `RepeatedKey`.
 */
export const parseLong = (bytes: Uint8Array, most = partSize): unknown => new LongJson(bytes, most).value()

// What a value is made of, as bytes.
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [objectStart, objectEnd, listStart, listEnd] = [0x7b, 0x7d, 0x5b, 0x5d]

class LongJson {
  readonly #bytes: Uint8Array
  readonly #most: number
  // A mark of the order of bytes is none within a text.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  constructor(bytes: Uint8Array, most: number) {
    this.#bytes = bytes
    this.#most = most
  }

  value(start = 0, end = this.#bytes.length): unknown {
    if (end - start <= this.#most) return this.#parsed(start, end)
    const first = this.#solid(start)
    if (this.#bytes[first] === objectStart) return this.#fields(first, end)
    if (this.#bytes[first] === listStart) return this.#items(first, end)
    return this.#parsed(start, end)
  }

  #fields(start: number, end: number): object {
    const fields = new Map<string, unknown>()
    let at = this.#solid(start + 1)
    while (this.#bytes[at] !== objectEnd) {
      const nameEnd = this.#endOf(at)
      const value = this.#solid(this.#expect(colon, this.#solid(nameEnd)))
      const valueEnd = this.#endOf(value)
      const name = this.#name(at, nameEnd)
      if (fields.has(name)) throw new RepeatedKey(JSON.stringify(name))
      fields.set(name, this.value(value, valueEnd))
      at = this.#next(valueEnd, objectEnd)
    }
    this.#expectNothing(at + 1, end)
    return Object.fromEntries(fields)
  }

  #items(start: number, end: number): unknown[] {
    const items: unknown[] = []
    // What stands from here up to there is still to be parsed, all of it at once.
    let from = this.#solid(start + 1)
    let upTo = from
    const parseThem = (next: number) => {
      if (from < upTo) for (const item of this.#parsedList(from, upTo)) items.push(item)
      from = next
    }
    let at = from
    while (this.#bytes[at] !== listEnd) {
      const itemEnd = this.#endOf(at)
      const next = this.#next(itemEnd, listEnd)
      if (itemEnd - at > this.#most) {
        parseThem(next)
        items.push(this.value(at, itemEnd))
      } else {
        upTo = itemEnd
        if (upTo - from > this.#most / 4) parseThem(next)
      }
      at = next
    }
    parseThem(at)
    this.#expectNothing(at + 1, end)
    return items
  }

  /** Where the next member begins, or where the end stands: behind a comma there must be one. */
  #next(at: number, end: number): number {
    const here = this.#solid(at)
    if (this.#bytes[here] === end) return here
    const next = this.#solid(this.#expect(comma, here))
    if (this.#bytes[next] === end) throw this.#wrong(next)
    return next
  }

  #name(start: number, end: number): string {
    if (this.#bytes[start] !== quote) throw this.#wrong(start)
    return this.#parsed(start, end) as string
  }

  #expectNothing(start: number, end: number): void {
    if (this.#solid(start) < end) throw this.#wrong(start)
  }

  #expect(byte: number, at: number): number {
    if (this.#bytes[at] !== byte) throw this.#wrong(at)
    return at + 1
  }

  /** Behind the value that begins here. */
  #endOf(start: number): number {
    let depth = 0
    for (let at = start; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at]!
      if (byte === quote) at = this.#endOfText(at)
      else if (byte === objectStart || byte === listStart) depth++
      else if (byte === objectEnd || byte === listEnd) depth--
      if (depth < 0) return at
      if (depth === 0 && this.#endsAt(at + 1)) return at + 1
    }
    throw this.#wrong(this.#bytes.length)
  }

  #endOfText(start: number): number {
    for (let at = start + 1; at < this.#bytes.length; at++) {
      if (this.#bytes[at] === backslash) at++
      else if (this.#bytes[at] === quote) return at
    }
    throw this.#wrong(this.#bytes.length)
  }

  // A number or a word ends where something else begins.
  #endsAt(at: number): boolean {
    const byte = this.#bytes[at]
    return byte === comma || byte === colon || byte === objectEnd || byte === listEnd || this.#isSpace(byte)
  }

  #solid(at: number): number {
    let here = at
    while (this.#isSpace(this.#bytes[here])) here++
    return here
  }

  #isSpace(byte: number | undefined): boolean {
    return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
  }

  #text(start: number, end: number): string {
    return this.#decoder.decode(this.#bytes.subarray(start, end))
  }

  #parsedList(start: number, end: number): unknown[] {
    return this.#parsedText(`[${this.#text(start, end)}]`) as unknown[]
  }

  #parsed(start: number, end: number): unknown {
    return this.#parsedText(this.#text(start, end))
  }

  #parsedText(text: string): unknown {
    const value: unknown = JSON.parse(text)
    const repeated = repeatedIn(text)
    if (repeated !== undefined) throw new RepeatedKey(repeated.name)
    return value
  }

  #wrong(at: number): SyntaxError {
    return new SyntaxError(`Unexpected byte at position ${at}`)
  }
}
