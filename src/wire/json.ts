import type { Refusal } from '../schema/error.ts'
import { isSecret, shortened } from '../schema/problem.ts'
import { emptyBody, malformed, notUtf8 } from './body.ts'

/** How deep a body may nest: `JSON.stringify` gives up between 1,000 and 5,000. */
const bodyDepth = 64

/** How deep a document may nest: it has rows in it, and a row has metadata as deep as a body may be. */
export const documentDepth = 2 * bodyDepth

interface Parsing {
  /** How deep the text may nest. */
  readonly mostDepth?: number
  /** Whether the text may contain secrets, so that no message quotes it. */
  readonly secret?: boolean
  /** The field that the text is the value of, if it is one. */
  readonly field?: string
}

/** What is wrong with JSON that is not taken. */
export class WrongJson extends Error {
  override readonly name = 'WrongJson'
  readonly why: 'notUtf8' | 'notJson' | 'tooDeep' | 'keyTwice'
  /** The duplicate key in its quotes; empty if it may be a secret, and for any other mistake. */
  readonly key: string

  constructor(why: WrongJson['why'], key = '') {
    super(why)
    this.why = why
    this.key = key
  }
}

/** Parses a body. It is refused before anything else touches it when it is too deep. Assumed: also when a key stands twice. */
export const parseJson = (text: string, { mostDepth = bodyDepth, secret = false, field }: Parsing = {}): unknown => {
  if (text.trim() === '') throw emptyBody()
  return refusing(() => checkedJson(text, mostDepth, field), mostDepth, secret ? undefined : text)
}

/** Parses a body, and makes a refusal of a `WrongJson`. That quotes `text`, where it is given. */
export const refusing = <T>(parse: () => T, mostDepth: number, text?: string): T => {
  try {
    return parse()
  } catch (error) {
    throw error instanceof WrongJson ? refusalOf(error, mostDepth, text) : error
  }
}

const refusalOf = ({ why, key }: WrongJson, mostDepth: number, text: string | undefined): Refusal => {
  switch (why) {
    case 'notUtf8':
      return notUtf8()
    case 'notJson': {
      const got = text === undefined ? '' : ` (got ${shortened(text, 40)})`
      return malformed(`The request body is not JSON${got}.`, 'Send a JSON object.')
    }
    case 'tooDeep':
      return malformed(`The request body nests deeper than ${mostDepth} levels.`, 'Send flatter JSON.')
    case 'keyTwice':
      return malformed(`The request body has ${keyText(key)} twice in one object.`, 'Send each key once.')
  }
}

/** A duplicate key as a message names it. */
export const keyText = (key: string): string => (key === '' ? 'a key' : `the key ${shortened(key, 40)}`)

/** Parses a text. Throws a `WrongJson`: the parser's own words differ between versions of Node, and an answer must not. */
export const checkedJson = (text: string, mostDepth: number, field = ''): unknown => {
  const { depth, repeated } = scan(text, mostDepth, field)
  if (depth > mostDepth) throw new WrongJson('tooDeep')
  const value = parsed(text)
  if (repeated !== undefined) throw new WrongJson('keyTwice', repeated.name)
  return value
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new WrongJson('notJson')
  }
}

/** A key that an object has twice. */
export interface Repeated {
  /** The key in its quotes; empty if it may be a secret. */
  readonly name: string
  /** Where it stands the second time, in characters. */
  readonly at: number
}

/** The first key that an object of this JSON has twice. */
export const repeatedIn = (json: string): Repeated | undefined => scan(json, Infinity).repeated

/** How deep the brackets nest, and the first key that an object has twice. Strings are skipped as a whole. */
const scan = (text: string, mostDepth: number, field = ''): { depth: number; repeated: Repeated | undefined } => {
  const keys: (Set<string> | undefined)[] = []
  // The field that each open bracket is the value of, behind that of the text.
  const path = [field]
  let depth = 0
  let repeated: Repeated | undefined
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '{' || char === '[') {
      depth = Math.max(depth, keys.push(char === '{' ? new Set() : undefined))
      path[keys.length] = ''
    } else if (char === '}' || char === ']') keys.pop()
    else if (char === '"') {
      const end = endOfString(text, i)
      const open = keys.at(-1)
      if (open !== undefined && isKey(text, end)) {
        const key = text.slice(i, end + 1)
        const name = key.includes('\\') ? unescaped(key) : key
        if (open.has(name)) repeated ??= { name: isSecret(path.slice(0, keys.length).join('.')) ? '' : name, at: i }
        open.add(name)
        path[keys.length] = name.slice(1, -1)
      }
      i = end
    }
    if (depth > mostDepth) break
  }
  return { depth, repeated }
}

const endOfString = (text: string, start: number): number => {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i
  }
  return text.length
}

const isKey = (text: string, end: number): boolean => {
  let i = end + 1
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i++
  return text[i] === ':'
}

const unescaped = (key: string): string => {
  try {
    return JSON.stringify(JSON.parse(key))
  } catch {
    return key
  }
}
