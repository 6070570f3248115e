#!/usr/bin/env node
import { main } from './main.ts'

// Whoever reads the ready line may hang up afterwards; that is no reason to fall over.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const outcome = await main(process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  onTerminal: process.stderr.isTTY,
})

if ('exitCode' in outcome) process.exitCode = outcome.exitCode
else {
  const { server } = outcome
  let stopping = false
  // As PID 1 there is no default action: without a handler a container would have to be killed.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) process.exit(0)
      stopping = true
      void server.close().then(() => process.exit(0))
    })
}
