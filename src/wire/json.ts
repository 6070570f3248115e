import { Refusal } from '../schema/error.ts'

/** How deep a body may nest: `JSON.stringify` gives up between 1,000 and 5,000. */
const bodyDepth = 64

/** Reads a request's body, at most `limit` bytes of it, as text. */
export const readText = async (request: Request, limit: number): Promise<string> => {
  // A length that is announced is believed, so that nothing has to be read in order to refuse it.
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength
      if (size > limit) break
      chunks.push(chunk)
    }
  } catch {
    // The client went away: nobody will read this, and it is no failure of ours.
    throw malformed('The request body broke off.', 'Send all of it.')
  }
  if (size > limit) throw tooLarge(limit)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(joined(chunks, size))
  } catch {
    throw malformed('The request body is not UTF-8.', 'Send JSON, encoded as UTF-8.')
  }
}

/** Parses a body. Assumed: a key that stands twice makes it malformed. It is refused before anything else touches it when it is too deep, and when a key stands twice. */
export const parseJson = (text: string, mostDepth = bodyDepth): unknown => {
  if (text.trim() === '') throw malformed('The request body is empty.', 'Send a JSON object.')
  const { depth, repeated } = scan(text, mostDepth)
  if (depth > mostDepth)
    throw malformed(`The request body nests deeper than ${mostDepth} levels.`, 'Send flatter JSON.')
  const value = parsed(text)
  if (repeated !== undefined)
    throw malformed(`The request body has the key ${shortened(repeated)} twice in one object.`, 'Send each key once.')
  return value
}

// The parser's own words differ between versions of Node, and an answer must not.
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed(`The request body is not JSON (got ${shortened(text)}).`, 'Send a JSON object.')
  }
}

/** How deep the brackets nest, and the first key that an object has twice. Strings are skipped as a whole. */
const scan = (text: string, mostDepth: number): { depth: number; repeated: string | undefined } => {
  const keys: (Set<string> | undefined)[] = []
  let depth = 0
  let repeated: string | undefined
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
        if (open.has(name)) repeated ??= name
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

const joined = (chunks: readonly Uint8Array[], size: number): Uint8Array => {
  if (chunks.length === 1) return chunks[0]!
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}...` : text)

const malformed = (message: string, hint: string) => new Refusal('malformedBody', message, { hint })

const tooLarge = (limit: number) =>
  new Refusal('bodyTooLarge', `The request body must be at most ${limit} bytes.`, {
    hint: 'The limit is set with --body-limit.',
  })
