import { connect } from 'node:net'
import { EventEmitter } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { errorDefinitions } from '../../../src/core/schema/error.ts'
import { within } from '../../support/within.ts'

/** A response from a socket. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A client that sends bytes, not requests. */
export type Raw = Awaited<ReturnType<typeof connectRaw>>

interface RawOptions {
  readonly port: number
  readonly host?: string
  /** Keeps the own half of the connection open when the server has ended its own. */
  readonly allowHalfOpen?: boolean
}

export const connectRaw = async (options: RawOptions) => {
  // HTTP clients set `noDelay`. Otherwise the second part of a request could wait 40 ms for the ACK of the first.
  const socket = connect({ host: '127.0.0.1', noDelay: true, ...options })
  onTestFinished(() => void socket.destroy())
  let text = ''
  let taken = 0
  let wanted = 0
  let over = false
  const news = new EventEmitter()
  const note = () => news.emit('news')
  // One character for each byte, so that lengths are in bytes.
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
    note()
  })
  // A reset also ends the connection.
  socket.on('error', note)
  for (const event of ['end', 'close'])
    socket.on(event, () => {
      over = true
      note()
    })
  const when = <T>(what: string, look: () => T | undefined): Promise<T> =>
    within(
      what,
      new Promise((resolve, reject) => {
        const check = () => {
          const found = look()
          if (found === undefined && !over) return
          news.off('news', check)
          if (found !== undefined) resolve(found)
          else reject(new Error(`The connection ended without ${what}, after: ${text.slice(0, 500)}`))
        }
        news.on('news', check)
        check()
      }),
    )
  await within('a connection', new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject)))
  return {
    socket,
    send: (sent: string) => void socket.write(sent, 'latin1'),
    received: () => text,
    /** Resolves with the received text once it matches. */
    until: (pattern: RegExp) => when(String(pattern), () => (pattern.test(text) ? text : undefined)),
    /** Resolves with the received text when the server ends the connection. */
    ended: () => when('the end of the connection', () => (over ? text : undefined)),
    /** The next complete response with a length. */
    readResponse: () =>
      when('a response', () => {
        // Each search of a growing text copies it.
        if (text.length < wanted) return undefined
        const { response, length } = parseFirstResponse(text.slice(taken))
        wanted = taken + length
        if (response === undefined) return undefined
        taken += length
        return response
      }),
  }
}

/** The first response in a text, and its length; without one, the minimum length of a response. */
const parseFirstResponse = (text: string): { response?: RawResponse; length: number } => {
  const none = { length: text.length + 1 }
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return none
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const head = { status: Number(statusLine.split(' ')[1]), headers }
  const rest = text.slice(end + 4)
  if (headers['transfer-encoding'] === 'chunked') {
    const last = /(?:^|\r\n)0\r\n\r\n/.exec(rest)
    if (last === null) return none
    const length = end + 4 + last.index + last[0].length
    return { response: { ...head, body: unchunked(rest) }, length }
  }
  const size = Number(headers['content-length'] ?? 0)
  const length = end + 4 + size
  return rest.length < size ? { length } : { response: { ...head, body: rest.slice(0, size) }, length }
}

const unchunked = (text: string): string => {
  const end = text.indexOf('\r\n')
  const size = Number.parseInt(text.slice(0, end), 16)
  return size === 0 ? '' : text.slice(end + 2, end + 2 + size) + unchunked(text.slice(end + 4 + size))
}

/** The number of responses in the received text. */
export const countResponses = (received: string): number => received.split(/HTTP\/1\.1 \d{3} /).length - 1

/** Expects a response to be the complete error object with its content type. */
export const expectError = ({ status, headers, body }: RawResponse, code: keyof typeof errorDefinitions) => {
  expect(headers['content-type']).toBe('application/json')
  expect(JSON.parse(body)).toMatchObject({ object: 'error', code, type: errorDefinitions[code].type })
  expect(status).toBe(errorDefinitions[code].status)
}
