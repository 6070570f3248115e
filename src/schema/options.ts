import * as z from 'zod'
import { BehaviorChoices, Profile } from './behavior.ts'
import { clockDocument } from './clock.ts'
import { Timestamp } from './field.ts'
import type { OperationId } from './operation.ts'
import { Provider } from './payment-link.ts'
import { Seed } from './seed.ts'
import { Token } from './token.ts'
import { urlOf } from './url.ts'

const clockMessage = "must be 'real', 'frozen', 'stepping' or an ISO 8601 time in UTC to freeze at"

/** A clock in one word, or as a document. A time freezes there. */
export const ClockChoice = z.preprocess((given): unknown => {
  if (given === 'real' || given === 'frozen' || given === 'stepping') return { mode: given }
  return Timestamp.safeParse(given).success ? { mode: 'frozen', now: given } : given
}, clockDocument(clockMessage))

const isOrigin = (text: string): boolean => {
  const { search, hash } = urlOf(text) ?? {}
  return /^https?:\/\//.test(text) && search === '' && hash === ''
}

/** The address that payment pages are shown under, without a slash at its end. */
export const PublicUrl = z
  .string()
  .refine(isOrigin, "must be an http or https address such as 'https://mock.example'")
  .transform((url) => url.replace(/\/+$/, ''))

/** A Host that the control plane answers to. A port in it says nothing; `*.` stands for any label. */
export const AllowedHost = z
  .string()
  .regex(
    /^(?:(?:\*\.)?[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d+)?$/i,
    "must be a host name such as 'mock.example' or '*.mock.example'",
  )

/** What goes before the paths of the operations. */
export const BasePath = z
  .string()
  // An address takes the dots for steps, so that no call would come in under them.
  .regex(/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/, "must be a path such as '/v1'")
  .refine((path) => !/^\/(?:__admin|pay)(?:\/|$)/.test(path), 'must not be a path of the mock itself')
  .transform((path) => path.replace(/\/$/, ''))

/** A token as a bare text, or with its projects and its end. */
const TokenChoice = z.preprocess(
  (given): unknown => (typeof given === 'string' ? { token: given } : given),
  z.object(Token.shape, "must be a token, or an object such as { token: 'secret', projects: ['acme'] }"),
)

const callable = <F>() => z.custom<F>((value) => typeof value === 'function', 'must be a function').optional()

/** Something that happened in the mock and that its owner may want to log. */
export type LogEvent =
  | {
      readonly event: 'request'
      readonly method: string
      readonly path: string
      /** Null: no route of the mocked API matched. */
      readonly operation: OperationId | null
      /** Null: a fault has broken the connection without an answer. */
      readonly status: number | null
      /** The code of the error that was sent; null: none was. */
      readonly code: string | null
      /** The key of the request in the journal; null: it is not of the mocked API. */
      readonly requestId: string | null
      readonly milliseconds: number
    }
  | { readonly event: 'projectCreated'; readonly project: string }
  | { readonly event: 'seedReloaded'; readonly file: string }
  | { readonly event: 'seedRefused'; readonly file: string; readonly message: string }
  | { readonly event: 'error'; readonly error: unknown }

/** The options of `createMock`, all optional. */
export const MockOptions = z.object({
  seed: Seed.optional(),
  clock: ClockChoice.optional(),
  idSeed: z.string().optional(),
  profile: Profile.optional(),
  behaviors: BehaviorChoices.optional(),
  tokens: z.array(TokenChoice).optional(),
  basePath: BasePath.optional(),
  provider: Provider.optional(),
  publicUrl: PublicUrl.optional(),
  bodyLimit: z.int().min(1).optional(),
  journalSize: z.int().min(0).max(1e6).optional(),
  now: callable<() => number>(),
  log: callable<(event: LogEvent) => void>(),
})

const port = 'must be an integer from 0 to 65535'
const host = 'must be an address or a name to bind'

/** The options of `listen`, all optional. */
export const ListenOptions = z.object({
  port: z.int(port).min(0, port).max(65_535, port).optional(),
  host: z.string(host).min(1, host).optional(),
  adminToken: Token.shape.token.optional(),
  allowedHosts: z.array(AllowedHost).optional(),
})

/** The options of `connect`, all optional. */
export const ConnectOptions = z.object({
  adminToken: Token.shape.token.optional(),
  fetch: callable<(url: string, init: RequestInit) => Promise<Response>>(),
})
