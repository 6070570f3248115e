import { errors } from './error.ts'
import * as z from 'zod/mini'
import { BehaviorChoices, Profile } from './behavior.ts'
import { type ClockDocument, buildClockSchema, defaultStart, minTime, maxTime } from './clock-document.ts'
import { Timestamp } from './field.ts'
import type { OperationId } from './operation-routes.ts'
import { Provider } from './payment-link.ts'
import { quote } from './problem.ts'
import { Seed, Token } from './seed.ts'
import { describeBaseUrl, isBaseUrl, isOriginText, trimSlashes } from './url.ts'
import { address, callable, intFrom } from './zod-helpers.ts'

const ClockChoice = z.pipe(
  z.transform((clock: MockOptions['clock']): unknown => {
    if (clock === 'real' || clock === 'frozen' || clock === 'stepping') return { mode: clock }
    if (clock instanceof Date) return String(clock)
    return Timestamp.safeParse(clock).success ? { mode: 'frozen', now: clock } : clock
  }),
  buildClockSchema(`must be 'real', 'frozen', 'stepping' or a time to freeze at such as '${defaultStart}'`),
)

const withoutEndSlashes = z.transform(trimSlashes)

export const buildBaseUrlSchema = (example: string) =>
  z.pipe(address(isBaseUrl, describeBaseUrl(example)), withoutEndSlashes)

const hostPattern = /^(?:(?:\*\.)?[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d+)?$/i

/** A port is ignored, and `*.` matches any labels. */
const AllowedHost = address(
  (host) => hostPattern.test(host),
  "must be a host name such as 'mock.example' or '*.mock.example'",
)

const CorsOrigin = address(isOriginText, "must be an origin such as 'https://shop.example', or '*'")

const BasePath = z.pipe(
  z.string().check(
    // URLs resolve `.` and `..`, so a path that contains them would never be called.
    z.regex(/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/, "must be a path such as '/v1'"),
    z.refine((path) => !/^\/(?:__admin|pay)(?:\/|$)/.test(path), 'must not be a path of the mock itself'),
  ),
  withoutEndSlashes,
)

const TokenChoice = z.pipe(
  z.transform((choice: string | Token) => (typeof choice === 'string' ? { token: choice } : choice)),
  z.object(Token.shape, "must be a token, or an object such as { token: 'secret', projects: ['acme'] }"),
)

/** Checks the result of each call, because a function cannot be validated in advance. */
const checkNow = (now: () => number) => (): number => {
  const time: unknown = now()
  if (typeof time === 'number' && time >= minTime && time <= maxTime) return time
  throw errors.invalidOptions({
    message: `now must return milliseconds since 1970, like Date.now (got ${quote(time)}).`,
  })
}

/** An event that the owner of a mock may want to log. */
export type LogEvent =
  | {
      /** A request was finished. */
      readonly event: 'request'
      /** The method. */
      readonly method: string
      /** The path without its query. */
      readonly path: string
      /** The operation. Null: no route of the mocked API matched. */
      readonly operation: OperationId | null
      /** The status. Null: a fault closed the connection without a response. */
      readonly status: number | null
      /** The code of the error. Null: the response is not an error. */
      readonly code: string | null
      /** The id of the recorded request. Null: the request is not one to the mocked API. */
      readonly requestId: string | null
      /** How long it took, delays of faults included. */
      readonly milliseconds: number
    }
  | {
      /** A request to the mocked API created a project. A call of the control API is not logged. */
      readonly event: 'projectCreated'
      /** The id of the project. */
      readonly project: string
      /** The sandbox of the project. Absent: none. */
      readonly sandbox?: string
    }
  | {
      /** The least recently used sandbox was deleted. */
      readonly event: 'sandboxEvicted'
      /** The name of the sandbox. */
      readonly sandbox: string
    }
  | {
      /** The seed file has changed and was loaded. */
      readonly event: 'seedReloaded'
      /** The path of the file. */
      readonly file: string
    }
  | {
      /** The seed file has changed and is invalid: the state is unchanged. */
      readonly event: 'seedRefused'
      /** The path of the file. */
      readonly file: string
      /** Its problems. */
      readonly message: string
    }
  | {
      /** An unexpected error. */
      readonly event: 'error'
      /** The error. */
      readonly error: unknown
    }

type Schemas<T> = { readonly [K in keyof T]-?: z.ZodMiniType<unknown, T[K]> }

/** The options of `createMock`. */
export interface MockOptions {
  /** The records at the start and after a reset, and the template of new projects. @default nothing */
  readonly seed?: Seed | undefined
  /** `'real'`, `'frozen'`, `'stepping'`, a time to freeze at, or a clock document. Overrides the seed. @default 'real' */
  readonly clock?: 'real' | 'frozen' | 'stepping' | (string & {}) | ClockDocument | undefined
  /** The text that ids are derived from. Overrides the seed. @default 'paylink-mock' */
  readonly idSeed?: string | undefined
  /** A named set of behavior values. The seed overrides it. @default 'default' */
  readonly profile?: Profile | undefined
  /** Values for what the specification leaves open. They override the seed. */
  readonly behaviors?: BehaviorChoices | undefined
  /** The bearer tokens of the mocked API. They replace those of the seed. If the list is empty, any token is valid. */
  readonly tokens?: readonly (string | Token)[] | undefined
  /** A prefix of the paths of the mocked API, such as `/v1`. @default '' */
  readonly basePath?: string | undefined
  /** The name of the payment provider in the mocked API. @default 'partner' */
  readonly provider?: string | undefined
  /** The address of the payment pages. @default the origin of the request */
  readonly publicUrl?: string | undefined
  /** The bearer token of the control API if the mock is mounted in another app. `'none'` opens it. @default it is closed */
  readonly adminToken?: string | undefined
  /** The origins of web pages that may call the mocked API, or `['*']` for every origin. Never the control API. @default none */
  readonly cors?: readonly string[] | undefined
  /** The maximum size of a request body, in bytes. @default 1048576 */
  readonly bodyLimit?: number | undefined
  /** The maximum number of recorded requests of each project. @default 1000 */
  readonly journalSize?: number | undefined
  /** The maximum number of sandboxes: the least recently used is deleted. 0 disables sandboxes. @default 1000 */
  readonly maxSandboxes?: number | undefined
  /** Returns the time of a real clock, in milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined
  /** Is called with each request, created project and unexpected error. Its own errors are ignored. @default none */
  readonly log?: ((event: LogEvent) => void) | undefined
}
export const MockOptions = z.object({
  seed: z.optional(Seed),
  clock: z.optional(ClockChoice),
  idSeed: z.optional(z.string()),
  profile: z.optional(Profile),
  behaviors: z.optional(BehaviorChoices),
  tokens: z.optional(z.array(TokenChoice)),
  basePath: z.optional(BasePath),
  provider: z.optional(Provider),
  publicUrl: z.optional(buildBaseUrlSchema('https://mock.example')),
  adminToken: z.optional(Token.shape.token),
  cors: z.optional(z.array(CorsOrigin)),
  bodyLimit: z.optional(intFrom(1)),
  journalSize: z.optional(intFrom(0, 1e6)),
  maxSandboxes: z.optional(intFrom(0, 1e6)),
  now: z.pipe(
    z.optional(callable<() => number>()),
    z.transform((now) => now && checkNow(now)),
  ),
  log: z.optional(callable<(event: LogEvent) => void>()),
} satisfies Schemas<MockOptions>)

const port = 'must be an integer from 0 to 65535'
const host = 'must be an address or a name to bind'

/** The options of `listen`. */
export interface ListenOptions {
  /** 0 means any free port. @default 0 */
  readonly port?: number | undefined
  /** The address to bind. @default '127.0.0.1' */
  readonly host?: string | undefined
  /** The bearer token of the control API. `'none'` disables it. @default none on loopback, otherwise a random token */
  readonly adminToken?: string | undefined
  /** Hosts that may call the control API, besides names that cannot be public. @default none */
  readonly allowedHosts?: readonly string[] | undefined
}
export const ListenOptions = z.object({
  port: z.optional(z.int(port).check(z.minimum(0, port), z.maximum(65_535, port))),
  host: z.optional(address((text) => /^[^\s/@]+$/.test(text), host)),
  adminToken: z.optional(Token.shape.token),
  allowedHosts: z.optional(z.array(AllowedHost)),
} satisfies Schemas<ListenOptions>)

/** The options of `connect`. */
export interface ConnectOptions {
  /** The bearer token of the control API, if it requires one. */
  readonly adminToken?: string | undefined
  /** Sends the requests. @default the global fetch */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}
