import type { Server } from '../core/mock/mock.ts'
import { MockError } from '../core/schema/error.ts'
import { toPrintable } from '../core/schema/text.ts'
import { version } from '../core/schema/version.ts'
import { type Args, CommandError, readArgs, UsageError } from '../command-line/args.ts'
import { type CommandName, formatHelp } from '../command-line/flags.ts'
import { type CommandConsole, formatWarning } from '../command-line/terminal.ts'

export type CommandResult = { readonly exitCode: number } | { readonly server: Server }

/** Runs a command line. Prints an expected error as one sentence to stderr, with exit code 2 for usage, else 1. */
export const main = async (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  console: CommandConsole,
): Promise<CommandResult> => {
  try {
    return await run(readArgs(argv, env), console)
  } catch (error) {
    const isExpected = error instanceof UsageError || error instanceof CommandError || error instanceof MockError
    if (!isExpected) throw error
    const lines = error instanceof CommandError ? error.lines : [error.message]
    console.err(lines.map((line) => `${toPrintable(line)}\n`).join(''))
    return { exitCode: error instanceof UsageError ? 2 : 1 }
  }
}

type CommandFunction = (args: Args, console: CommandConsole) => number | Promise<number>

// Each command is loaded on demand, so that none slows down another.
const commandLoaders: Readonly<Record<Exclude<CommandName, 'start'>, () => Promise<CommandFunction>>> = {
  init: async () => (await import('./short-commands.ts')).runInit,
  validate: async () => (await import('./short-commands.ts')).runValidate,
  health: async () => (await import('./short-commands.ts')).runHealth,
  coverage: async () => (await import('./run-coverage.ts')).runCoverage,
  openapi: async () => (await import('./short-commands.ts')).runOpenApi,
  compare: async () => (await import('../compare/compare-command.ts')).runCompare,
  explore: async () => (await import('../explore/programs/search-commands.ts')).runExplore,
  interleave: async () => (await import('../explore/programs/search-commands.ts')).runInterleave,
}

const run = async (args: Args, console: CommandConsole): Promise<CommandResult> => {
  const isHelp = args.values.help !== undefined
  if (isHelp || args.values.version !== undefined) {
    console.out(isHelp ? formatHelp(args.command) : `${version}\n`)
    return { exitCode: 0 }
  }
  if (args.command === 'start') {
    console.onStart?.()
    return { server: await (await import('./run-start.ts')).runStart(args, console) }
  }
  for (const message of args.warnings) console.err(`${formatWarning(message)}\n`)
  const command = await commandLoaders[args.command]()
  return { exitCode: await command(args, console) }
}
