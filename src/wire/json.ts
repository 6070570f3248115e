import { shortened } from '../schema/problem.ts'
import { malformed } from './body.ts'

/** How deep a body may nest: `JSON.stringify` gives up between 1,000 and 5,000. */
const bodyDepth = 64

interface Parsing {
  /** How deep the text may nest. */
  readonly mostDepth?: number
  /** Whether secrets may stand in the text, so that no refusal quotes it. */
  readonly secret?: boolean
}

/** Parses a body. It is refused before anything else touches it when it is too deep. Assumed: also when a key stands twice. */
export const parseJson = (text: string, { mostDepth = bodyDepth, secret = false }: Parsing = {}): unknown => {
  if (text.trim() === '') throw malformed('The request body is empty.', 'Send a JSON object.')
  const { depth, repeated } = scan(text, mostDepth)
  if (depth > mostDepth)
    throw malformed(`The request body nests deeper than ${mostDepth} levels.`, 'Send flatter JSON.')
  const value = parsed(text, secret)
  if (repeated !== undefined)
    throw malformed(
      `The request body has the key ${shortened(repeated.name, 40)} twice in one object.`,
      'Send each key once.',
    )
  return value
}

// The parser's own words differ between versions of Node, and an answer must not.
const parsed = (text: string, secret: boolean): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    const got = secret ? '' : ` (got ${shortened(text, 40)})`
    throw malformed(`The request body is not JSON${got}.`, 'Send a JSON object.')
  }
}

/** A key, in its quotes, that an object has once more, and where. */
export interface Repeated {
  readonly name: string
  readonly at: number
}

/** The first key that an object of this JSON has twice. */
export const repeatedIn = (json: string): Repeated | undefined => scan(json, Infinity).repeated

/** How deep the brackets nest, and the first key that an object has twice. Strings are skipped as a whole. */
const scan = (text: string, mostDepth: number): { depth: number; repeated: Repeated | undefined } => {
  const keys: (Set<string> | undefined)[] = []
  let depth = 0
  let repeated: Repeated | undefined
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '{' || char === '[') depth = Math.max(depth, keys.push(char === '{' ? new Set() : undefined))
    else if (char === '}' || char === ']') keys.pop()
    else if (char === '"') {
      const end = endOfString(text, i)
      const open = keys.at(-1)
      if (open !== undefined && isKey(text, end)) {
        const key = text.slice(i, end + 1)
        const name = key.includes('\\') ? unescaped(key) : key
        if (open.has(name)) repeated ??= { name, at: i }
        open.add(name)
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
