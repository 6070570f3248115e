/** Sequences of steps: requests of clients, mixed with what a test does to control the mock. */
import * as fc from 'fast-check'
import { one, oneOf, weighted } from './arbitraries.ts'
import {
  anyRequest,
  emails,
  invoices,
  locales,
  type Member,
  projects,
  redirects,
  type RequestStep,
  text,
} from './requests.ts'
import { nullableFields } from './nullable-fields.ts'
import { andBack, controlCall, type ControlStep, twoPayments, windowedFault } from './control-steps.ts'

export type Step = RequestStep | ControlStep | Tick

/** The clock of the machine, which can also be set back. */
interface Tick {
  readonly do: 'tick'
  readonly milliseconds: number
}

const tick: fc.Arbitrary<Tick> = fc.record({
  do: one('tick'),
  milliseconds: fc.constantFrom(1, 999, 1000, 86_400_000, -1, -5000),
})

const anyStep = weighted<Step>([100, anyRequest], [6, tick], [50, controlCall])
const valid = {
  do: 'request',
  spelledOut: null,
  query: [],
  authorization: 'Bearer token',
  accept: 'application/json',
  contentType: 'application/json',
} as const
const get = (...path: readonly string[]): RequestStep => ({
  ...valid,
  method: 'GET',
  path: ['projects', ...path],
  body: null,
})
const newRecord = (list: string, ...members: readonly fc.Arbitrary<Member>[]): fc.Arbitrary<RequestStep> =>
  fc
    .tuple(...members)
    .map((chosen) => ({ ...valid, method: 'POST', path: ['projects', projects[0], list], body: { members: chosen } }))

const episode = weighted<readonly Step[]>(
  [80, anyStep.map((step) => [step])],
  [2, andBack(anyStep)],
  [3, windowedFault(oneOf(get(projects[0], 'users'), get(projects[1], 'paymentLinks')))],
  [3, twoPayments(one(get(projects[0], 'paymentLinks', 'pml_pinned')))],
)

const member = (name: string, value: fc.Arbitrary<string>) => value.map((drawn): Member => [name, drawn])

/** Good records to begin with, some of them made at the same instant. */
const firstRecord = weighted<Step>(
  [2, newRecord('users', member('email', emails.map(text)))],
  [
    3,
    newRecord(
      'users',
      member('email', emails.map(text)),
      ...Object.entries(nullableFields).map(([name, { good }]) => member(name, good.map(text))),
      member('preferredLocale', locales.map(text)),
      member('metadata', one('{"plan":"gold","tier":1}')),
    ),
  ],
  [
    5,
    newRecord(
      'paymentLinks',
      member('invoice', invoices.map(text)),
      one(['type', '"partner"']),
      member(
        'partner',
        redirects.map((url) => `{"user":{},"redirectUrl":${text(url)}}`),
      ),
    ),
  ],
  [1, one({ do: 'tick', milliseconds: 1000 })],
)

/** Without bias: the weights say what is rare, and sequences shorter than need be find little. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.noBias(
  fc
    .tuple(
      fc.array(firstRecord, { maxLength: 15, size: 'max' }),
      fc.array(episode, { minLength: 1, maxLength: 20, size: 'max' }),
    )
    .map(([records, rest]) => [...records, ...rest.flat()]),
)
