import type { z } from 'zod'
import type { BehaviorChoices, Profile } from './schema/behavior.ts'
import { type ClockDocument, earliest, latest } from './schema/clock.ts'
import { Refusal } from './schema/error.ts'
import { type LogEvent, MockOptions as Options } from './schema/options.ts'
import { optionsOf } from './schema/options-of.ts'
import { quote } from './schema/problem.ts'
import type { SeedInput } from './schema/seed.ts'
import type { Token } from './schema/token.ts'

/** What a mock is made from. Everything is optional. */
export interface MockOptions {
  /** Who and what exists, and what a project starts from that is not listed. @default nothing */
  readonly seed?: SeedInput | undefined
  /** `'real'`, `'frozen'`, `'stepping'`, a time to freeze at, or a clock of the seed document. Wins over the seed. @default 'real' */
  readonly clock?: 'real' | 'frozen' | 'stepping' | (string & {}) | ClockDocument | undefined
  /** What ids are derived from. Wins over the seed. @default 'paylink-mock' */
  readonly idSeed?: string | undefined
  /** A named set of readings, below those of the seed. @default 'default' */
  readonly profile?: Profile | undefined
  /** Readings of what the specification leaves open. Win over the seed. */
  readonly behaviors?: BehaviorChoices | undefined
  /** Bearer tokens of the mocked API, in place of the seed's. With none any non-empty token serves. */
  readonly tokens?: readonly (string | Token)[] | undefined
  /** What goes before the paths of the operations, such as `/v1`. @default '' */
  readonly basePath?: string | undefined
  /** The wire word for the one provider. @default 'partner' */
  readonly provider?: string | undefined
  /** The address that payment pages are shown under. @default that of the request */
  readonly publicUrl?: string | undefined
  /** Bytes of a request body. @default 1048576 */
  readonly bodyLimit?: number | undefined
  /** How many requests the journal keeps of each project. @default 1000 */
  readonly journalSize?: number | undefined
  /** Milliseconds since 1970: what a real clock shows. @default Date.now */
  readonly now?: (() => number) | undefined
  /** Told of each request, of projects that spring into being, and of failures. @default nobody */
  readonly log?: ((event: LogEvent) => void) | undefined
}

/** The options as the mock takes them. Throws a `Refusal` that names every wrong one. */
export const checkedOptions = (given: MockOptions): z.output<typeof Options> => {
  const options = optionsOf('createMock', "{ clock: 'frozen' }", Options, given)
  return { ...options, now: options.now && checkedNow(options.now) }
}

/** A function is seen to be the wrong one by what it answers, the first time or any time. */
const checkedNow = (now: () => number) => () => {
  const time: unknown = now()
  if (typeof time === 'number' && time >= earliest && time <= latest) return time
  const message = `now must answer milliseconds since 1970, such as Date.now does (got ${quote(time)}).`
  throw new Refusal('invalidOptions', message)
}
