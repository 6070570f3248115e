import { access, constants, open, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import {
  type BehaviorChange,
  calibrate,
  type CalibrationPlan,
  type CalibrationReport,
  findDrift,
  type Finding,
  formatMaxCount,
  notProbeable,
  planProbes,
  type ProbeKey,
  probeKeys,
} from '../../extensions/calibrate/calibrate.ts'
import type { BehaviorChoices } from '../../schema/behavior.ts'
import { isBaseUrl, withoutEndSlashes } from '../../schema/mock-options.ts'
import { Provider } from '../../schema/payment-link.ts'
import { ProjectId, Token } from '../../schema/seed.ts'
import { shorten, toPrintable } from '../../schema/text.ts'
import { hidePassword } from '../../schema/url.ts'
import { address } from '../../schema/zod-helpers.ts'
import { type Args, CommandError, UsageError } from '../args.ts'
import type { FlagName } from '../flags.ts'
import { readSeed, rejectSeed } from '../seed-file.ts'
import { readLast, readNames, requireKey } from '../settings.ts'
import { clearLine, type CommandConsole, formatJson } from '../terminal.ts'

/** `calibrate`: probes the behaviors of a real service. Returns the exit code. */
export const runCalibrate = async (args: Args, console: CommandConsole): Promise<number> => {
  const keys = readKeys(args)
  const out = args.values.out?.at(-1)
  // Before anything is sent: a run has lasting effects, so its result must not get lost.
  if (out !== undefined) await checkOutFile(out)
  return probeService(args, console, keys, async (report, service) => {
    console.out(args.values.json === undefined ? formatFindings(report) : formatJson(report))
    if (out !== undefined) await writeBehaviors(out, report.behaviors, service)
    return 0
  })
}

/** `drift`: probes the behaviors of a file again. The exit code is 1 if one has changed. */
export const runDrift = async (args: Args, console: CommandConsole): Promise<number> => {
  const file = args.values.behaviors?.at(-1)
  if (file === undefined) throw new UsageError('drift needs the expected behaviors: --behaviors FILE.')
  const known = await readBehaviors(file)
  const keys = readKeys(args).filter((key) => known[key] !== undefined)
  return probeService(args, console, keys, (report) => {
    const changes = findDrift(known, report)
    const notProbed = Object.keys(known).filter((key) => !isProbeable(key))
    const isJson = args.values.json !== undefined
    console.out(isJson ? formatJson({ changes, ...report }) : formatDrift(changes, report, notProbed))
    return changes.length > 0 ? 1 : 0
  })
}

/** Probes the service after a confirmation. Returns the exit code of `finish`, or that of a run that did not get there. */
const probeService = async (
  args: Args,
  console: CommandConsole,
  keys: readonly ProbeKey[],
  finish: (report: CalibrationReport, service: Service) => number | Promise<number>,
): Promise<number> => {
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
  const showProgress = (text: string) => {
    if (console.onTerminal) console.err(clearLine + text)
  }
  const report = await calibrate({
    ...service,
    keys,
    fetch: (url, init) => fetch(url, init),
    wait: (milliseconds, signal) => {
      showProgress(`waiting ${milliseconds / 1000} s`)
      return (console.wait ?? wait)(milliseconds, signal)
    },
    now: Date.now,
    random: Math.random,
    signal,
    onProgress: (key, index, of) => showProgress(`${index + 1}/${of} ${key}`),
  })
  showProgress('')
  const { ended, leftBehind } = report
  if (ended !== undefined) console.err(formatEnd(report, ended))
  const code = ended === undefined ? await finish(report, service) : ended === 'interrupted' ? 130 : 1
  for (const sentence of leftBehind) console.err(`${toPrintable(sentence)}\n`)
  return code === 0 && leftBehind.length > 0 ? 1 : code
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

type Service = ReturnType<typeof readService>

/** What a run shows of the service. */
type ShownService = Pick<Service, 'baseUrl' | 'project' | 'invoice'>

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
  await writeFile(file, formatJson(seed)).catch(rejectSeed(file, 'written'))
}

/** Throws if the file is not writable, or contains a seed with more than behaviors. Does not create it. */
const checkOutFile = async (file: string): Promise<void> => {
  const opened = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') rejectSeed(file, 'written')(error)
  })
  if (opened === undefined) return access(dirname(file), constants.W_OK).catch(rejectSeed(file, 'written'))
  await opened.close()
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.trim() === '') return
  const { behaviors: _, projects = {}, ...others } = await readSeed(file)
  const isOurs = Object.values(projects).every((project) => Object.keys(project).every((key) => key === 'invoices'))
  if (Object.keys(others).length === 0 && isOurs) return
  throw new UsageError(
    `--out would overwrite ${hidePassword(file)}, a seed with more than behaviors. Choose another file.`,
  )
}

/** The maximum length of a line about an exchange. `--json` shows more. */
const maxWidth = 150

const formatLines = (texts: readonly string[]): string => texts.map((text) => `${toPrintable(text)}\n`).join('')

const listConsequences = ({ users, paymentLinks, leaves }: CalibrationPlan): string[] => [
  ...(users > 0 ? [`${formatMaxCount(users, 'user')}: deleted at the end`] : []),
  ...(paymentLinks > 0
    ? [`${formatMaxCount(paymentLinks, 'payment link')}: canceled at the end. They cannot be deleted`]
    : []),
  ...leaves,
]

/** Describes a run before anything is sent. */
export const formatAnnouncement = (plan: CalibrationPlan, { baseUrl, project, invoice }: ShownService): string => {
  const all = listConsequences(plan)
  const madeUp = plan.probes.some(({ key }) => key === 'invoiceIds') ? ', and for made-up ones' : ''
  return formatLines([
    `This run probes ${plan.probes.length} behaviors of project '${project}' at ${baseUrl}.`,
    ...(plan.needsInvoice ? [`  Payment links are for invoice '${invoice}'${madeUp}.`] : []),
    ...(all.length === 0 ? ['nothing'] : all).map((text) => `  It creates ${text}.`),
  ])
}

/** Lists what each probe sends and leaves. */
export const formatPlan = (plan: CalibrationPlan): string =>
  formatLines([
    'Before all others',
    `  ${plan.first}`,
    '  leaves: nothing',
    ...plan.probes.flatMap(({ key, requests, leaves }) => [
      key,
      ...requests.map((request) => `  ${request}`),
      `  leaves: ${leaves}`,
    ]),
    'For all of these',
    ...plan.always.map((request) => `  ${request}`),
    '',
    'Total, since probes share records:',
    ...listConsequences(plan).map((text) => `  ${text}`),
    'Not probed:',
    ...Object.entries(notProbeable).map(([key, why]) => `  ${key} ${why}`),
    'Nothing was sent.',
  ])

/** Returns a text that lists the findings, each with its requests and responses. */
export const formatFindings = (report: CalibrationReport): string =>
  formatLines([
    ...report.findings.flatMap(formatFinding),
    ...Object.entries(report.notProbeable).map(formatInconclusive),
    ...formatClosing(report),
  ])

/** Lists changed and inconclusive behaviors. `notProbed` are known behaviors without a probe. */
export const formatDrift = (
  changes: readonly BehaviorChange[],
  report: CalibrationReport,
  notProbed: readonly string[],
): string => {
  const inconclusive = report.findings.filter(({ outcome }) => outcome === 'inconclusive')
  const same = report.findings.length - changes.length - inconclusive.length
  return formatLines([
    ...changes.flatMap(({ was, now }) => {
      const [first, ...exchanges] = formatFinding(now)
      return [`${first}, was ${was}`, ...exchanges]
    }),
    ...inconclusive.flatMap(formatFinding),
    ...notProbed.map((key) => formatInconclusive([key, report.notProbeable[key]])),
    ...formatClosing(report),
    `${changes.length} changed, ${same} unchanged, ${inconclusive.length + notProbed.length} inconclusive.`,
  ])
}

/** Says why a run ended early, and which records it canceled. */
export const formatEnd = (
  { canceled, leftBehind }: CalibrationReport,
  ended: NonNullable<CalibrationReport['ended']>,
): string => {
  const undone = leftBehind.length === 0 ? '; everything it created was undone' : ''
  return formatLines([ended === 'interrupted' ? `Interrupted${undone}.` : ended.failure, ...formatCanceled(canceled)])
}

const formatCanceled = (canceled: readonly string[]): string[] =>
  canceled.length > 0 ? [`Payment links created and canceled: ${canceled.join(', ')}`] : []

const formatFinding = (finding: Finding): string[] => [
  `${padKey(finding.key)} ${formatOutcome(finding)}`,
  ...finding.exchanges.map(formatShownExchange),
]

const formatOutcome = (finding: Finding): string => {
  if (finding.outcome === 'observed') return String(finding.value)
  return finding.outcome === 'unknown' ? `has an unknown value: ${finding.what}` : `inconclusive: ${finding.why}`
}

const formatInconclusive = ([key, why]: readonly [string, string | undefined]) => `${padKey(key)} inconclusive: ${why}`

const padKey = (key: string): string => key.padEnd(22)

const formatShownExchange = ({ method, path, body, status, response }: Finding['exchanges'][number]): string => {
  const sent = body === undefined ? '' : ` ${fit(JSON.stringify(body), 48)} ->`
  return fit(`  ${status} ${method} ${path}${sent} ${response}`.trimEnd(), maxWidth)
}

const fit = (text: string, width: number): string => (text.length > width ? shorten(text, width - 3) : text)

const formatClosing = ({ unexpectedFields, canceled }: CalibrationReport): string[] => [
  ...(unexpectedFields.length > 0 ? ['', 'Beyond the specification:'] : []),
  ...unexpectedFields.flatMap(({ what, seen }) => [`  ${what}`, `  ${formatShownExchange(seen)}`]),
  ...(canceled.length > 0 ? ['', ...formatCanceled(canceled)] : []),
]
