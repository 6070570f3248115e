import { request as httpRequest } from 'node:http'

interface Sending {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer over HTTP; `body` is parsed, and undefined where there is none. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: any
}

/** Sends a request with any header at all, Host and Origin among them: `fetch` keeps some for itself. */
export const request = (url: URL | string, { method = 'GET', headers = {}, body }: Sending = {}): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method, headers, agent: false }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      incoming.on('error', reject)
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode!,
          headers: incoming.headers,
          body: text === '' ? undefined : (JSON.parse(text) as unknown),
        }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/** Sends JSON. */
export const requestJson = (url: URL | string, method: string, body: unknown, headers: Sending['headers'] = {}) =>
  request(url, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
