import type { BehaviorChoices } from '../schema/behavior.ts'
import type { Shown } from './exchange.ts'
import { createMask, isSecret, type Mask } from './mask.ts'
import type { Oddity } from './oddities.ts'
import type { Probe } from './probe.ts'
import { askedKeys, probes, type SeenKey, seenKeys, unseen } from './probes.ts'
import { createScene, type Scene, type SceneOptions } from './scene.ts'
import { CalibrationError, CouldNotTell, Interrupted, untold, type Verdict } from './verdict.ts'

/** What is known of one behavior, and the exchanges that show it. */
export type Finding = { readonly key: SeenKey; readonly exchanges: readonly Shown[] } & (
  | { readonly outcome: 'observed'; readonly value: string | number | boolean }
  | { readonly outcome: 'unknown'; readonly what: string }
  | { readonly outcome: 'untold'; readonly why: string }
)

export interface CalibrateOptions extends SceneOptions {
  /** The behaviors to look for. @default all that can be seen */
  readonly keys?: readonly SeenKey[] | undefined
  /** Told of each behavior before it is looked for. */
  readonly onProgress?: ((key: SeenKey, index: number, of: number) => void) | undefined
}

/** What a run has found out, and what it has left. */
export interface Report {
  /** The values that were observed: what a seed takes. */
  readonly behaviors: BehaviorChoices
  /** In the order of the registry. */
  readonly findings: readonly Finding[]
  /** What else fits nothing that the mock knows. */
  readonly oddities: readonly Oddity[]
  /** The behaviors that cannot be seen this way, and why. */
  readonly unseen: Readonly<Record<string, string>>
  /** The payment links that were made and are canceled, since none can be removed. */
  readonly canceled: readonly string[]
  /** A sentence for each thing that could not be undone. */
  readonly leftBehind: readonly string[]
  /** Why the run ended early: a sentence, or that somebody asked for it. */
  readonly ended?: { readonly failure: string } | 'interrupted'
}

/** Asks the service for its behaviors, and undoes what that has made: also after a failure, and when it is interrupted. */
export const calibrate = async (options: CalibrateOptions): Promise<Report> => {
  const scene = createScene(options)
  const findings = new Map<SeenKey, Finding>()
  let ended: Report['ended']
  let leftBehind: readonly string[] = []
  try {
    await scene.greet()
    const keys = askedKeys.filter((key) => options.keys?.includes(key) ?? true)
    for (const [index, key] of keys.entries()) {
      options.onProgress?.(key, index, keys.length)
      findings.set(key, await found(scene, key))
    }
  } catch (error) {
    ended = endOf(error)
  } finally {
    leftBehind = await scene.cleanUp()
  }
  const inOrder = seenKeys.flatMap((key) => findings.get(key) ?? [])
  const report: Report = {
    behaviors: Object.fromEntries(inOrder.flatMap((one) => (one.outcome === 'observed' ? [[one.key, one.value]] : []))),
    findings: inOrder,
    oddities: scene.oddities(),
    unseen,
    canceled: scene.ledger.canceled(),
    leftBehind,
    ...(ended !== undefined && { ended }),
  }
  return isSecret(options.token) ? maskedReport(report, createMask(options.token)) : report
}

/** A service may put the token anywhere: into an id, a time, the name of a field. */
const maskedReport = (report: Report, mask: Mask): Report =>
  JSON.parse(JSON.stringify(report), (_, value: unknown) => (typeof value === 'string' ? mask(value) : value)) as Report

const found = async (scene: Scene, key: SeenKey): Promise<Finding> => {
  const { ask } = probes[key] as unknown as Probe<SeenKey>
  const { seen, ...verdict }: Verdict<string | number | boolean> = await ask(scene).catch((error: unknown) => {
    if (error instanceof CouldNotTell) return untold(error.message, ...error.seen)
    throw error
  })
  return { key, ...verdict, exchanges: seen.map(({ shown }) => shown) }
}

const endOf = (error: unknown): Report['ended'] => {
  if (error instanceof Interrupted) return 'interrupted'
  if (error instanceof CalibrationError) return { failure: error.message }
  throw error
}
