import { statSync } from 'node:fs'
import type { Server } from '../../listen.ts'
import { type Core, createCore } from '../../mock.ts'
import type { LogEvent } from '../../schema/options.ts'
import type { Args } from '../args.ts'
import { listenError } from '../listen-address.ts'
import { createLog, jsonLine } from '../log.ts'
import { fixturePath, readSeed } from '../seed-file.ts'
import { startServer } from '../server.ts'
import { settingsOf } from '../settings.ts'
import { type Console, createProgressBar, createStatusLine, type ProgressBar } from '../terminal.ts'
import { nextSteps, tokenText } from './start-text.ts'

/** How long a connection may be idle while the mock stops, in milliseconds: a client may be slow. */
const idleTime = 250

/** Starts the mock. Prints one line to stdout when the seed is loaded and the port is open. */
export const start = async (args: Args, console: Console): Promise<Server> => {
  const settings = settingsOf(args, console.onTerminal)
  const { mock, listen, seed: file = fixturePath('demo.json'), log: format } = settings
  const terminal = console.onTerminal ? console.err : undefined
  const status = createStatusLine(terminal)
  const seed = await readSeed(file, status.show).finally(status.end)
  const log = format === 'silent' ? undefined : createLog(format, (line) => console.err(`${line}\n`))
  for (const message of args.warnings) log?.({ event: 'warning', message })
  let bar: ProgressBar
  const onWork = (work: number) => {
    bar = createProgressBar('Making rows', work, terminal)
    return bar?.add
  }
  const core = createCore({ ...mock, log }, { seed, onProgress: onWork })
  bar?.end()
  const server = await startServer(core, listen, idleTime).catch((error: unknown) => {
    throw listenError(error, listen, '--port')
  })
  core.listensAt(server.url)
  const unwatch = settings.watch ? watchFile(file, createReload(core, file, log)) : undefined
  const steps = await nextSteps(core, server, { ...mock, seed })
  // No `await` after this line: the reader of the ready line may stop the mock at once.
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
  let known = stampOf(path)
  let last = known
  const poll = () => {
    const stamp = stampOf(path)
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
const stampOf = (path: string): string => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch {
    return ''
  }
}
