import type { BehaviorChoices, BehaviorKey, Behaviors } from '../../schema/behavior.ts'
import {
  CalibrationError,
  InconclusiveError,
  InterruptedError,
  type ShownExchange,
  createMask,
  isMaskable,
  type UnexpectedField,
} from './exchange.ts'
import { type ContextOptions, createProbeContext, type Probe, type ProbeContext } from './probe.ts'
import { sortByRunOrder, notProbeable, type ProbeKey, probeKeys, probes } from './probes.ts'

/** The result for one behavior, with the exchanges that show it. */
export type Finding = { readonly key: ProbeKey; readonly exchanges: readonly ShownExchange[] } & (
  | { readonly outcome: 'observed'; readonly value: Behaviors[BehaviorKey] }
  | { readonly outcome: 'unknown'; readonly what: string }
  | { readonly outcome: 'inconclusive'; readonly why: string }
)

interface CalibrateOptions extends ContextOptions {
  /** The behaviors to probe. @default all of `probeKeys` */
  readonly keys?: readonly ProbeKey[] | undefined
  /** Called before each probe. */
  readonly onProgress?: (key: ProbeKey, index: number, of: number) => void
}

/** The results of a run, and the records that it did not delete. */
export interface CalibrationReport {
  /** The observed values, as a seed contains them. */
  readonly behaviors: BehaviorChoices
  /** In the order of the registry. */
  readonly findings: readonly Finding[]
  /** Other differences from the specification. */
  readonly unexpectedFields: readonly UnexpectedField[]
  /** The behaviors that have no probe, and why. */
  readonly notProbeable: Readonly<Record<string, string>>
  /** The created payment links. They are canceled, since they cannot be deleted. */
  readonly canceled: readonly string[]
  /** A sentence for each record that was not deleted or canceled. */
  readonly leftBehind: readonly string[]
  /** Why the run ended early. */
  readonly ended?: { readonly failure: string } | 'interrupted'
}

/** Probes the behaviors of the service. Deletes or cancels the records it created, even after a failure or an interruption. */
export const calibrate = async (options: CalibrateOptions): Promise<CalibrationReport> => {
  const context = createProbeContext(options)
  const found = new Map<ProbeKey, Finding>()
  let ended: CalibrationReport['ended']
  let leftBehind: readonly string[] = []
  try {
    await context.checkAccess()
    const keys = sortByRunOrder(options.keys ?? probeKeys)
    for (const [index, key] of keys.entries()) {
      options.onProgress?.(key, index, keys.length)
      found.set(key, await runProbe(context, key))
    }
  } catch (error) {
    if (error instanceof InterruptedError) ended = 'interrupted'
    else if (error instanceof CalibrationError) ended = { failure: error.message }
    else throw error
  } finally {
    leftBehind = await context.cleanUp()
  }
  const findings = probeKeys.flatMap((key) => found.get(key) ?? [])
  const report: CalibrationReport = {
    behaviors: Object.fromEntries(
      findings.flatMap((one) => (one.outcome === 'observed' ? [[one.key, one.value]] : [])),
    ),
    findings,
    unexpectedFields: context.unexpectedFields(),
    notProbeable,
    canceled: context.created.listCanceled(),
    leftBehind,
    ...(ended !== undefined && { ended }),
  }
  return isMaskable(options.token) ? maskReport(report, options.token) : report
}

const runProbe = async (context: ProbeContext, key: ProbeKey): Promise<Finding> => {
  const probe: Probe = probes[key]
  try {
    const { exchanges, ...verdict } = await probe.run(context)
    return { key, ...verdict, exchanges: exchanges.map(({ shown }) => shown) }
  } catch (error) {
    if (!(error instanceof InconclusiveError)) throw error
    return { key, outcome: 'inconclusive', why: error.message, exchanges: error.exchanges.map(({ shown }) => shown) }
  }
}

/** A service may return the token anywhere: in an id, a time or a field name. */
const maskReport = (report: CalibrationReport, token: string): CalibrationReport => {
  const mask = createMask(token)
  return JSON.parse(JSON.stringify(report), (_, value: unknown) => (typeof value === 'string' ? mask(value) : value))
}

/** A behavior that differs from its earlier value. */
export interface BehaviorChange {
  readonly key: BehaviorKey
  readonly was: Behaviors[BehaviorKey]
  readonly now: Finding
}

/** Returns what differs from the known behaviors. An inconclusive finding is not a change. */
export const findDrift = (known: BehaviorChoices, { findings }: CalibrationReport): readonly BehaviorChange[] =>
  findings.flatMap((now) => {
    const was = known[now.key]
    if (was === undefined || now.outcome === 'inconclusive') return []
    return now.outcome === 'observed' && now.value === was ? [] : [{ key: now.key, was, now }]
  })
