// A stand-in for the real service: a mock with other ids, records of strangers and tokens. It records what a program calls.
import type { Exchange } from '../../../src/compare/recorded-calls.ts'
import { compare } from '../../../src/compare/compare.ts'
import { createMock, type Mock } from '../../../src/node/index.ts'
import type { BehaviorChoices } from '../../../src/core/schema/behavior.ts'

const range = (length: number) => Array.from({ length }, (_, index) => index)
const statuses = ['active', 'completed', 'canceled'] as const

const seed = {
  idSeed: 'the real service',
  projects: {
    other: {},
    sandbox: {
      preferredLocale: 'fr-FR',
      invoices: ['inv_1', 'inv_s0'],
      users: range(40).map((index) => ({ email: `stranger${index}@Corp.example`, emailVerified: index % 3 > 0 })),
      paymentLinks: range(30).map((index) => ({
        ...(index === 0 && { id: 'pml_stranger' }),
        invoice: `inv_s${index % 5}`,
        status: statuses[index % 3]!,
      })),
    },
  },
}

export interface Reply {
  readonly status: number
  readonly type: string
  body: any
}

export interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export type Send = (method: string, path: string, body?: unknown, headers?: Sent['headers']) => Promise<any>
type Deliver = (sent: Sent) => Promise<Reply>

const deliverTo =
  (mock: Mock): Deliver =>
  async ({ method, path, body, headers = {} }) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const init = { method, headers: listHeaders(body, headers), ...(text !== undefined && { body: text }) }
    const response = await mock.fetch(path, init)
    const json = await response.text()
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      body: json === '' ? undefined : JSON.parse(json),
    }
  }

const listHeaders = (body: unknown, headers: NonNullable<Sent['headers']>): [string, string][] => {
  const all = {
    authorization: 'Bearer secret-a',
    accept: 'application/json',
    'content-type': body === undefined ? undefined : 'application/json',
    ...headers,
  }
  return Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined)
}

/** A random number from 0 to below 1. */
export type Random = () => number

export interface ServiceOptions {
  readonly behaviors?: BehaviorChoices
  readonly expected?: BehaviorChoices
  readonly allowOtherErrors?: boolean
  readonly token?: { readonly token: string; readonly projects?: string[] }
  /** Breaks the service. */
  readonly change?: (sent: Sent, deliver: Deliver) => Promise<Reply>
  /** Decides how long calls take. @default always the same */
  readonly random?: Random
}

/**
 * Runs a program against a service, which `change` may break, and compares. Time is simulated: a call arrives after some
 * milliseconds, and its response after some more. The earliest of several calls in flight is next.
 */
export const compareProgram = async (
  program: (send: Send) => Promise<unknown>,
  {
    behaviors = {},
    expected = {},
    allowOtherErrors = false,
    token = { token: 'secret-a' },
    change = (sent, deliver) => deliver(sent),
    random = () => 0.5,
  }: ServiceOptions = {},
) => {
  let now = Date.parse('2025-01-01T12:00:00Z')
  const waiting: { readonly at: number; readonly resume: () => void }[] = []
  const wait = (milliseconds: number) => new Promise<void>((resume) => waiting.push({ at: now + milliseconds, resume }))
  await using mock = createMock({
    seed: { ...seed, tokens: [token, { token: 'secret-b' }] },
    behaviors,
    now: () => Math.floor(now),
  })
  const exchanges: Exchange[] = []
  let inService = 0
  const send: Send = async (method, path, body, headers = {}) => {
    await wait(10 * random())
    const start = now
    await wait(10 * random())
    inService++
    const { status, type, body: received } = await change({ method, path, body, headers }, deliverTo(mock))
    inService--
    await wait(10 * random())
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
    const responseText =
      received === undefined ? '' : typeof received === 'string' ? received : JSON.stringify(received)
    exchanges.push({
      start,
      end: now,
      method,
      target: path,
      headers: listHeaders(body, headers),
      body: new TextEncoder().encode(text),
      failure: undefined,
      response: { status, contentType: type, text: responseText },
    })
    return received ?? {}
  }
  const run = { isEnded: false }
  const ended = program(send).finally(() => (run.isEnded = true))
  while (!run.isEnded) {
    // All that does not wait for the time goes on first.
    await new Promise<void>((resolve) => void setImmediate(resolve))
    if (run.isEnded || inService > 0 || waiting.length === 0) continue
    waiting.sort((a, b) => a.at - b.at)
    const next = waiting.shift()!
    now = next.at
    next.resume()
  }
  await ended
  const comparison = await compare(exchanges, { provider: 'partner', expected, allowOtherErrors })
  const { report } = comparison
  const names = report.learned.map(({ behavior, value }) => `${behavior}=${value}`)
  return { ...report, names, numbers: report.different.map(({ number }) => number), comparison, exchanges }
}
