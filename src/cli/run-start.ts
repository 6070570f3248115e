import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { type Core, createCore } from '../core/mock/core.ts'
import type { Server } from '../core/mock/mock.ts'
import { dashboard } from '../dashboard/dashboard-pages.ts'
import type { LogEvent } from '../core/schema/mock-options.ts'
import { formatCounts } from '../core/schema/problem.ts'
import { toPrintable } from '../core/schema/text.ts'
import { createStory, describeTokenVariables, pickStoryLink, storyQuery } from '../core/openapi/curl.ts'
import { type Args, UsageError } from '../command-line/args.ts'
import { type CommandConsole, createLog, formatJsonLine } from '../command-line/terminal.ts'
import { getSeedPath, readSeed, readGivenSeed } from '../command-line/files.ts'
import { isLoopback, listAddresses, loopback } from '../node/listen-address.ts'
import { startServer } from '../node/server.ts'
import { type LogFormat, readSettings } from '../command-line/flag-values.ts'

/** Starts the mock. Prints one line to stdout when the seed is loaded and the port is open. */
export const runStart = async (args: Args, console: CommandConsole): Promise<Server> => {
  const settings = readSettings(args, console.onTerminal)
  const { mock, listen, log: format } = settings
  const file = getSeedPath(settings.seed)
  if (settings.watch && file !== settings.seed)
    throw new UsageError('--watch needs a seed file: paylink-mock --seed seed.json --watch.')
  const seed = await readGivenSeed(args, file)
  const log = format === 'silent' ? undefined : createLog(format, (line) => console.err(`${line}\n`))
  for (const message of args.warnings) log?.({ event: 'warning', message })
  const core = createCore({ ...mock, log }, { seed, seedName: basename(file), dashboard })
  const { host = loopback } = listen
  const server = await startServer(core, listen, { portOption: '--port', idleTime: 250, overrideGlobalObjects: true })
  core.setAddress(server.url)
  const unwatch = settings.watch ? watchFile(file, createReload(core, file, log)) : undefined
  if (listen.adminToken === 'none' && !isLoopback(host)) log?.({ event: 'warning', message: openControlApi })
  const addresses = listAddresses(host, server.port)
  const steps = format === 'silent' ? undefined : await createNextSteps(core, server, addresses, mock.basePath)
  // No `await` after this line: the reader of the ready line may stop the mock at once.
  console.out(`paylink-mock ready on ${server.url}\n`)
  if (server.adminToken !== undefined && listen.adminToken === undefined)
    console.err(formatToken(server.adminToken, format))
  if (steps !== undefined)
    console.err(format === 'json' ? `${formatJsonLine({ event: 'ready', ...steps.fields })}\n` : steps.text)
  const close = () => {
    log?.({ event: 'stopping' })
    unwatch?.()
    return server.close()
  }
  return { ...server, close }
}

const openControlApi =
  'The control API is open to everyone who can reach this machine, because the admin token is none.'

/** Reloads the seed after a change. An invalid file is logged, and the old state stays. */
const createReload = (core: Core, file: string, log: (event: LogEvent) => void = () => {}) => {
  let changes = 0
  return async (): Promise<void> => {
    const change = ++changes
    try {
      const seed = await readSeed(file)
      // The file has changed again in the meantime.
      if (change !== changes) return
      core.restart(seed)
      log({ event: 'seedReloaded', file })
    } catch (error) {
      if (change === changes) log({ event: 'seedRefused', file, message: (error as Error).message })
    }
  }
}

const pollInterval = 100

/**
 * Calls back after the file has changed and did not change again until the next poll: editors write in several steps.
 * Returns a function that stops it. It polls because file system events cover neither symbolic links nor all volumes.
 */
export const watchFile = (path: string, onChange: () => unknown): (() => void) => {
  let known = getStamp(path)
  let last = known
  const poll = () => {
    const stamp = getStamp(path)
    const isStable = stamp === last
    last = stamp
    if (!isStable || stamp === known) return
    known = stamp
    onChange()
  }
  const timer = setInterval(poll, pollInterval)
  return () => clearInterval(timer)
}

/** Returns a text that identifies the content of the file; empty if it cannot be accessed. */
const getStamp = (path: string): string => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch {
    return ''
  }
}

const createNextSteps = async (core: Core, server: Server, addresses: readonly string[], basePath = '') => {
  const projects = await core.control.projects()
  const lines = await formatStory(core, server, basePath, projects[0]?.id)
  const variables = describeTokenVariables(lines)
  const names = projects.slice(0, 10).map((project) => `${project.id} (${formatCounts(project)})`)
  if (projects.length > 10) names.push(`and ${projects.length - 10} more`)
  const heading = variables === undefined ? 'Try:' : `Try (set ${variables} first):`
  const text = [
    '',
    ...(addresses.length === 1 ? [] : [`Addresses: ${addresses.join(' ')}`]),
    `Projects: ${toPrintable(names.join(', ')) || 'none yet; a project is created on first use'}`,
    ...(lines.length === 0 ? [] : [heading, ...lines.map((line) => `  ${line}`)]),
    `Dashboard: ${server.url}/__admin/   API description: ${server.url}/docs   Stop: Ctrl+C`,
    '',
    '',
  ].join('\n')
  return { text, fields: { url: server.url, addresses, projects: projects.map(({ id }) => id), try: lines } }
}

/** Empty if there is no project and a client must not create one. */
const formatStory = async (
  core: Core,
  { url, adminToken }: Server,
  basePath: string,
  firstProject: string | undefined,
): Promise<string[]> => {
  const project = firstProject ?? 'acme'
  if (firstProject === undefined && core.getBehaviors(project).unknownProject === 'notFound') return []
  const steps = createStory({
    clientUrl: url + basePath,
    mockUrl: url,
    project,
    paymentLink: pickStoryLink((await core.control.project(project).paymentLinks.list(storyQuery)).items)?.id,
    anyToken: (await core.control.tokens.get()).length === 0,
    needsAdminToken: adminToken !== undefined,
  })
  return steps.map(({ curl }) => curl.join(' '))
}

/** A random token is printed even with `--log silent`: there is no other way to learn it. */
const formatToken = (token: string, format: LogFormat): string => {
  const variable = 'PAYLINK_MOCK_ADMIN_TOKEN'
  if (format === 'json') return `${formatJsonLine({ event: 'adminToken', variable, token })}\n`
  return `Admin token for this run (set ${variable} to choose one): ${token}\n`
}
