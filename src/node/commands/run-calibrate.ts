import { setTimeout as sleep } from 'node:timers/promises'
import { calibrate as run, findDrift, type CalibrationReport } from '../../extensions/calibrate/calibrate.ts'
import { notProbeable, planProbes, type ProbeKey } from '../../extensions/calibrate/probes.ts'
import { type Args, UsageError } from '../args.ts'
import { toPrintable } from '../../schema/text.ts'
import { clearLine, type CommandConsole, formatJson } from '../terminal.ts'
import {
  checkOutFile,
  isProbeable,
  readKeys,
  readBehaviors,
  readService,
  writeBehaviors,
} from './calibrate-settings.ts'
import { formatAnnouncement, formatDrift, formatEnd, formatPlan, formatFindings } from './calibrate-text.ts'

/** `calibrate`: probes the behaviors of a real service. Returns the exit code. */
export const runCalibrate = async (args: Args, console: CommandConsole): Promise<number> => {
  const keys = readKeys(args)
  const out = args.values.out?.at(-1)
  // Before anything is sent: a run has lasting effects, so its result must not get lost.
  if (out !== undefined) await checkOutFile(out)
  const result = await confirmAndRun(args, console, keys)
  if (typeof result === 'number') return result
  const { report, service } = result
  console.out(args.values.json === undefined ? formatFindings(report) : formatJson(report))
  if (out !== undefined) await writeBehaviors(out, report.behaviors, service)
  return printLeftBehind(console, report) ? 1 : 0
}

/** `drift`: probes the behaviors of a file again. The exit code is 1 if one has changed. */
export const runDrift = async (args: Args, console: CommandConsole): Promise<number> => {
  const file = args.values.behaviors?.at(-1)
  if (file === undefined) throw new UsageError('drift needs the expected behaviors: --behaviors FILE.')
  const known = await readBehaviors(file)
  const keys = readKeys(args).filter((key) => known[key] !== undefined)
  const result = await confirmAndRun(args, console, keys)
  if (typeof result === 'number') return result
  const { report } = result
  const changes = findDrift(known, report)
  const notProbed = Object.keys(known).filter((key) => !isProbeable(key))
  console.out(
    args.values.json === undefined ? formatDrift(changes, report, notProbed) : formatJson({ changes, ...report }),
  )
  return printLeftBehind(console, report) || changes.length > 0 ? 1 : 0
}

/** Returns the report, or the exit code of a run that was dry, declined, or ended early. */
const confirmAndRun = async (args: Args, console: CommandConsole, keys: readonly ProbeKey[]) => {
  const plan = planProbes(keys)
  if (args.values['dry-run'] !== undefined) {
    // Invalid flags throw, although a dry run does not use them.
    readService(args, [])
    console.out(args.values.json === undefined ? formatPlan(plan) : formatJson({ ...plan, notProbeable }))
    return 0
  }
  const service = readService(args, [
    'base-url',
    'project',
    'token',
    ...(plan.needsInvoice ? ['invoice' as const] : []),
  ])
  const signal = console.onInterrupt?.()
  if (!(await confirmRun(args, console, formatAnnouncement(plan, service), signal))) return signal?.aborted ? 130 : 1
  const report = await run({
    ...service,
    keys,
    fetch: (url, init) => fetch(url, init),
    wait: (milliseconds, signal) => {
      if (console.onTerminal) console.err(`${clearLine}waiting ${milliseconds / 1000} s`)
      return (console.wait ?? wait)(milliseconds, signal)
    },
    now: Date.now,
    random: Math.random,
    signal,
    onProgress: (key, index, of) => {
      if (console.onTerminal) console.err(`${clearLine}${index + 1}/${of} ${key}`)
    },
  })
  if (console.onTerminal) console.err(clearLine)
  if (report.ended === undefined) return { report, service }
  console.err(formatEnd(report, report.ended))
  printLeftBehind(console, report)
  return report.ended === 'interrupted' ? 130 : 1
}

// The caller checks for an interruption.
const wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, signal && { signal }).catch(() => {})

/** Describes the run, and asks whether to continue. */
const confirmRun = async (
  args: Args,
  console: CommandConsole,
  text: string,
  signal?: AbortSignal,
): Promise<boolean> => {
  if (args.values.yes === undefined && console.ask === undefined)
    throw new UsageError(
      `${args.command} writes to a live service. Allow it with --yes, or see the requests with --dry-run.`,
    )
  console.err(text)
  if (args.values.yes !== undefined) return true
  const answer = await console.ask?.('Continue? [y/N] ', signal)
  if (/^y(?:es)?$/i.test(answer?.trim() ?? '')) return true
  console.err('Nothing was sent.\n')
  return false
}

/** Prints the records that were not deleted or canceled. Returns true if there are any. */
const printLeftBehind = (console: CommandConsole, { leftBehind }: CalibrationReport): boolean => {
  for (const sentence of leftBehind) console.err(`${toPrintable(sentence)}\n`)
  return leftBehind.length > 0
}
