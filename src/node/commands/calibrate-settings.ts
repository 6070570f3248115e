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
import { type Args, UsageError } from '../args.ts'
import type { FlagName } from '../flags.ts'
import { seedUnwritable, readSeed, SeedError } from '../seed-file.ts'
import { requireKey, readLast, readNames } from '../settings.ts'
import { formatJson } from '../terminal.ts'

const BaseUrl = z.pipe(
  address(
    isBaseUrl,
    "must be an http or https address such as 'https://api.example/v1', without a password or a query",
  ),
  withoutEndSlashes,
)

/** Reads the flags about the service. Throws a `UsageError` for an invalid one. */
export const readGivenService = (args: Args) => {
  const { token: tokens = [], invoice } = args.values
  if (tokens.length > 1) throw new UsageError(`${args.command} takes one --token (got ${tokens.length}).`)
  return {
    baseUrl: readLast(args, 'base-url', BaseUrl),
    project: readLast(args, 'project', ProjectId),
    token: readLast(args, 'token', Token.shape.token),
    invoice: invoice?.at(-1),
    provider: readLast(args, 'provider', Provider) ?? 'partner',
  }
}

export type ServiceSettings = ReturnType<typeof readService>

/** Reads the flags about the service. Throws a `UsageError` for an invalid or missing one. */
export const readService = (args: Args, needsInvoice: boolean) => {
  const { baseUrl, project, token, invoice, provider } = readGivenService(args)
  return {
    baseUrl: requireValue(args, 'base-url', baseUrl),
    project: requireValue(args, 'project', project),
    token: requireValue(args, 'token', token),
    invoice: needsInvoice ? requireValue(args, 'invoice', invoice) : '',
    provider,
  }
}

const requireValue = ({ command }: Args, flag: FlagName, value: string | undefined): string => {
  if (value !== undefined) return value
  throw new UsageError(`${command} needs --${flag}; see paylink-mock --help.`)
}

/** Returns the behaviors of `--only`, or all that can be probed. */
export const readKeys = (args: Args): readonly ProbeKey[] =>
  readNames(args, 'only')?.map((name) => {
    const key = requireKey('--only', name)
    if (isProbeable(key)) return key
    throw new UsageError(`--only: '${key}' cannot be probed: it ${notProbeable[key]}.`)
  }) ?? probeKeys

export const isProbeable = (key: string): key is ProbeKey => probeKeys.some((probeKey) => probeKey === key)

/** Reads the behaviors of a seed file. Throws a `SeedError` if it has none. */
export const readBehaviors = async (file: string): Promise<BehaviorChoices> => {
  const { behaviors = {} } = await readSeed(file)
  const parsed = parse(BehaviorChoices, behaviors)
  if (parsed.ok && Object.keys(parsed.value).length > 0) return parsed.value
  throw new SeedError(`The seed ${hidePassword(file)} has no behaviors; paylink-mock calibrate --out writes them.`)
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
  await writeFile(file, formatJson(seed)).catch((error: unknown) => {
    throw seedUnwritable(file, error)
  })
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
  try {
    await (await open(file, 'r+')).close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw seedUnwritable(file, error)
    await access(dirname(file), constants.W_OK).catch((reason: unknown) => {
      throw seedUnwritable(file, reason)
    })
  }
}
