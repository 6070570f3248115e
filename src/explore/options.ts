// Declares, checks and parses the options of the in-process searches.
import * as z from 'zod/mini'
import type { Mock } from '../core/mock/extension.ts'
import { Effect } from '../core/schema/fault.ts'
import { checkOptions } from '../core/schema/check-options.ts'
import { errors } from '../core/schema/error.ts'
import { isRecord } from '../core/schema/json-value.ts'
import { MockOptions } from '../core/schema/mock-options.ts'
import { quote } from '../core/schema/problem.ts'
import { parseStrict } from '../core/schema/unknown-fields.ts'
import { callable, crossFieldCheck, intFrom } from '../core/schema/zod-helpers.ts'
import { createFaultEffect, type Effects } from './effects/effect.ts'
import { type EffectName, getNamedEffects, selectEffects } from './effects/effect-names.ts'

/** The argument passed to client code. */
export interface Client {
  /** Calls the mock. The URL may be a path without a host. */
  readonly fetch: Mock['fetch']
  /** The mock of this run. */
  readonly mock: Mock
  /** Sleeps for this many milliseconds on the mock clock, so that a back-off takes no real time. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Returns the mock time, in milliseconds since 1970. */
  readonly now: () => number
}

/** Client code under test. Each run calls it with a new mock. */
export type Flow = (client: Client) => unknown

/** A finished run, as passed to the invariant. */
export interface FinishedRun {
  /** The mock of the run, after all steps. */
  readonly mock: Mock
  /** The value that the flow of `explore` returned. Undefined in `interleave`. */
  readonly result: unknown
  /** The values that actors returned, by name. The flow passed to `explore` has the name `flow`. */
  readonly results: Readonly<Record<string, unknown>>
  /** The errors that actors threw, by name. */
  readonly thrown: Readonly<Record<string, unknown>>
}

/** The progress of a search so far. */
export interface Progress {
  /** The number of runs so far. Excludes runs that the search stopped early. */
  readonly runs: number
  /** The total number of calls in these runs. */
  readonly calls: number
}

interface SearchOptions {
  /** The options of the mock. The clock is frozen by default and must not be real. */
  readonly options?: MockOptions | undefined
  /** Called after each run. Must throw or reject if the state is wrong. */
  readonly invariant: (run: FinishedRun) => unknown
  /**
   * The effects to try: names of built-in effects such as `crash`, the groups `default` and `all`, or your own effects by name.
   * An effect must not hold requests. @default the group `default`
   */
  readonly effects?: Readonly<Record<string, Effect>> | readonly EffectName[] | undefined
  /** The maximum number of faults in a run. @default 1 in `explore` and in `interleave` with `effects`, otherwise 0 */
  readonly faults?: 0 | 1 | 2 | undefined
  /** The effects under which client code must not throw. A run with two faults must succeed if both are listed. @default none */
  readonly mustSucceed?: readonly string[] | undefined
  /** Pays a new link when it is retrieved for the nth time, for code that polls for the payment. @default never */
  readonly payAfterReads?: number | undefined
  /** The maximum number of calls in a run. A run with more calls fails. @default 1000 */
  readonly maxCalls?: number | undefined
  /** A run fails if it makes no call for this many milliseconds of real time. @default 5000 */
  readonly timeout?: number | undefined
  /** Stops the search after this many milliseconds of real time. @default 4000, or no limit (null) in `explore` with one fault */
  readonly budget?: number | null | undefined
  /** Stops the search after this many failures. @default 10 */
  readonly maxFailures?: number | undefined
  /** Runs only these schedules, each the `replay` of a failure. */
  readonly only?: string | readonly string[] | undefined
  /** Stops the search when aborted. The search then returns the failures found so far. */
  readonly signal?: AbortSignal | undefined
  /** Called at most once every 500 ms, with the numbers of runs and calls so far. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** The options of `explore`. */
export interface ExploreOptions extends SearchOptions {
  /** The client code under test. Called at the start of each run, and again after a crash. */
  readonly flow: Flow
  /** The maximum number of faults in a run. @default 1 */
  readonly faults?: 1 | 2 | undefined
}

/** The options of `interleave`. */
export interface InterleaveOptions extends SearchOptions {
  /** Flows by name. They run concurrently and start in this order. */
  readonly actors: Readonly<Record<string, Flow>>
  /** Asserts that the actors share nothing but the mock. The search then skips equivalent orders. @default false */
  readonly isolated?: boolean | undefined
  /** How many sleeps may end while a call waits for its turn. After that, the search must choose a call. @default 20 */
  readonly overtakes?: number | undefined
  /**
   * The maximum number of runs. If the depth-first search does not finish within the first half, seeded random runs use the
   * rest. @default 10000
   */
  readonly maxRuns?: number | undefined
}

/** Throws for names of actors and effects that zod would drop, or reject without a reason. */
const requireNames = (given: unknown): void => {
  for (const [key, record] of Object.entries(isRecord(given) ? given : {}))
    for (const name of ['__proto__', 'constructor'])
      if ((key === 'actors' || key === 'effects') && isRecord(record) && Object.hasOwn(record, name))
        throw errors.invalidOptions({ message: `${key} must not have the name ${quote(name)}. Choose another name.` })
}

const hasEntries = (value: object) => Object.keys(value).length > 0

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

const noHold = 'must not hold requests, because nothing releases them: `interleave` tries the orders'
/** A duration in milliseconds, up to the longest delay that `setTimeout` supports. */
const duration = intFrom(1, 0x7fff_ffff)

const sharedSchemas = {
  options: z.optional(MockOptions.check(crossFieldCheck(findClockProblems))),
  invariant: callable<SearchOptions['invariant']>(),
  effects: z._default(
    z.union([
      z.array(z.string()).check(z.refine(hasEntries, 'must have at least one effect')),
      z
        .record(z.string().check(z.minLength(1)), Effect.check(z.refine(({ hold }) => hold === undefined, noHold)))
        .check(z.refine(hasEntries, 'must have at least one effect')),
    ]),
    ['default'],
  ),
  mustSucceed: z._default(z.array(z.string()), []),
  payAfterReads: z.optional(intFrom(1)),
  maxCalls: z._default(intFrom(1), 1000),
  timeout: z._default(duration, 5000),
  budget: z.optional(z.nullable(duration)),
  maxFailures: z._default(intFrom(1), 10),
  only: z.optional(z.union([z.string(), z.array(z.string()).check(z.minLength(1))])),
  signal: z.optional(z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal')),
  onProgress: z.optional(callable<NonNullable<SearchOptions['onProgress']>>()),
}

const ExploreSchema = z.object({ ...sharedSchemas, flow: callable<Flow>(), faults: z._default(z.literal([1, 2]), 1) })

const InterleaveSchema = z.object({
  ...sharedSchemas,
  actors: z
    .record(z.string().check(z.minLength(1)), callable<Flow>())
    .check(z.refine(hasEntries, 'must have at least one actor')),
  faults: z.optional(z.literal([0, 1, 2])),
  isolated: z._default(z.boolean(), false),
  overtakes: z._default(intFrom(0), 20),
  maxRuns: z._default(intFrom(1), 10_000),
})

const defaultBudget = 4000

/** Parses the options of `explore`. The flow becomes the only actor, named `flow`. */
export const parseExplore = (given: ExploreOptions) => {
  requireNames(given)
  const parse = (value: unknown) => parseStrict(ExploreSchema, value)
  const parsedOptions = checkOptions('explore', '{ flow, invariant }', parse, given)
  const { flow, budget = parsedOptions.faults === 2 ? defaultBudget : null } = parsedOptions
  const actors: Readonly<Record<string, Flow>> = { flow }
  return {
    ...createParsedSearch(given, parsedOptions),
    actors,
    budget,
    overtakes: 0,
    maxRuns: Infinity,
    orders: 'first' as const,
  }
}

export const parseInterleave = (given: InterleaveOptions) => {
  requireNames(given)
  const parse = (value: unknown) => parseStrict(InterleaveSchema, value)
  const parsedOptions = checkOptions('interleave', '{ actors, invariant }', parse, given)
  const { isolated, budget = defaultBudget, faults = given.effects === undefined ? 0 : 1 } = parsedOptions
  const orders = isolated && parsedOptions.only === undefined ? ('isolated' as const) : ('all' as const)
  return { ...createParsedSearch(given, parsedOptions), budget, faults, orders }
}

export type ParsedSearch = ReturnType<typeof parseExplore> | ReturnType<typeof parseInterleave>

const readEffects = (given: readonly string[] | Readonly<Record<string, Effect>>): Effects =>
  Array.isArray(given)
    ? getNamedEffects('effects', given)
    : Object.fromEntries(Object.entries(given).map(([name, fault]) => [name, createFaultEffect(fault)]))

const createParsedSearch = <P extends Omit<z.output<typeof ExploreSchema>, 'flow' | 'faults'>>(
  given: SearchOptions,
  parsedOptions: P,
) => {
  const { only, options: { seed = {} } = {} } = parsedOptions
  const effects = readEffects(parsedOptions.effects)
  return {
    ...parsedOptions,
    effects,
    mustSucceed: selectEffects('mustSucceed', parsedOptions.mustSucceed, effects),
    only: typeof only === 'string' ? [only] : only,
    // Each run loads the parsed `seed` instead, so that no run parses it again. A constant time makes runs reproducible.
    mockOptions: { ...given.options, seed: undefined, now: () => 0 },
    seed: { ...seed, clock: seed.clock ?? ({ mode: 'frozen' } as const) },
  }
}
