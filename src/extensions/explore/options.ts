import * as z from 'zod/mini'
import type { Mock } from '../../mock/mock.ts'
import { crossFieldCheck } from '../../schema/zod-helpers.ts'
import { MockError } from '../../schema/error.ts'
import { Effect } from '../../schema/effect.ts'
import { MockOptions, parseOptions } from '../../schema/options.ts'
import { formatList, quote } from '../../schema/problem.ts'
import { findNearest } from '../../schema/suggest.ts'

/** The argument of client code in a run. */
export interface Client {
  /** The `fetch` of the mock. A path is enough. */
  readonly fetch: Mock['fetch']
  readonly mock: Mock
  /** Advances the mock clock by milliseconds and returns: a back-off costs no time. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Returns the time of the mock clock, in milliseconds since 1970. */
  readonly now: () => number
}

/** Client code under test. Each run calls it with a new mock. */
export type Flow = (client: Client) => unknown

interface SearchOptions {
  /** The options of the mock. The clock is frozen unless they set one; a real clock is an error. */
  readonly options?: MockOptions | undefined
  /** Throws or rejects if the state is wrong. */
  readonly invariant: (run: { readonly mock: Mock }) => unknown
  /** Stops the search, which then returns what it has found. */
  readonly signal?: AbortSignal | undefined
  /** Is called at most every 500 ms with the number of runs and calls so far. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

export interface Progress {
  readonly runs: number
  readonly calls: number
}

/** The arguments of `explore`. */
export interface ExploreOptions extends SearchOptions {
  readonly flow: Flow
  /** The effects of faults, by name. @default `reset`, `unavailable`, `malformed` and `rateLimited` */
  readonly effects?: Readonly<Record<string, Effect>> | undefined
  /** The maximum number of faults in a run. @default 1 */
  readonly faults?: 1 | 2 | undefined
  /** The effects under which the flow must not throw. With two faults, both must be listed. @default none */
  readonly mustSucceed?: readonly string[] | undefined
  /** A run with more calls fails. @default 1000 */
  readonly maxCalls?: number | undefined
  /** A run without a call for this many milliseconds of real time fails. @default 5000 */
  readonly timeout?: number | undefined
}

/** The arguments of `interleave`. */
export interface InterleaveOptions extends SearchOptions {
  /** Flows by name, which run side by side. They start in this order. */
  readonly actors: Readonly<Record<string, Flow>>
  /** The first half goes depth-first through the orders, the second half is seeded random. @default 10000 */
  readonly maxRuns?: number | undefined
}

/** The place and the effect of one fault. */
export interface FaultPlace {
  /** Calls count from 1 in order of arrival. */
  readonly call: number
  readonly operation: string
  /** Before the operation, which then does not happen, or after it, when only the response is lost. */
  readonly phase: 'before' | 'after'
  /** The name of the effect. */
  readonly effect: string
}
export const FaultPlace = z.object({
  call: z.int().check(z.minimum(1)),
  operation: z.string(),
  phase: z.enum(['before', 'after']),
  effect: z.string(),
})

const callable = <F>() => z.custom<F>((value) => typeof value === 'function', 'must be a function')
const hasNames = (value: object) => Object.keys(value).length > 0

const realClock = "must be 'frozen', 'stepping' or a time to freeze at (got 'real'): a search does not wait."
const findClockProblems = ({ clock, seed }: Pick<z.output<typeof MockOptions>, 'clock' | 'seed'>) =>
  [
    { path: ['clock'], clock },
    { path: ['seed', 'clock'], clock: seed?.clock },
    ...Object.entries(seed?.projects ?? {}).map(([id, project]) => ({
      path: ['seed', 'projects', id, 'clock'],
      clock: project?.clock,
    })),
  ].flatMap(({ path, clock }) => (clock?.mode === 'real' ? [{ path, message: realClock }] : []))

const shared = {
  options: z.optional(MockOptions.check(crossFieldCheck(findClockProblems))),
  invariant: callable<SearchOptions['invariant']>(),
  signal: z.optional(z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal')),
  onProgress: z.optional(callable<NonNullable<SearchOptions['onProgress']>>()),
}

const Explore = z.object({
  ...shared,
  flow: callable<Flow>(),
  effects: z.optional(z.record(z.string(), Effect).check(z.refine(hasNames, 'must have at least one effect'))),
  faults: z.optional(z.literal([1, 2])),
  mustSucceed: z.optional(z.array(z.string())),
  maxCalls: z.optional(z.int().check(z.minimum(1))),
  // The longest time that a timer can wait.
  timeout: z.optional(z.int().check(z.minimum(1), z.maximum(0x7fff_ffff))),
})

const Interleave = z.object({
  ...shared,
  actors: z.record(z.string(), callable<Flow>()).check(z.refine(hasNames, 'must have at least one actor')),
  maxRuns: z.optional(z.int().check(z.minimum(1))),
})

const defaultEffects: NonNullable<ExploreOptions['effects']> = {
  reset: { connection: 'reset' },
  unavailable: { status: 503 },
  malformed: { corrupt: 'malformed' },
  rateLimited: { status: 429, headers: { 'retry-after': '1' } },
}

/** Returns the checked arguments with their defaults. Throws `invalidOptions` with every problem. */
export const parseExplore = (given: ExploreOptions) => {
  const parsed = parseOptions('explore', '{ flow, invariant }', Explore, given)
  const { flow, effects = defaultEffects, faults = 1, mustSucceed = [], maxCalls = 1000, timeout = 5000 } = parsed
  requireEffects('mustSucceed', mustSucceed, effects)
  return { ...createSearchOptions(given, parsed), flow, effects, faults, mustSucceed, maxCalls, timeout }
}
export type ParsedExplore = ReturnType<typeof parseExplore>

/** Like `parseExplore`, for `interleave`. */
export const parseInterleave = (given: InterleaveOptions) => {
  const parsed = parseOptions('interleave', '{ actors, invariant }', Interleave, given)
  return { ...createSearchOptions(given, parsed), actors: parsed.actors, maxRuns: parsed.maxRuns ?? 10_000 }
}
export type ParsedInterleave = ReturnType<typeof parseInterleave>

/** Throws `invalidOptions` if a name is not that of an effect. */
export const requireEffects = (where: string, names: readonly string[], effects: object): void => {
  const known = Object.keys(effects)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const meant = findNearest(unknown, known)
  const hint = meant === undefined ? '' : ` Did you mean ${quote(meant)}?`
  const message = `${where} names the unknown effect ${quote(unknown)}. The effects are ${formatList(known)}.${hint}`
  throw new MockError('invalidOptions', message)
}

export type ParsedSearch = ReturnType<typeof createSearchOptions>

const createSearchOptions = (
  { options = {} }: SearchOptions,
  parsed: Pick<z.output<typeof Explore>, keyof typeof shared>,
) => {
  const { seed = {} } = parsed.options ?? {}
  return {
    // The seed is validated only once. The time is constant, so that runs are repeatable.
    mockOptions: { ...options, seed: undefined, now: () => 0 },
    seed: { ...seed, clock: seed.clock ?? ({ mode: 'frozen' } as const) },
    invariant: parsed.invariant,
    signal: parsed.signal,
    onProgress: parsed.onProgress,
  }
}
