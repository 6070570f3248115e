import type { ProgramFailure, ProgramReport } from '../../extensions/explore/programs/program-result.ts'
import { exploreProgram } from '../../extensions/explore/programs/explore-program.ts'
import { toPrintable } from '../../schema/text.ts'
import type { Args } from '../args.ts'
import type { CommandConsole } from '../terminal.ts'
import { formatProgramEnd, formatProgramFailure, indentList, runSearchCommand } from './search-command.ts'

/** `explore -- program`: runs a program once for each fault at each of its calls. The exit code is 1 if a run failed. */
export const runExplore = (args: Args, console: CommandConsole): Promise<number> => {
  const [program = '', ...words] = args.operands
  return runSearchCommand(args, console, [['', [program, ...words]]], exploreProgram, (report) => [
    ...report.failures.map(formatFailedRun),
    formatCanceled(report),
  ])
}

const formatFailedRun = (failure: ProgramFailure): string =>
  formatProgramFailure(
    {
      ...failure,
      requests: failure.requests.map((request) => ({ actor: null, ...request })),
      events: failure.events.map((event) => ({ actor: null, ...event })),
      sleeps: [],
    },
    [
      ...indentList('Its records, compared with the undisturbed run:', listUnsaid(failure)),
      ...indentList(`The end of its output (${formatProgramEnd(failure)}):`, failure.output),
    ],
    failure.command,
  )

/** Lists the differences that the error does not name. */
const listUnsaid = ({ error, differences, canceled }: ProgramFailure): string[] =>
  [...differences, ...canceled].filter((difference) => !error.includes(difference))

const formatCanceled = ({ canceled }: ProgramReport): string =>
  indentList(
    'Additional canceled payment links, which are no failure:',
    canceled.map(({ replay, records }) => `${replay}: ${records.map(toPrintable).join(', ')}`),
  ).join('\n')
