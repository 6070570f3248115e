import type { Json } from './json-schema.ts'

/** The headers of an error response in a document, besides those of every response. */
export const getErrorHeaders = (status: number): Json => errorHeaders[status] ?? {}

const textHeader = (description: string, schema: Json = {}): Json => ({
  description,
  schema: { type: 'string', ...schema },
})

const errorHeaders: Readonly<Record<number, Json>> = {
  // RFC 9110, sections 15.5.2 and 15.5.6, requires the headers of 401 and 405.
  401: { 'WWW-Authenticate': { ...textHeader('How to authenticate.', { const: 'Bearer' }), required: true } },
  405: { Allow: { ...textHeader('The allowed methods.', { examples: ['GET, HEAD, OPTIONS'] }), required: true } },
  // Optional: a fault with the status 429 has its own headers.
  429: {
    'Retry-After': textHeader('Seconds until the next window.'),
  },
}
