// The result of a search that runs a program, as data.
import * as z from 'zod/mini'
import { described } from '../../../schema/zod-helpers.ts'

const texts = z.array(z.string())

/** The place and the effect of a fault. */
const ProgramFault = z.object({
  call: described(
    z.int(),
    'The number of the call in the first undisturbed run. A call that only a fault causes has a higher number.',
  ),
  project: z.string(),
  operation: described(z.string(), 'The id of the operation.'),
  occurrence: described(z.int(), 'Which of the calls of this operation in the project it is, from 1.'),
  phase: z.enum(['before', 'after']),
  effect: described(z.string(), 'The name of the effect.'),
})
export type ProgramFault = z.infer<typeof ProgramFault>

/** A request of a program. */
const ProgramRequest = z.object({
  operation: described(z.nullable(z.string()), 'Null: no operation of the mocked API.'),
  method: z.string(),
  path: described(z.string(), 'The path with its query, without that of the sandbox.'),
  body: described(z.nullable(z.string()), 'The text of the body.'),
  status: described(z.nullable(z.int()), 'Null: the program received no response.'),
  response: described(z.nullable(z.string()), 'The text of the response.'),
  time: described(z.string(), 'When it was sent, by the clock of the mock.'),
  fault: described(z.nullable(z.string()), 'The effect of a fault on it. Null: none.'),
})
export type ProgramRequest = z.infer<typeof ProgramRequest>

/** A run that failed. */
export const ProgramFailure = z.object({
  schedule: described(z.array(ProgramFault), 'Its faults.'),
  replay: described(z.string(), 'The value of --only that repeats it.'),
  command: described(z.string(), 'The command line that repeats it.'),
  error: described(z.string(), 'Why it is a failure.'),
  differences: described(texts, 'How its records differ from those of the undisturbed run.'),
  canceled: described(texts, 'Additional canceled payment links, which are no failure.'),
  exitCode: described(z.nullable(z.int()), 'The exit code of the program. Null: a signal ended it.'),
  signal: described(z.nullable(z.string()), 'The name of that signal.'),
  output: described(texts, 'The last lines of its output. Empty with --only, which passes it through.'),
  requests: described(z.array(ProgramRequest), 'Its requests, in their order.'),
})
export type ProgramFailure = z.infer<typeof ProgramFailure>

/** The result of `paylink-mock explore --json`. */
export const ProgramReport = z.object({
  runs: described(z.int(), 'How often the program ran, also undisturbed.'),
  calls: described(z.int(), 'The calls of all runs.'),
  exhausted: described(z.boolean(), 'Whether the search tried every fault.'),
  endedBy: described(
    z.enum(['complete', 'only', 'maxRuns', 'signal']),
    'Why the search ended. With complete, only faults in `notApplied` were not tried.',
  ),
  notApplied: described(texts, 'The schedules whose fault no call got: the program took another path.'),
  canceled: described(
    z.array(z.object({ replay: z.string(), records: texts })),
    'Runs without a failure that left additional canceled payment links.',
  ),
  failures: described(z.array(ProgramFailure), 'The failures. Fewer faults come first.'),
})
export type ProgramReport = z.infer<typeof ProgramReport>
