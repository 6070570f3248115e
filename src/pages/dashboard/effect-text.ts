import type { Effect } from '../../schema/fault.ts'

type Words = { readonly [K in keyof Effect]-?: (value: NonNullable<Effect[K]>) => string }

const connections = {
  reset: 'resets the connection',
  close: 'closes the connection without a response',
  hang: 'never responds',
} as const

const corruptions = {
  truncated: 'sends fewer bytes than announced',
  malformed: 'sends malformed JSON',
  empty: 'sends an empty body',
} as const

// In the order in which it happens.
const words: Words = {
  delay: ({ milliseconds, jitter = 0 }) =>
    `waits ${number(milliseconds)}${jitter === 0 ? '' : ` to ${number(milliseconds + jitter)}`} ms`,
  rateLimit: ({ limit, window }) => `rejects more than ${number(limit)} requests in ${number(window)} ms`,
  connection: (how) => connections[how],
  status: (status) => `responds ${status}`,
  headers: (headers) =>
    `with ${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', ')}`,
  body: (body) => `with the body ${JSON.stringify(body)}`,
  corrupt: (how) => corruptions[how],
}

/** What a fault does, in words: `waits 200 to 250 ms, responds 503, with retry-after: 1`. */
export const effectText = (effect: Effect): string =>
  (Object.keys(words) as (keyof Effect)[])
    .filter((key) => effect[key] !== undefined)
    .map((key) => (words[key] as (value: unknown) => string)(effect[key]))
    .join(', ')

const number = (value: number): string => value.toLocaleString('en-US')
