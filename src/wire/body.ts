import { MockError } from '../schema/error.ts'

/** Is given the bytes of a body as they come. */
export type Take = (chunk: Uint8Array) => void

/** The source of a body: the part of a `Transport` that reads it. */
interface Source {
  readonly read: (limit: number, take: Take) => Promise<void>
}

/** Reads a body as text. Rejects with `bodyTooLarge` beyond `limit` bytes, and with `malformedBody` if it is not UTF-8. */
export const readText = async (source: Source, limit: number): Promise<string> => textOf(await readBytes(source, limit))

/** Reads a body. Rejects with `bodyTooLarge` beyond `limit` bytes. */
export const readBytes = async (source: Source, limit: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  await source.read(limit, (chunk) => void chunks.push(chunk))
  return joined(chunks)
}

/** Reads a request's body, at most `limit` bytes of it. Rejects with a `MockError` where it is longer or breaks off. */
export const readRequest = async (request: Request, limit: number, take: Take): Promise<void> => {
  if (announcesMore(request.headers.get('content-length'), limit)) throw tooLarge(limit)
  if (request.body === null) return
  let size = 0
  const reader = request.body.getReader()
  for (;;) {
    // The client went away: nobody will read this, and it is no failure of ours.
    const { done, value } = await reader.read().catch(() => {
      throw brokenOff()
    })
    if (done) return
    size += value.byteLength
    if (size > limit) {
      await reader.cancel().catch(() => {})
      throw tooLarge(limit)
    }
    take(value)
  }
}

/** Whether a `Content-Length` is beyond the limit: it is believed, so that nothing has to be read in order to refuse it. */
export const announcesMore = (length: string | null | undefined, limit: number): boolean => Number(length ?? 0) > limit

// One for all: it is only given whole bodies, so that it keeps nothing from one to the next.
const decoder = new TextDecoder('utf-8', { fatal: true })

/** The bytes of a body as text. Refuses what is not UTF-8. */
export const textOf = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw malformed('The request body is not UTF-8.', 'Send JSON, encoded as UTF-8.')
  }
}

export const malformed = (message: string, hint: string): MockError => new MockError('malformedBody', message, { hint })

export const emptyBody = (): MockError => malformed('The request body is empty.', 'Send a JSON object.')

export const brokenOff = (): MockError => malformed('The request body broke off.', 'Send all of it.')

export const tooLarge = (limit: number): MockError =>
  new MockError('bodyTooLarge', `The request body must be at most ${limit} bytes.`, {
    hint: 'The limit is set with --body-limit.',
  })

const joined = (chunks: readonly Uint8Array[]): Uint8Array => {
  if (chunks.length === 1) return chunks[0]!
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}
