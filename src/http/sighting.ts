import type { Context } from 'hono'
import type { Sighting } from '../traffic/record.ts'
import type { ApiEnv } from './exchange.ts'

/** The request of an exchange as a matcher looks at it, before it is answered. */
export const sightingOf = (c: Context<ApiEnv>): Sighting => {
  const { project, operation, text } = c.var.exchange
  const { method, url } = c.req
  return { project, operation: operation?.id, method, url, headers: c.env.line.headers(), text, status: undefined }
}
