import { access, constants, open, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import {
  calibrate as run,
  type CalibrationReport,
  findDrift,
  notProbeable,
  planProbes,
  type ProbeKey,
  probeKeys,
} from '../../extensions/calibrate/calibrate.ts'
import type { BehaviorChoices } from '../../schema/behavior.ts'
import { isBaseUrl, withoutEndSlashes } from '../../schema/mock-options.ts'
import { Provider } from '../../schema/payment-link.ts'
import { ProjectId, Token } from '../../schema/seed.ts'
import { toPrintable } from '../../schema/text.ts'
import { hidePassword } from '../../schema/url.ts'
import { address } from '../../schema/zod-helpers.ts'
import { type Args, CommandError, UsageError } from '../args.ts'
import type { FlagName } from '../flags.ts'
import { readSeed, rejectUnwritable } from '../seed-file.ts'
import { readLast, readNames, requireKey } from '../settings.ts'
import { clearLine, type CommandConsole, formatJson } from '../terminal.ts'
import {
  formatAnnouncement,
  formatDrift,
  formatEnd,
  formatFindings,
  formatPlan,
  type ShownService,
} from './calibrate-text.ts'

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

const BaseUrl = z.pipe(
  address(
    isBaseUrl,
    "must be an http or https address such as 'https://api.example/v1', without a password or a query",
  ),
  withoutEndSlashes,
)

/** Reads the flags about the service. Throws a `UsageError` for an invalid flag, and for a missing one of those it needs. */
export const readService = (args: Args, needed: readonly FlagName[]) => {
  const { token: tokens = [], invoice } = args.values
  if (tokens.length > 1) throw new UsageError(`${args.command} takes one --token (got ${tokens.length}).`)
  const service = {
    baseUrl: readLast(args, 'base-url', BaseUrl) ?? '',
    project: readLast(args, 'project', ProjectId) ?? '',
    token: readLast(args, 'token', Token.shape.token) ?? '',
    invoice: invoice?.at(-1) ?? '',
    provider: readLast(args, 'provider', Provider) ?? 'partner',
  }
  const missing = needed.find((flag) => args.values[flag] === undefined)
  if (missing !== undefined) throw new UsageError(`${args.command} needs --${missing}; see paylink-mock --help.`)
  return service
}

/** Returns the behaviors of `--only`, or all that can be probed. */
const readKeys = (args: Args): readonly ProbeKey[] =>
  readNames(args, 'only')?.map((name) => {
    const key = requireKey('--only', name)
    if (isProbeable(key)) return key
    throw new UsageError(`--only: '${key}' cannot be probed: it ${notProbeable[key]}.`)
  }) ?? probeKeys

const isProbeable = (key: string): key is ProbeKey => probeKeys.some((probeKey) => probeKey === key)

/** Reads the behaviors of a seed file. Throws a `CommandError` if it has none. */
const readBehaviors = async (file: string): Promise<BehaviorChoices> => {
  const { behaviors = {} } = await readSeed(file)
  if (Object.keys(behaviors).length > 0) return behaviors
  throw new CommandError(`The seed ${hidePassword(file)} has no behaviors; paylink-mock calibrate --out writes them.`)
}

/** Writes a seed with the observed behaviors. */
export const writeBehaviors = async (
  file: string,
  behaviors: BehaviorChoices,
  { project, invoice }: ShownService,
): Promise<void> => {
  // With either of these two a mock knows only the projects and invoices of its seed, and would reject all others.
  const { unknownProject, invoiceIds } = behaviors
  const needsProject = invoiceIds === 'seeded' || unknownProject === 'notFound'
  const document = invoiceIds === 'seeded' ? { invoices: [invoice] } : {}
  const seed = { behaviors, ...(needsProject && { projects: { [project]: document } }) }
  await writeFile(file, formatJson(seed)).catch(rejectUnwritable(file))
}

/** Throws if the file is not writable, or contains a seed with more than behaviors. Does not create it. */
const checkOutFile = async (file: string): Promise<void> => {
  await checkWritable(file)
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.trim() === '') return
  const { behaviors: _, projects = {}, ...rest } = await readSeed(file)
  const isOurs = Object.values(projects).every((project) => Object.keys(project).every((key) => key === 'invoices'))
  if (Object.keys(rest).length > 0 || !isOurs)
    throw new UsageError(
      `--out would overwrite ${hidePassword(file)}, a seed with more than behaviors. Choose another file.`,
    )
}

const checkWritable = async (file: string): Promise<void> => {
  const opened = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') rejectUnwritable(file)(error)
  })
  if (opened === undefined) await access(dirname(file), constants.W_OK).catch(rejectUnwritable(file))
  await opened?.close()
}
