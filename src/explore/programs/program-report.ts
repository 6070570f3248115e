// The result of a search that runs a program, as data.
import * as z from 'zod/mini'
import { described } from '../../core/schema/zod-helpers.ts'

const texts = z.array(z.string())

/** The place and the effect of a fault. */
const ProgramFault = z.object({
  call: described(
    z.int(),
    'The number of the call in the first undisturbed run. A call that only a fault causes has a higher number.',
  ),
  operation: described(z.string(), 'The id of the operation.'),
  occurrence: described(z.int(), 'Which of the calls with this method, path and body it is, from 1.'),
  phase: z.enum(['before', 'after']),
  effect: described(z.string(), 'The name of the effect.'),
  link: described(z.optional(z.int()), 'Which active link is paid or canceled. Absent: the oldest.'),
})
export type ProgramFault = z.infer<typeof ProgramFault>

/** A request of a program. */
const ProgramCall = z.object({
  operation: described(z.nullable(z.string()), 'Null: no operation of the mocked API.'),
  method: z.string(),
  path: described(z.string(), 'The path with its query, without that of the sandbox.'),
  body: described(z.nullable(z.string()), 'The text of the body.'),
  status: described(z.nullable(z.int()), 'Null: the program received no response.'),
  response: described(z.nullable(z.string()), 'The text of the response.'),
  time: described(z.string(), 'When it was sent, by the clock of the mock.'),
  fault: described(z.nullable(z.string()), 'The effect of a fault on it. Null: none.'),
  note: described(
    z.nullable(z.string()),
    'What else the mock knows of it: what it created although the program received no success, or a repeated key.',
  ),
})

/** The events between the requests: the program was killed, or a customer paid. */
const ProgramEvent = z.object({
  calls: described(z.int(), 'The number of requests before it.'),
  time: described(z.string(), 'When it was, by the clock of the mock.'),
  text: described(z.string(), 'What happened.'),
})

/** The fields of the reports of all searches, besides `runs`. */
const summaryFields = {
  calls: described(z.int(), 'The calls of all runs.'),
  exhausted: described(
    z.boolean(),
    'Whether everything that was planned was tried, and the programs behave as the search assumes.',
  ),
  endedBy: described(z.enum(['complete', 'only', 'maxRuns', 'signal']), 'Why the search ended.'),
  notTried: described(
    z.array(
      z.object({
        replay: described(
          z.string(),
          'The value of --only. Empty: of a run without a fault, or of one that left its path at once.',
        ),
        why: described(z.string(), 'Why it was not tried.'),
      }),
    ),
    'The schedules that could not be tried, or not to their end.',
  ),
  caveats: described(texts, 'What could not be planned: why this search cannot claim that it tried everything.'),
}

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
  requests: described(z.array(ProgramCall), 'Its requests, in their order.'),
  events: described(z.array(ProgramEvent), 'The events between its requests.'),
})
export type ProgramFailure = z.infer<typeof ProgramFailure>

/** The result of `paylink-mock explore --json`. */
export const ProgramReport = z.object({
  runs: described(z.int(), 'How often the program ran, also undisturbed.'),
  ...summaryFields,
  canceled: described(
    z.array(z.object({ replay: z.string(), records: texts })),
    'Runs without a failure that left additional canceled payment links.',
  ),
  failures: described(z.array(ProgramFailure), 'The failures. Fewer faults come first.'),
})
export type ProgramReport = z.infer<typeof ProgramReport>

/** A run of several programs that failed. */
export const OrderFailure = z.object({
  replay: described(z.string(), 'The value of --only that repeats it: the programs in the order of their calls.'),
  command: described(z.string(), 'The command line that repeats it.'),
  error: described(z.string(), 'Why it is a failure.'),
  alike: described(z.int(), 'How many other runs failed with the same error.'),
  requests: described(
    z.array(z.object({ program: described(z.string(), 'a, b, c or d.'), ...ProgramCall.shape })),
    'The requests of the programs, in their order.',
  ),
  events: described(
    z.array(z.object({ program: z.string(), ...ProgramEvent.shape })),
    'The events between the requests.',
  ),
  programs: described(
    z.array(
      z.object({
        name: z.string(),
        exitCode: described(z.nullable(z.int()), 'Null: a signal ended it.'),
        signal: described(z.nullable(z.string()), 'The name of that signal.'),
        output: described(texts, 'The last lines of its output. Empty with --only, which passes it through.'),
      }),
    ),
    'How the programs ended.',
  ),
})
export type OrderFailure = z.infer<typeof OrderFailure>

/** The result of `paylink-mock interleave --json`. */
export const OrderReport = z.object({
  runs: described(z.int(), 'How often the programs ran, also one after the other.'),
  ...summaryFields,
  switches: described(
    z.nullable(z.union([z.int(), z.literal('all')])),
    'The maximum number of switches in the orders that were all tried. Null: --isolated.',
  ),
  serial: described(
    z.array(z.object({ order: described(texts, 'The programs, the first one first.'), differences: texts })),
    'The orders, one program after the other, that leave other records than the first one. That is no failure.',
  ),
  failures: described(z.array(OrderFailure), 'The failures. Fewer faults come first, then fewer changes of program.'),
})
export type OrderReport = z.infer<typeof OrderReport>

/** The part of a report that all searches have. */
export type SearchSummary = Pick<OrderReport, 'runs' | keyof typeof summaryFields>
