import type { Server } from '../listen.ts'
import { type Core, createCore } from '../mock.ts'
import { Refusal } from '../schema/error.ts'
import type { LogEvent } from '../schema/options.ts'
import type { Args } from './args.ts'
import { bindText } from './bind-text.ts'
import { type Console, StartError } from './console.ts'
import { createLog, jsonLine, type LogFormat } from './log.ts'
import { nextSteps } from './next-steps.ts'
import { createProgressBar, createStatusLine, type ProgressBar } from './progress-bar.ts'
import { demoSeed, readSeed } from './seed-file.ts'
import { startServer } from './server.ts'
import { settingsOf } from './settings.ts'
import { watchFile } from './watch.ts'

/** How long a kept connection may be without a request once the mock stops, in milliseconds: its client may be slow. */
const idleTime = 250

/** Starts the mock, and says so in one line on stdout once the seed is loaded and the port answers. */
export const start = async (args: Args, console: Console): Promise<Server> => {
  const { mock, listen, seed: file = demoSeed, watch, log: format } = settingsOf(args, console.onTerminal)
  const line = createStatusLine(console.onTerminal ? console.err : undefined)
  const seed = await readSeed(file, line.say).finally(line.end)
  const log = format === 'silent' ? undefined : createLog(format, (line) => console.err(`${line}\n`))
  for (const message of args.warnings) log?.({ event: 'warning', message })
  let bar: ProgressBar | undefined
  const onWork = (work: number) => {
    bar = createProgressBar('Making rows', work, console.onTerminal ? console.err : undefined)
    return bar?.add
  }
  const core = createCore({ ...mock, log }, seed, onWork)
  bar?.end()
  const server = await startServer(core, listen, idleTime).catch((error: unknown) => {
    throw error instanceof Refusal ? error : new StartError(bindText(error as Error, listen, '--port'))
  })
  core.listensAt(server.url)
  const unwatch = watch ? watchFile(file, createReload(core, file, log)) : undefined
  const steps = await nextSteps(core, server, { ...mock, seed })
  // From here on nothing is waited for: whoever reads the ready line may stop the mock at once.
  console.out(`paylink-mock ready on ${server.url}\n`)
  if (server.adminToken !== undefined && listen.adminToken === undefined)
    console.err(tokenText(server.adminToken, format))
  if (format === 'pretty') console.err(steps.text)
  else if (format === 'json') console.err(`${jsonLine({ event: 'ready', ...steps.fields })}\n`)
  const close = () => {
    log?.({ event: 'stopping' })
    unwatch?.()
    return server.close()
  }
  return { ...server, close }
}

/** Reloads the seed at each change. A broken edit is reported, and the old state stays. */
const createReload = (core: Core, file: string, log: (event: LogEvent) => void = () => {}) => {
  let changes = 0
  return async (): Promise<void> => {
    const change = ++changes
    try {
      const seed = await readSeed(file)
      // The file has changed again while it was read: what was read is out of date.
      if (change !== changes) return
      core.restart(seed)
      log({ event: 'seedReloaded', file })
    } catch (error) {
      if (change === changes) log({ event: 'seedRefused', file, message: (error as Error).message })
    }
  }
}

/** A token that was made up is said once, at every log level: there is no other way to learn it. */
const tokenText = (token: string, format: LogFormat): string => {
  const variable = 'PAYLINK_MOCK_ADMIN_TOKEN'
  if (format === 'json') return `${jsonLine({ event: 'adminToken', variable, token })}\n`
  return `Admin token for this run (set ${variable} to choose one): ${token}\n`
}
