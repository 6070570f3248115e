import { setTimeout as sleep } from 'node:timers/promises'
import {
  calibrate as ask,
  type CalibrationPlan,
  driftOf,
  planOf,
  type Report,
  type SeenKey,
  unseen,
} from '../calibrate/index.ts'
import { type Args, UsageError } from './args.ts'
import { announcement, driftText, endText, planText, reportText } from './calibrate-text.ts'
import { type Connection, connectionOf, givenOf, isSeen, keysOf } from './calibrate-settings.ts'
import { printable } from './log.ts'
import { clearLine } from './progress-bar.ts'
import { readBehaviors, refusePlace, writeFragment } from './seed-fragment.ts'
import type { Console } from './console.ts'

/** `calibrate`: finds out which behaviors a real service has. Answers the exit code. */
export const calibrate = async (args: Args, console: Console): Promise<number> => {
  const keys = keysOf(args)
  const out = args.values.out?.at(-1)
  // Before anything is sent: what a run leaves behind should not be for nothing.
  if (out !== undefined) await refusePlace(out)
  if (args.values['dry-run'] !== undefined) return shownPlan(args, console, planOf(keys))
  const connection = connectionOf(args, planOf(keys))
  const report = await asked(args, console, connection, keys)
  if (typeof report === 'number') return report
  console.out(args.values.json === undefined ? reportText(report) : json(report))
  if (out !== undefined) await writeFragment(out, report.behaviors, connection)
  return said(console, report) ? 1 : 0
}

/** `drift`: asks again for the behaviors of a file. The exit code is 1 when one has changed. */
export const drift = async (args: Args, console: Console): Promise<number> => {
  const file = args.values.behaviors?.at(-1)
  if (file === undefined) throw new UsageError('drift needs the behaviors that are expected: --behaviors FILE.')
  const known = await readBehaviors(file)
  const keys = keysOf(args).filter((key) => known[key] !== undefined)
  if (args.values['dry-run'] !== undefined) return shownPlan(args, console, planOf(keys))
  const report = await asked(args, console, connectionOf(args, planOf(keys)), keys)
  if (typeof report === 'number') return report
  const changes = driftOf(known, report)
  const notSeen = Object.keys(known).filter((key) => !isSeen(key))
  console.out(args.values.json === undefined ? driftText(changes, report, notSeen) : json({ changes, ...report }))
  return said(console, report) || changes.length > 0 ? 1 : 0
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const shownPlan = (args: Args, console: Console, plan: CalibrationPlan): number => {
  // It needs no address, and still refuses a wrong one.
  givenOf(args)
  console.out(args.values.json === undefined ? planText(plan) : json({ ...plan, unseen }))
  return 0
}

/** The report; or the exit code of a run that somebody did not want, or that came to nothing. */
const asked = async (
  args: Args,
  console: Console,
  connection: Connection,
  keys: readonly SeenKey[],
): Promise<Report | number> => {
  const signal = console.interruptible?.()
  if (!(await agreed(args, console, announcement(planOf(keys), connection), signal))) return signal?.aborted ? 130 : 1
  const report = await ask({
    ...connection,
    keys,
    fetch: (url, init) => fetch(url, init),
    // Cut short by an interruption, which the caller looks for.
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, signal && { signal }).catch(() => {}),
    now: Date.now,
    random: Math.random,
    signal,
    onProgress: progressOn(console),
  })
  if (console.onTerminal) console.err(clearLine)
  if (report.ended === undefined) return report
  console.err(endText(report, report.ended))
  said(console, report)
  return report.ended === 'interrupted' ? 130 : 1
}

/** Says what is going to happen, and asks whether it may. */
const agreed = async (args: Args, console: Console, text: string, signal?: AbortSignal): Promise<boolean> => {
  if (args.values.yes === undefined && console.ask === undefined)
    throw new UsageError(
      `${args.command} writes to a live service: let it with --yes, or see what it would send with --dry-run.`,
    )
  console.err(text)
  if (args.values.yes !== undefined) return true
  const answer = await console.ask?.('Go on? [y/N] ', signal)
  if (/^y(?:es)?$/i.test(answer?.trim() ?? '')) return true
  console.err('Nothing was sent.\n')
  return false
}

const progressOn = (console: Console) => (key: SeenKey, index: number, of: number) => {
  if (console.onTerminal) console.err(`${clearLine}${index + 1}/${of} ${key}`)
}

/** Whether something is left behind, which is then said. */
const said = (console: Console, { leftBehind }: Report): boolean => {
  for (const sentence of leftBehind) console.err(`${printable(sentence)}\n`)
  return leftBehind.length > 0
}
