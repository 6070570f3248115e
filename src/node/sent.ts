import type { ServerResponse } from 'node:http'
import { Reply } from '../wire/respond.ts'

/** Writes a `Reply` as it is, all of it at once. Answers false for anything else, which streams. */
export const send = (response: Response | Reply, outgoing: ServerResponse): boolean => {
  if (!(response instanceof Reply)) return false
  const { status, headers, text } = response
  if (text === null) outgoing.writeHead(status, headers).end()
  else {
    const length = Buffer.byteLength(text)
    outgoing.writeHead(status, 'content-length' in headers ? headers : { ...headers, 'content-length': length })
    // One byte for each character: then the socket need not encode it.
    outgoing.end(text, length === text.length ? 'latin1' : 'utf8')
  }
  return true
}
