import { errors } from '../schema/error.ts'

/** Is called with the bytes of a body as they arrive. */
export type OnChunk = (chunk: Uint8Array) => void

/** Is called once: after the last bytes of a body, or with the error that ended it. */
export type OnEndOfBody = (error?: unknown) => void

/** The source of a body: the part of a `Transport` that reads it. */
interface Source {
  readonly read: (limit: number, take: OnChunk, done: OnEndOfBody) => void
}

/** Reads a body as text. Rejects with `bodyTooLarge` beyond `limit` bytes, and with `malformedBody` if it is not UTF-8. */
export const readText = (source: Source, limit: number): Promise<string> => readWhole(source, limit, decodeText)

/** Reads a body. Rejects with `bodyTooLarge` beyond `limit` bytes. */
export const readBytes = (source: Source, limit: number): Promise<Uint8Array> =>
  readWhole(source, limit, (bytes) => bytes)

// One promise: every request with a body waits for it.
const readWhole = <T>(source: Source, limit: number, convert: (bytes: Uint8Array) => T): Promise<T> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    const finish: OnEndOfBody = (error) => {
      if (error !== undefined) return reject(error)
      try {
        resolve(convert(concat(chunks)))
      } catch (invalid) {
        reject(invalid)
      }
    }
    source.read(limit, (chunk) => void chunks.push(chunk), finish)
  })

/** Reads the body of a request. Rejects with a `MockError` if it has more than `limit` bytes or ends too early. */
export const readRequest = async (request: Request, limit: number, take: OnChunk): Promise<void> => {
  if (exceedsLimit(request.headers.get('content-length'), limit)) throw errors.bodyTooLarge(limit)
  if (request.body === null) return
  let size = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw errors.malformedBody('incomplete')
    })
    if (done) return
    size += value.byteLength
    if (size > limit) {
      await reader.cancel().catch(() => {})
      throw errors.bodyTooLarge(limit)
    }
    take(value)
  }
}

/** Returns true if a `Content-Length` exceeds the limit, so that the body can be rejected without reading it. */
export const exceedsLimit = (length: string | null | undefined, limit: number): boolean => Number(length ?? 0) > limit

// Shared: it only decodes whole bodies, so it has no state.
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes the bytes of a body. Throws `malformedBody` if they are not UTF-8. */
export const decodeText = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw errors.malformedBody('notUtf8')
  }
}

const concat = (chunks: readonly Uint8Array[]): Uint8Array => {
  const [first, ...others] = chunks
  if (first !== undefined && others.length === 0) return first
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}
