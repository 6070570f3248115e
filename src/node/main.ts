import type { Server } from '../listen.ts'
import { Refusal } from '../schema/error.ts'
import { version } from '../version.ts'
import { type Args, readArgs, UsageError } from './args.ts'
import { helpText } from './flags.ts'
import { type Console, StartError } from './console.ts'
import { warningText } from './log.ts'

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
    if (error instanceof StartError || error instanceof Refusal) return failed(console, error.message, 1)
    throw error
  }
}

const run = async (args: Args, console: Console): Promise<Outcome> => {
  if (args.values.help !== undefined) return said(console, helpText(args.command))
  if (args.values.version !== undefined) return said(console, `${version}\n`)
  // Each command is loaded when it is asked for: none pays for another.
  if (args.command === 'start') return { server: await (await import('./start.ts')).start(args, console) }
  for (const message of args.warnings) console.err(`${warningText(message)}\n`)
  if (args.command === 'health') return { exitCode: await (await import('./health.ts')).health(args, console) }
  if (args.command === 'calibrate' || args.command === 'drift')
    return { exitCode: await (await import('./calibrate.ts'))[args.command](args, console) }
  if (args.command === 'init') return { exitCode: await (await import('./init.ts')).init(args, console) }
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
