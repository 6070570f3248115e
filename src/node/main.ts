import { version } from '../version.ts'
import { type Args, readArgs, UsageError } from './args.ts'
import { helpText } from './flags.ts'
import { SeedError } from './seed-file.ts'
import { type Console, start, startFailure } from './start.ts'
import type { Server } from './server.ts'

/** What is left when the command has run: an exit code, or a server that runs on. */
export type Outcome = { readonly exitCode: number } | { readonly server: Server }

/** Runs a command line: parse, then run. Mistakes are one sentence on stderr, with exit code 2 for usage and 1 else. */
export const main = async (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  console: Console,
): Promise<Outcome> => {
  try {
    return await run(readArgs(argv, env), console)
  } catch (error) {
    if (error instanceof UsageError) return failed(console, error.message, 2)
    if (error instanceof SeedError) return failed(console, error.message, 1)
    const sentence = startFailure(error)
    if (sentence === undefined) throw error
    return failed(console, sentence, 1)
  }
}

const run = async (args: Args, console: Console): Promise<Outcome> => {
  if (args.values.help !== undefined) return said(console, helpText())
  if (args.values.version !== undefined) return said(console, `${version}\n`)
  if (args.command === 'start') return { server: await start(args, console) }
  // The rare commands are loaded when they are asked for: a start does not pay for them.
  if (args.command === 'calibrate' || args.command === 'drift') {
    const commands = await import('./calibrate.ts')
    return { exitCode: await commands[args.command](args, console) }
  }
  const commands = await import('./commands.ts')
  return { exitCode: await commands[args.command](args, console) }
}

const said = (console: Console, text: string): Outcome => {
  console.out(text)
  return { exitCode: 0 }
}

const failed = (console: Console, sentence: string, exitCode: number): Outcome => {
  console.err(`${sentence}\n`)
  return { exitCode }
}
