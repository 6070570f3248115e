#!/usr/bin/env node
import type { Server } from '../core/mock/mock.ts'
import { main } from './run-command-line.ts'
import { readServerArgs } from '../command-line/terminal.ts'

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // A reader may close the pipe after the ready line. The mock keeps running.
  if (code === 'EPIPE') return
  process.stderr.write(`The output cannot be written: ${message}\n`)
  process.exitCode = 1
})
process.stderr.on('error', () => {})

// PID 1 has no default action: without a handler, a container would have to be killed.
// The handlers are added first, because a signal may arrive during the start.
let startsMock = false
let runningServer: Server | undefined
let isStopping = false
let interruption: AbortController | undefined
for (const [signal, exitCode] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)
  process.on(signal, () => {
    // An interruptible command cleans up and ends. A second signal ends it at once.
    if (interruption?.signal.aborted === false) return interruption.abort(signal)
    // Stopping a mock is no failure, but any other command has not finished its work.
    if (!startsMock) process.exit(exitCode)
    if (isStopping || runningServer === undefined) process.exit(0)
    isStopping = true
    void runningServer.close().then(() => process.exit(0))
  })

const outcome = await main(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  onTerminal: process.stderr.isTTY,
  readServerArgs,
  onStart: () => (startsMock = true),
  onInterrupt: () => (interruption = new AbortController()).signal,
})
if ('server' in outcome) runningServer = outcome.server
else process.exitCode ||= outcome.exitCode
