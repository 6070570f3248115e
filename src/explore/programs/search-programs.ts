// The search over programs: the mock that they call, their runs without a fault, and the counts. The rest is in `search.ts`.
import type { Core } from '../../core/mock/extension.ts'
import { listSecondLinks, type RecordsByProject } from '../customers.ts'
import { getNamedEffects, selectEffects } from '../effects/effect-names.ts'
import { namedEffects } from '../effects/named-effects.ts'
import { countFaults, type FaultSchedule } from '../fault-schedules.ts'
import { type SearchClock, startClock } from '../search-clock.ts'
import { Omissions } from '../omissions.ts'
import type { Bound, Prepared, Runner } from '../strategies/strategy.ts'
import { runSearch } from '../search.ts'
import type { Decide, GetExpected, Step } from '../steps.ts'
import { holdCalls } from './hold-calls.ts'
import { describeConcurrency, describeOrder, describeOwnTimeout, planHolds } from './probe.ts'
import { ProgramError, type ProgramParts, type ProgramRun } from './program-types.ts'
import type { SearchSummary } from './program-report.ts'
import { judgeRun, listTexts } from './judge-run.ts'
import { isSameRun } from './require-searchable.ts'
import { createServiceCaveats } from './service-hints.ts'
import { type RunInSandbox, type RunOptions, runPrograms } from './run-programs.ts'

export interface ProgramSearch extends Omit<ProgramParts, 'effects'> {
  /** The names of effects. @default those of `explore` */
  readonly effects: readonly string[] | undefined
  /** The maximum number of faults in a run. */
  readonly faults: number
  /** The schedules that run instead of a search. */
  readonly only: readonly string[] | undefined
  /** How many runs may be in progress at the same time. */
  readonly jobs: number
  readonly maxRuns: number
  /**
   * The maximum number of switches: every order within it is tried, because programs may share more than the mock.
   * Null: they share nothing else, or there is one program.
   */
  readonly switches: number | 'all' | null
  /** Is called once, after the runs without a fault. */
  readonly onPlan: (plan: Pick<ProgramProgress, 'planned' | 'bound'>) => void
  /** Is called with what a user should know, although it is no failure. */
  readonly onRemark: (text: string) => void
  readonly onProgress: (progress: ProgramProgress) => void
  /** Returns the command line that repeats a failure. */
  readonly formatCommand: (replay: string) => string
  /** Opens a socket for a mock, and returns its address. */
  readonly listen: (core: Core) => Promise<string>
}

export interface ProgramProgress {
  readonly runs: number
  /** The number of runs that the search needs. */
  readonly planned: number
  /** Whether it needs exactly, at least or at most these. */
  readonly bound: Bound
  readonly failures: number
}

export interface JudgedProgramRun extends ProgramRun, ReturnType<typeof judgeRun> {}

/** The differences between the search over one program and the search over several. */
export interface SearchKind {
  readonly orders: 'first' | 'isolated'
  /** The effects of `only`. */
  readonly effectNames: readonly string[] | undefined
  /** Runs the programs without a fault. */
  readonly prepare: (runs: ProgramRuns) => Promise<Prepared<JudgedProgramRun>>
  /** Returns the text of the schedule of a run. `faults` are the planned ones, if no call got them. */
  readonly describe: (steps: readonly Step[], faults?: FaultSchedule) => string
  readonly onRun?: (run: JudgedProgramRun, faults: number, runs: ProgramRuns) => void
  /** Explains why a run counts as not tried if it took another path each time. */
  readonly explain: (difference: string, run: JudgedProgramRun, faults: FaultSchedule) => string
}

/**
 * Runs programs again and again.
 *
 * @throws ProgramError if the programs cannot be searched
 * @throws MockError `invalidOptions` for an unknown effect, and for a schedule that cannot be read
 */
export const searchPrograms = async (
  given: ProgramSearch,
  kind: SearchKind,
): Promise<SearchSummary & { readonly failed: readonly JudgedProgramRun[] }> => {
  using clock = startClock({ signal: given.signal, budget: null, maxRuns: given.maxRuns, onProgress: undefined })
  const runs = new ProgramRuns(given, kind, clock)
  const root = given.createCore({})
  const respond = holdCalls(root, runs.running, {
    onRootCall: (call) => (runs.rootCall ??= call),
    onLateCall: (call) => runs.omissions.addCaveat(describeLateCall(call), 'late calls'),
  })
  runs.address = await given.listen({ ...root, respond })
  const settings = {
    ...given,
    effects: runs.options.effects,
    mustSucceed: runs.options.mustSucceed,
    orders: kind.orders,
    switches: given.switches === 'all' ? Infinity : (given.switches ?? undefined),
    maxFailures: Infinity,
  }
  try {
    const { failures, endedBy } = await runSearch(settings, clock, runs, () => kind.prepare(runs))
    for (const caveat of runs.services.list()) runs.omissions.addCaveat(caveat)
    const [state] = runs.states
    const secondLinks = state === undefined ? [] : listSecondLinks(root.getRecords(), state)
    if (secondLinks.length > 0)
      given.onRemark(
        `Without a fault, ${listTexts(secondLinks)} that are not canceled. If that is wrong, --check can see it.`,
      )
    return { ...clock.progress, ...runs.omissions.getClaim(endedBy as SearchSummary['endedBy']), failed: failures }
  } finally {
    root.stop()
  }
}

/** Returns the options of runs. With `effectNames`, only these effects are known: no fault has the name of a group. */
const readOptions = (given: ProgramSearch, effectNames: readonly string[] | undefined): ProgramParts => {
  if (effectNames !== undefined) return { ...given, effects: getNamedEffects('--only', effectNames, namedEffects) }
  const effects = getNamedEffects('--effects', given.effects)
  const tried = given.faults === 0 ? {} : effects
  return { ...given, effects, mustSucceed: selectEffects('--must-succeed', given.mustSucceed, tried) }
}

export class ProgramRuns implements Runner<JudgedProgramRun> {
  readonly maxTries = 3
  readonly options: ProgramParts
  readonly omissions = new Omissions()
  readonly services = createServiceCaveats()
  address = ''
  /** The runs in progress, by the name of their sandbox. */
  readonly running = new Map<string, RunInSandbox>()
  /** The records at the end of the runs without a fault in which all programs exit with 0. */
  readonly states: RecordsByProject[] = []
  /** The first request that was for no run. */
  rootCall: string | undefined
  readonly #given: ProgramSearch
  readonly #kind: SearchKind
  readonly #clock: SearchClock
  readonly #peaks = new Map<string, number>()
  /** The programs that send calls at the same time. */
  readonly #concurrent = new Set<string>()
  #started = 0
  readonly #failures = new Set<string>()
  #isPlanned = false

  constructor(given: ProgramSearch, kind: SearchKind, clock: SearchClock) {
    this.#given = given
    this.#kind = kind
    this.#clock = clock
    this.options = readOptions(given, kind.effectNames)
  }

  /** Runs the programs one after the other, without a fault. Its records are what other runs are compared with. */
  async runBaseline(order: readonly string[] = [...this.options.programs.keys()]): Promise<ProgramRun> {
    const finishedRun = await this.runOnce(passAll, { order })
    if (finishedRun.notTried !== undefined) this.omissions.addNotTried('', finishedRun.notTried)
    if (finishedRun.ends.every(({ exitCode }) => exitCode === 0)) this.states.push(finishedRun.projects)
    this.#report(1, 'least')
    return finishedRun
  }

  /** Repeats the first run. Each call waits for calls of other threads. If that changes the run, repeats it without the wait. */
  async probe(first: ProgramRun): Promise<JudgedProgramRun> {
    const order = [...this.options.programs.keys()]
    const probed = await this.runOnce(passAll, { order, holds: planHolds(first, this.options.timeout) })
    if (isSameRun(first, probed)) return this.#judge(probed)
    this.omissions.addCaveat(describeOwnTimeout(first))
    return this.#judge(await this.runOnce(passAll, { order }))
  }

  /** Runs the programs to learn their calls. */
  async runOnce(decide: Decide, given: Pick<RunOptions, 'order' | 'holds'> = {}): Promise<ProgramRun> {
    const clock = this.#clock
    clock.requireLimits()
    clock.countTry()
    const finishedRun = await this.#start(decide, { ...given, isShown: false, getExpected: () => undefined })
    clock.countRun(finishedRun.steps.length)
    return finishedRun
  }

  async run(decide: Decide, getExpected: GetExpected): Promise<JudgedProgramRun> {
    const isShown = this.#given.only !== undefined
    return this.#judge(await this.#start(decide, { isShown, getExpected }))
  }

  #judge(finishedRun: ProgramRun): JudgedProgramRun {
    const baseline = { states: this.states, peaks: this.#peaks }
    return { ...finishedRun, ...judgeRun(finishedRun, baseline, this.options) }
  }

  readonly isConcurrent = (actor: string): boolean => this.#concurrent.has(actor)

  onRun(run: JudgedProgramRun, faults: number, isRepeated: boolean): void {
    const kind = this.#kind
    this.#clock.countRun(run.steps.length)
    if (!run.isComplete) return
    kind.onRun?.(run, faults, this)
    if (this.options.services.size > 0) this.services.note(run, kind.describe(run.steps))
    const isCutOff = run.hasTooManyCalls || run.ends.some(({ isTimedOut }) => isTimedOut)
    const notTried = run.notTried ?? (isCutOff ? 'a limit ended the run' : undefined)
    if (notTried !== undefined && !isRepeated) this.omissions.addNotTried(kind.describe(run.steps), notTried)
    if (run.error === null || countFaults(run.steps) < faults) return
    // The report shows failures with the same error once, in `explore` if they are at the same calls.
    const calls = run.steps.flatMap(({ id, fault }) => (fault && kind.orders === 'first' ? [id] : []))
    this.#failures.add(JSON.stringify([run.error, calls]))
  }

  onPlan(faults: number, left: number, bound: Bound): void {
    // The number of calls of one program is known after its second run.
    if (!this.#isPlanned && (this.#kind.orders === 'isolated' || faults > 0)) {
      this.#isPlanned = true
      this.#given.onPlan({ planned: this.#clock.progress.runs + left, bound })
    }
    this.#report(left, bound)
  }

  onDifference(difference: string, run: JudgedProgramRun, faults: FaultSchedule): void {
    this.omissions.addNotTried(this.#kind.describe(run.steps, faults), this.#kind.explain(difference, run, faults))
  }

  onMoreSwitches(): void {
    const switches = Number(this.#given.switches)
    this.omissions.addCaveat(
      `${mayShare}: orders with more than ${switches} ${switches === 1 ? 'switch' : 'switches'} were ` +
        'tried only where their calls affect each other at the mock. --isolated says that they share nothing, ' +
        `--switches ${switches + 1} tries more.`,
    )
  }

  onFewerOrders(): void {
    this.omissions.addCaveat(
      `${mayShare}: effects were tried only in orders that differ at the mock. --isolated says that they share nothing.`,
    )
  }

  /** Reports the progress. `left` is the number of runs that follow, as far as they are known. */
  #report(left: number, bound: Bound): void {
    const { maxRuns, onProgress } = this.#given
    const { runs } = this.#clock.progress
    onProgress({ runs, planned: Math.min(runs + left, maxRuns), bound, failures: this.#failures.size })
  }

  /** Starts the programs. Throws `Ended` if the signal ended them. */
  async #start(
    decide: Decide,
    startOptions: Pick<RunOptions, 'order' | 'holds' | 'isShown' | 'getExpected'>,
  ): Promise<ProgramRun> {
    const { options, address } = this
    const isOrdered = this.#kind.orders === 'isolated'
    const runOptions = {
      run: ++this.#started,
      address,
      isOrdered,
      runs: this.running,
      peaks: this.#peaks,
      concurrent: this.#concurrent,
      omissions: this.omissions,
    }
    const finishedRun = await runPrograms({ ...options, ...startOptions, ...runOptions }, decide)
    for (const name of this.#concurrent) this.omissions.addCaveat(describeConcurrency(name), describeOrder(name))
    if (this.rootCall === undefined) return finishedRun
    throw new ProgramError(
      `The program calls the root of the mock, ${this.rootCall}, instead of its sandbox ${address}/@run-1. It must append its ` +
        `paths to ${options.variables[0]}: a URL that is resolved against it loses the path of the sandbox.`,
    )
  }
}

const mayShare = 'The programs may share a database or a file'

/** Lets each call pass as it comes. */
const passAll: Decide = ([choice]) => choice && { choice }

const describeLateCall = (call: string): string =>
  `A process sent a call after its run had ended (${call}). It left the process group of its program: let the program end it.`
