import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Reply } from '../wire/respond.ts'

/** Writes a `Reply` as it is, all of it at once. Anything else is left to node-server: it streams. */
export const sent = (response: Response | Reply, outgoing: ServerResponse): Response => {
  if (!(response instanceof Reply)) return response
  const { status, headers, text } = response
  if (text === null || 'content-length' in headers) outgoing.writeHead(status, headers)
  else outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) })
  outgoing.end(text)
  return RESPONSE_ALREADY_SENT
}
