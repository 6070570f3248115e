import type { Context } from 'hono'
import { readText } from '../wire/json.ts'
import type { ApiEnv } from './exchange.ts'

/** The text of the body, read once. Refuses one that is too large, that broke off, or that is not UTF-8. */
export const readBody = (c: Context<ApiEnv>, limit: number): Promise<string> => {
  const { exchange } = c.var
  exchange.reading ??= readText(c.req.raw, limit).then((text) => (exchange.text = text))
  return exchange.reading
}

/** Whether a body comes with the request. Over HTTP its length or its coding announces it. */
export const hasBody = (c: Context<ApiEnv>): boolean => {
  if (c.env.connection === undefined) return c.req.raw.body !== null
  return c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) > 0
}
