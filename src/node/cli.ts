#!/usr/bin/env node
import type { Server } from '../listen.ts'
import { main } from './main.ts'

// Whoever reads the ready line may hang up afterwards; that is no reason to fall over.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

// As PID 1 there is no default action: without a handler a container would have to be killed.
// They are in place before anything is read, because a stop may come before the start is through.
let server: Server | undefined
let stopping = false
let interruption: AbortController | undefined
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    // A command that cleans up after itself ends by itself; who cannot wait sends a second signal.
    if (interruption?.signal.aborted === false) return interruption.abort()
    if (interruption !== undefined) process.exit(130)
    if (stopping || server === undefined) process.exit(0)
    stopping = true
    void server.close().then(() => process.exit(0))
  })

const outcome = await main(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  onTerminal: process.stderr.isTTY,
  ask:
    process.stdin.isTTY && process.stderr.isTTY
      ? async (question, signal) => (await import('./ask.ts')).askPerson(question, signal)
      : undefined,
  interruptible: () => (interruption = new AbortController()).signal,
})
if ('server' in outcome) server = outcome.server
else process.exitCode = outcome.exitCode
