import { access, constants, open, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod/mini'
import { notProbeable, type ProbeKey, probeKeys } from '../../extensions/calibrate/probes.ts'
import { BehaviorChoices } from '../../schema/behavior.ts'
import { Provider } from '../../schema/payment-link.ts'
import { isBaseUrl, withoutEndSlashes } from '../../schema/mock-options.ts'
import { parse } from '../../schema/problem.ts'
import { hidePassword } from '../../schema/url.ts'
import { address } from '../../schema/zod-helpers.ts'
import { ProjectId } from '../../schema/seed.ts'
import { Token } from '../../schema/token.ts'
import { type Args, CommandError, UsageError } from '../args.ts'
import type { FlagName } from '../flags.ts'
import { readSeed, rejectUnwritable } from '../seed-file.ts'
import { requireKey, readLast, readNames } from '../settings.ts'
import { formatJson } from '../terminal.ts'

const BaseUrl = z.pipe(
  address(
    isBaseUrl,
    "must be an http or https address such as 'https://api.example/v1', without a password or a query",
  ),
  withoutEndSlashes,
)

export type ServiceSettings = ReturnType<typeof readService>

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
export const readKeys = (args: Args): readonly ProbeKey[] =>
  readNames(args, 'only')?.map((name) => {
    const key = requireKey('--only', name)
    if (isProbeable(key)) return key
    throw new UsageError(`--only: '${key}' cannot be probed: it ${notProbeable[key]}.`)
  }) ?? probeKeys

export const isProbeable = (key: string): key is ProbeKey => probeKeys.some((probeKey) => probeKey === key)

/** Reads the behaviors of a seed file. Throws a `CommandError` if it has none. */
export const readBehaviors = async (file: string): Promise<BehaviorChoices> => {
  const { behaviors = {} } = await readSeed(file)
  const parsed = parse(BehaviorChoices, behaviors)
  if (parsed.ok && Object.keys(parsed.value).length > 0) return parsed.value
  throw new CommandError(`The seed ${hidePassword(file)} has no behaviors; paylink-mock calibrate --out writes them.`)
}

/** Writes a seed with the observed behaviors. */
export const writeBehaviors = async (
  file: string,
  behaviors: BehaviorChoices,
  { project, invoice }: ServiceSettings,
): Promise<void> => {
  // With either of these two a mock knows only the projects and invoices of its seed, and would reject all others.
  const { unknownProject, invoiceIds } = behaviors
  const needsProject = invoiceIds === 'seeded' || unknownProject === 'notFound'
  const document = invoiceIds === 'seeded' ? { invoices: [invoice] } : {}
  const seed = { behaviors, ...(needsProject && { projects: { [project]: document } }) }
  await writeFile(file, formatJson(seed)).catch(rejectUnwritable(file))
}

/** Throws if the file is not writable, or contains a seed with more than behaviors. Does not create it. */
export const checkOutFile = async (file: string): Promise<void> => {
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
