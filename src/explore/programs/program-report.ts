import * as z from 'zod/mini'
import { described } from '../../core/schema/zod-helpers.ts'

const texts = z.array(z.string())

const ProgramFault = z.object({
  call: described(
    z.int(),
    'The number of the call in the first run. A call that occurs only after a fault has a higher number.',
  ),
  operation: described(z.string(), 'The id of the operation.'),
  occurrence: described(z.int(), 'The position among the calls with the same method, path and body, from 1.'),
  phase: z.enum(['before', 'after']),
  effect: described(z.string(), 'The name of the effect.'),
  link: described(z.optional(z.int()), 'Which active link is paid or canceled. Omitted for the oldest.'),
})
export type ProgramFault = z.infer<typeof ProgramFault>

const ProgramCall = z.object({
  operation: described(
    z.nullable(z.string()),
    'The id of the operation. Null if the request is not for the mocked API.',
  ),
  method: z.string(),
  path: described(z.string(), 'The path and query, without the sandbox.'),
  body: described(z.nullable(z.string()), 'The body as text. Null without a body.'),
  status: described(z.nullable(z.int()), 'Null if the program received no response.'),
  response: described(z.nullable(z.string()), 'The response body as text. Null if the program received no response.'),
  time: described(z.string(), 'The mock time of the request.'),
  fault: described(z.nullable(z.string()), 'The effect of the fault on the request. Null without a fault.'),
  note: described(
    z.nullable(z.string()),
    'What the mock adds: records that the request created or changed although the program received no success, or a repeated idempotency key.',
  ),
})

const ProgramEvent = z.object({
  calls: described(z.int(), 'The number of requests before it.'),
  time: described(z.string(), 'The mock time of the event.'),
  text: described(z.string(), 'What happened.'),
})

const summaryFields = {
  calls: described(z.int(), 'The calls of all runs.'),
  exhausted: described(
    z.boolean(),
    'Whether the search tried everything that it planned, and the programs behaved as the search assumes.',
  ),
  endedBy: described(z.enum(['complete', 'only', 'maxRuns', 'signal']), 'Why the search ended.'),
  notTried: described(
    z.array(
      z.object({
        replay: described(
          z.string(),
          'The value of --only. Empty for a run without a fault, or for a run that left the planned path at its first step.',
        ),
        why: described(z.string(), 'Why it was not tried.'),
      }),
    ),
    'The schedules that did not run, or did not run to their end.',
  ),
  caveats: described(texts, 'Other reasons why the search is not exhausted.'),
}

export const ProgramFailure = z.object({
  schedule: described(z.array(ProgramFault), 'Its faults.'),
  replay: described(z.string(), 'The value of --only that repeats it.'),
  command: described(z.string(), 'The command line that repeats it.'),
  error: described(z.string(), 'Why it is a failure.'),
  differences: described(texts, 'How its records differ from those of the undisturbed run.'),
  canceled: described(texts, 'Extra canceled payment links. They are not a failure.'),
  exitCode: described(z.nullable(z.int()), 'The exit code of the program. Null if a signal ended it.'),
  signal: described(z.nullable(z.string()), 'The signal that ended the program. Null if the program exited.'),
  output: described(texts, 'The last lines of its output. Empty with --only, which prints the output directly.'),
  requests: described(z.array(ProgramCall), 'Its requests, in their order.'),
  events: described(z.array(ProgramEvent), 'The events between its requests.'),
})
export type ProgramFailure = z.infer<typeof ProgramFailure>

/** The report that `paylink-mock explore --json` prints. */
export const ProgramReport = z.object({
  runs: described(z.int(), 'The number of runs, with those without a fault.'),
  ...summaryFields,
  canceled: described(
    z.array(z.object({ replay: z.string(), records: texts })),
    'The runs without a failure that left extra canceled payment links.',
  ),
  failures: described(z.array(ProgramFailure), 'The failures, sorted by the number of faults.'),
})
export type ProgramReport = z.infer<typeof ProgramReport>

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
        exitCode: described(z.nullable(z.int()), 'Null if a signal ended it.'),
        signal: described(z.nullable(z.string()), 'The signal that ended the program. Null if the program exited.'),
        output: described(texts, 'The last lines of its output. Empty with --only, which prints the output directly.'),
      }),
    ),
    'How the programs ended.',
  ),
})
export type OrderFailure = z.infer<typeof OrderFailure>

/** The report that `paylink-mock interleave --json` prints. */
export const OrderReport = z.object({
  runs: described(z.int(), 'The number of runs, with the serial ones.'),
  ...summaryFields,
  switches: described(
    z.nullable(z.union([z.int(), z.literal('all')])),
    'The search tried every order with at most this many switches. Null with --isolated.',
  ),
  serial: described(
    z.array(z.object({ order: described(texts, 'The programs, in the order in which they ran.'), differences: texts })),
    'The serial orders whose final records differ from those of the first order. This is not a failure.',
  ),
  failures: described(
    z.array(OrderFailure),
    'The failures, sorted by the number of faults, then by the number of changes of program.',
  ),
})
export type OrderReport = z.infer<typeof OrderReport>

export type SearchSummary = Pick<OrderReport, 'runs' | keyof typeof summaryFields>
