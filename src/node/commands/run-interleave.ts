import { interleavePrograms } from '../../extensions/explore/programs/interleave-programs.ts'
import type { OrderFailure } from '../../extensions/explore/programs/program-result.ts'
import { parseOrder } from '../../extensions/explore/schedule-text.ts'
import { pluralize } from '../../schema/problem.ts'
import { type Args, UsageError } from '../args.ts'
import type { ProgramWords } from '../program.ts'
import type { CommandConsole } from '../terminal.ts'
import { formatProgramEnd, formatProgramFailure, indentList, runSearchCommand } from './search-command.ts'

/** `interleave -- program -- program`: runs programs side by side in each order of their calls. The exit code is 1 if a run failed. */
export const runInterleave = (args: Args, console: CommandConsole): Promise<number> =>
  runSearchCommand(args, console, nameProgramsOf(args), interleavePrograms, ({ failures }) =>
    failures.map(formatOrderFailure),
  )

const names = 'abcd'

/** Splits the operands into programs, with their names. */
const nameProgramsOf = ({ operands }: Args): (readonly [string, ProgramWords])[] => {
  const programs: string[][] = [[]]
  for (const word of operands) {
    if (word === '--') programs.push([])
    else programs.at(-1)?.push(word)
  }
  if (programs.length < 2 || programs.length > names.length || programs.some(({ length }) => length === 0))
    throw new UsageError(
      `interleave needs two to four programs, each after --: paylink-mock interleave -- python worker.py -- node cron.js ` +
        `(got ${pluralize(programs.filter(({ length }) => length > 0).length, 'program')}).`,
    )
  return programs.map(([program = '', ...words], index) => [names.charAt(index), [program, ...words]])
}

const formatOrderFailure = (failure: OrderFailure): string =>
  formatProgramFailure(
    {
      ...failure,
      schedule: parseOrder(failure.replay),
      requests: failure.requests.map(({ program, ...request }) => ({ actor: program, ...request })),
      events: failure.events.map(({ program, ...event }) => ({ actor: program, ...event })),
      sleeps: [],
    },
    [
      ...failure.programs.flatMap((program) =>
        indentList(`The end of the output of ${program.name} (${formatProgramEnd(program)}):`, program.output),
      ),
      ...(failure.alike === 0 ? [] : [`${pluralize(failure.alike, 'other run')} failed with the same error.`]),
    ],
    failure.command,
  )
