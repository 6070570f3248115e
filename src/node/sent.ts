import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Reply } from '../wire/respond.ts'

/** Writes a `Reply` as it is, all of it at once. Anything else is left to node-server: it streams. */
export const sent = (response: Response | Reply, outgoing: ServerResponse): Response => {
  if (!(response instanceof Reply)) return response
  const { status, headers, text } = response
  if (text === null) outgoing.writeHead(status, headers).end()
  else {
    const length = Buffer.byteLength(text)
    outgoing.writeHead(status, 'content-length' in headers ? headers : { ...headers, 'content-length': length })
    // One byte for each character: then the socket need not encode it.
    outgoing.end(text, length === text.length ? 'latin1' : 'utf8')
  }
  return RESPONSE_ALREADY_SENT
}
