import { type Agent, request as httpRequest } from 'node:http'
import { guardError } from '../../support/read.ts'
import { observe } from '../../support/observe-control.ts'
import { within } from '../../support/within.ts'

interface Sending {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Keeps the connection. @default one of its own for each request */
  readonly agent?: Agent
}

/** A response over HTTP; `body` is parsed, and undefined without a body. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: any
}

/** Sends a request with any header, also those that `fetch` forbids, such as Host and Origin. */
export const requestText = (url: URL | string, { method = 'GET', headers = {}, body, agent }: Sending = {}) =>
  within(
    `the response to ${method} ${String(url)}`,
    new Promise<Omit<HttpResponse, 'body'> & { text: string }>((resolve, reject) => {
      const outgoing = httpRequest(url, { method, headers, agent: agent ?? false }, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const { statusCode: status = 0, headers } = incoming
          observe({ method, url: new URL(url), sent: body, status, headers: new Headers(headers as {}), text })
          resolve({ status, headers, text })
        })
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    }),
  )

export const request = async (url: URL | string, sending: Sending = {}): Promise<HttpResponse> => {
  const { text, ...response } = await requestText(url, sending)
  return { ...response, body: text === '' ? undefined : guardError(response.status, JSON.parse(text) as unknown) }
}

export const requestJson = (url: URL | string, method: string, body: unknown, headers: Sending['headers'] = {}) =>
  request(url, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
