import { fileURLToPath } from 'node:url'
import { OrderReport, ProgramReport } from '../../../src/explore/programs/program-report.ts'
import type { CommandConsole } from '../../../src/command-line/terminal.ts'
import { runMain } from './main.ts'

/** A file with the shell functions `call`, `create [invoice]`, `find_links` and `cancel_links`. */
export const clientFile = fileURLToPath(new URL('client.sh', import.meta.url))

/** The words that run a shell script with these functions. */
export const script = (text: string): string[] => ['sh', '-c', `. ${clientFile}; ${text}`]

const runSearch = async (argv: readonly string[], console: Partial<CommandConsole> = {}) => {
  const { outcome, out, err } = await runMain(argv, {}, console)
  if ('server' in outcome) throw new Error(`${argv[0]} did not end`)
  if (console.onTerminal) return { code: outcome.exitCode, out, err, progress: [] }
  // A slow machine has time for lines of progress.
  const lines = err.split(/(?<=\n)/)
  const [progress, others] = [true, false].map((wanted) => lines.filter((line) => isProgress.test(line) === wanted))
  return { code: outcome.exitCode, out, err: others!.join(''), progress: progress! }
}

const isProgress =
  /^\d+ (?:of (?:at most )?\d+ runs?|runs?, at least \d+ others? follows?), \d+ failures?(?:, (?:at most )?\d+ s left)?\n$/

/** Explores a program in this process: with the effect `reset`, unless the flags say otherwise. */
export const explore = (
  program: readonly string[],
  flags: readonly string[] = [],
  console: Partial<CommandConsole> = {},
) => {
  const effects = flags.includes('--effects') ? [] : ['--effects', 'reset']
  return runSearch(['explore', ...effects, '--seed', 'empty', ...flags, '--', ...program], console)
}

/** Like `explore`, with the result as data. */
export const exploreJson = async (program: readonly string[], flags: readonly string[] = []) => {
  const { code, out, err } = await explore(program, ['--json', ...flags])
  if (out === '') throw new Error(err)
  return { code, err, ...ProgramReport.parse(JSON.parse(out)) }
}

/** Runs programs in all orders, in this process. */
export const interleave = (programs: readonly (readonly string[])[], flags: readonly string[] = []) =>
  runSearch(['interleave', '--seed', 'empty', ...flags, ...programs.flatMap((program) => ['--', ...program])])

/** Like `interleave`, with the result as data. */
export const interleaveJson = async (programs: readonly (readonly string[])[], flags: readonly string[] = []) => {
  const { code, out, err } = await interleave(programs, ['--json', ...flags])
  if (out === '') throw new Error(err)
  return { code, err, ...OrderReport.parse(JSON.parse(out)) }
}
