// Runs a search on programs: starts the mock, makes the runs, and reports progress. `search.ts` decides which runs to make.
import type { Core } from '../../core/mock/extension.ts'
import type { RecordsByProject } from '../customers.ts'
import { listSecondLinks } from '../double-payments.ts'
import { getNamedEffects, selectEffects } from '../effects/effect-names.ts'
import type { Effects } from '../effects/effect.ts'
import { namedEffects } from '../effects/named-effects.ts'
import { countFaults, type FaultSchedule } from '../fault-schedules.ts'
import { type SearchClock, startClock } from '../search-clock.ts'
import { planHolds } from '../holds.ts'
import { Omissions } from '../omissions.ts'
import type { Bound, SearchStart, Runner } from '../strategies/strategy.ts'
import { runSearch } from '../search.ts'
import { type Decide, type GetExpected, type Step, takeFirst } from '../steps.ts'
import { createCallHandler } from './call-handler.ts'
import { nameProgram } from './describe-exit.ts'
import { ProgramError, type SharedOptions, type ProgramRun } from './program-types.ts'
import type { SearchSummary } from './program-report.ts'
import { judgeRun, listTexts } from './judge-run.ts'
import { isSameRun } from './require-searchable.ts'
import { longQuietTime } from './service.ts'
import { createServiceCaveats } from './service-hints.ts'
import type { RunOptions, SharedState } from './run-in-sandbox.ts'
import { runPrograms } from './run-programs.ts'

export interface ProgramSearch extends Omit<SharedOptions, 'effects'> {
  /** @default the group `default` */
  readonly effects: readonly string[] | undefined
  readonly faults: number
  readonly only: readonly string[] | undefined
  /** The maximum number of parallel runs. */
  readonly jobs: number
  readonly maxRuns: number
  /** Called at most once, after the undisturbed runs, with an estimate of the total number of runs. */
  readonly onPlan: (plan: Pick<ProgramProgress, 'planned' | 'bound'>) => void
  readonly onRemark: (text: string) => void
  readonly onProgress: (progress: ProgramProgress) => void
  readonly formatCommand: (replay: string) => string
  readonly listen: (core: Core) => Promise<string>
}

export interface ProgramProgress {
  readonly runs: number
  /** The estimated total number of runs. `bound` says whether it is exact, a minimum or a maximum. */
  readonly planned: number
  readonly bound: Bound
  readonly failures: number
}

export interface JudgedProgramRun extends ProgramRun, ReturnType<typeof judgeRun> {}

/** The parts of a search that differ between `explore` and `interleave`. */
interface SearchKind {
  readonly orders: 'first' | 'isolated'
  /** The names of the effects in the schedules of `only`. Undefined without `only`. */
  readonly effectNames: readonly string[] | undefined
  /** Makes the undisturbed runs before the search. */
  readonly prepare: (runs: ProgramRuns) => Promise<SearchStart<JudgedProgramRun>>
  /** Returns the schedule of a run as text. Pass the planned `faults` if the run left its planned path. */
  readonly describe: (steps: readonly Step[], faults?: FaultSchedule) => string
  readonly onRun?: (run: JudgedProgramRun, faults: number, runs: ProgramRuns) => void
  /** Returns the reason to report in `notTried` for a planned run that left its planned path in every attempt. */
  readonly explain: (difference: string, run: JudgedProgramRun, faults: FaultSchedule) => string
}

/**
 * @throws ProgramError if the programs cannot be searched
 * @throws MockError `invalidOptions` for an unknown effect, or a schedule that names an unknown program
 */
export const searchPrograms = async (
  search: ProgramSearch,
  kind: SearchKind,
): Promise<SearchSummary & { readonly failed: readonly JudgedProgramRun[] }> => {
  using clock = startClock({ signal: search.signal, budget: null, maxRuns: search.maxRuns, onProgress: undefined })
  const runs = new ProgramRuns(search, kind, clock)
  const root = search.createCore({})
  const respond = createCallHandler(root, runs.shared, search.hasFixedAddress)
  runs.address = await search.listen({ ...root, respond })
  const settings = {
    ...runs.options,
    orders: kind.orders,
    switches: search.switches === 'all' ? Infinity : (search.switches ?? undefined),
    maxFailures: Infinity,
  }
  try {
    const { failures, endedBy } = await runSearch(settings, clock, runs, () => kind.prepare(runs))
    for (const caveat of runs.services.list()) runs.omissions.addCaveat(caveat)
    if (search.hasFixedAddress) runs.omissions.addCaveat(lateWorkCaveat)
    const [state] = runs.states
    const secondLinks = state === undefined ? [] : listSecondLinks(root.getRecords(), state)
    if (secondLinks.length > 0)
      search.onRemark(
        `Without a fault, ${listTexts(secondLinks)} that are not canceled. If that is wrong, --check can see it.`,
      )
    return { ...clock.progress, ...runs.omissions.getClaim(endedBy as SearchSummary['endedBy']), failed: failures }
  } finally {
    root.stop()
  }
}

/** Looks up the effects by name. `effectNames` comes from the schedules of `--only`, where groups such as `all` are invalid. */
const readOptions = (search: ProgramSearch, effectNames: readonly string[] | undefined) => {
  const readMustSucceed = (tried: Effects) => selectEffects('--must-succeed', search.mustSucceed, tried)
  if (effectNames !== undefined) {
    const effects = getNamedEffects('--only', effectNames, namedEffects)
    return { ...search, effects, mustSucceed: readMustSucceed(namedEffects) }
  }
  const effects = getNamedEffects('--effects', search.effects)
  return { ...search, effects, mustSucceed: readMustSucceed(search.faults === 0 ? {} : effects) }
}

export class ProgramRuns implements Runner<JudgedProgramRun> {
  readonly maxTries = 3
  readonly options: ReturnType<typeof readOptions>
  readonly omissions = new Omissions()
  readonly services = createServiceCaveats()
  address = ''
  readonly shared: SharedState = {
    running: new Map(),
    omissions: this.omissions,
    concurrent: new Set(),
    idleTimes: new Map(),
    peaks: new Map(),
    rootCalls: [],
  }
  /** The final records for each serial order in which all programs exited with 0. */
  readonly states: RecordsByProject[] = []
  readonly #kind: SearchKind
  readonly #clock: SearchClock
  #started = 0
  readonly #failures = new Set<string>()
  #isPlanned = false

  constructor(search: ProgramSearch, kind: SearchKind, clock: SearchClock) {
    this.#kind = kind
    this.#clock = clock
    this.options = readOptions(search, kind.effectNames)
  }

  /** Runs the programs one after another, with no faults. The search compares other runs with this run. */
  async runBaseline(order: readonly string[] = [...this.options.programs.keys()]): Promise<ProgramRun> {
    const finishedRun = await this.runOnce(takeFirst, { order })
    if (finishedRun.notTried !== undefined) this.omissions.addNotTried('', finishedRun.notTried)
    if (finishedRun.ends.every(({ exitCode }) => exitCode === 0)) this.states.push(finishedRun.projects)
    this.#report(1, 'least')
    return finishedRun
  }

  /** Repeats the first run, but holds calls so that other threads can call. If the runs differ, repeats it without holds. */
  async probe(first: ProgramRun): Promise<JudgedProgramRun> {
    const order = [...this.options.programs.keys()]
    const probed = await this.runOnce(takeFirst, {
      order,
      holds: planHolds(first.arrivals, this.options.timeout, minHold),
    })
    if (isSameRun(first, probed)) return this.#judge(probed)
    this.omissions.addCaveat(describeOwnTimeout(first))
    return this.#judge(await this.runOnce(takeFirst, { order }))
  }

  /** Makes a run that no strategy requested, such as an undisturbed run. */
  async runOnce(decide: Decide, startOptions: Pick<RunOptions, 'order' | 'holds'> = {}): Promise<ProgramRun> {
    const clock = this.#clock
    clock.throwIfLimitReached()
    clock.countTry()
    const finishedRun = await this.#start(decide, { ...startOptions, isShown: false, getExpected: () => undefined })
    clock.countRun(finishedRun.steps.length)
    return finishedRun
  }

  async run(decide: Decide, getExpected: GetExpected): Promise<JudgedProgramRun> {
    const isShown = this.options.only !== undefined
    return this.#judge(await this.#start(decide, { isShown, getExpected }))
  }

  #judge(finishedRun: ProgramRun): JudgedProgramRun {
    const baseline = { states: this.states, peaks: this.shared.peaks }
    return { ...finishedRun, ...judgeRun(finishedRun, baseline, this.options) }
  }

  readonly isConcurrent = (actor: string): boolean => this.shared.concurrent.has(actor)

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
    // Count failures as the report groups them: by error and, in `explore`, by the calls with a fault.
    const calls = run.steps.flatMap(({ id, fault }) => (fault && kind.orders === 'first' ? [id] : []))
    this.#failures.add(JSON.stringify([run.error, calls]))
  }

  onPlan(faults: number, left: number, bound: Bound): void {
    // In `explore`, the number of runs is unknown until the run with no faults shows which calls can get a fault.
    if (!this.#isPlanned && (this.#kind.orders === 'isolated' || faults > 0)) {
      this.#isPlanned = true
      this.options.onPlan({ planned: this.#clock.progress.runs + left, bound })
    }
    this.#report(left, bound)
  }

  onDifference(difference: string, run: JudgedProgramRun, faults: FaultSchedule): void {
    this.omissions.addNotTried(this.#kind.describe(run.steps, faults), this.#kind.explain(difference, run, faults))
  }

  onOrdersSkipped(): void {
    const switches = Number(this.options.switches)
    this.omissions.addCaveat(
      `${mayShare}: orders with more than ${switches} ${switches === 1 ? 'switch' : 'switches'} were ` +
        'tried only where their calls affect each other at the mock. --isolated says that they share nothing, ' +
        `--switches ${switches + 1} tries more.`,
    )
  }

  onFaultsSkipped(): void {
    this.omissions.addCaveat(
      `${mayShare}: effects were tried only in orders that differ at the mock. --isolated says that they share nothing.`,
    )
  }

  #report(left: number, bound: Bound): void {
    const { maxRuns, onProgress } = this.options
    const { runs } = this.#clock.progress
    onProgress({ runs, planned: Math.min(runs + left, maxRuns), bound, failures: this.#failures.size })
  }

  async #start(
    decide: Decide,
    startOptions: Pick<RunOptions, 'order' | 'holds' | 'isShown' | 'getExpected'>,
  ): Promise<ProgramRun> {
    const { options, address, shared } = this
    const isOrdered = this.#kind.orders === 'isolated'
    const runOptions = { ...options, ...shared, ...startOptions, run: ++this.#started, address, isOrdered }
    const finishedRun = await runPrograms(runOptions, decide)
    for (const name of shared.concurrent) this.omissions.addCaveat(describeConcurrency(name), getOrderSubject(name))
    const [rootCall] = shared.rootCalls
    if (rootCall === undefined) return finishedRun
    throw new ProgramError(
      `The program calls the root of the mock, ${rootCall}, instead of its sandbox ${address}/@run-1. It must append its ` +
        `paths to ${options.variables[0]}: a URL that is resolved against it loses the path of the sandbox.`,
    )
  }
}

const lateWorkCaveat =
  `The service is not stopped between runs, so a call that it sends more than ${longQuietTime} ms after a run counts for the next run. ` +
  '--service starts it for each run.'

const mayShare = 'The programs may share a database or a file'

/** The minimum time for which a probe holds a call, in milliseconds. A shorter hold could miss a thread that starts late. */
const minHold = 50

export const getOrderSubject = (program: string): string => `the order of ${program}`

const describeConcurrency = (program: string): string =>
  `${nameProgram(program)} sends calls at the same time. Their order is that of its timing, and others were not tried.`

const describeOwnTimeout = ({ ends }: ProgramRun): string =>
  `${ends.length === 1 ? 'The program' : 'A program'} acts differently if its calls take longer, as with a timeout of its own. ` +
  'So it is not known whether it sends calls at the same time.'
