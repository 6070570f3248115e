import * as z from 'zod/mini'
import type { Optional } from './json-value.ts'
import { described, documentation } from './zod-helpers.ts'
import { findNearest } from './text.ts'
import { formatList, quote } from './problem.ts'

export const BehaviorValue = z.union([z.string(), z.number(), z.boolean()])
export type BehaviorValue = z.infer<typeof BehaviorValue>

interface BehaviorDefinition {
  /** The section of the specification that is silent. */
  readonly spec: string
  /** The possible values; the first is the default. */
  readonly values: readonly [BehaviorValue, BehaviorValue, ...BehaviorValue[]]
  readonly summary: string
}

/** The open points of the specification, with their possible values. */
export const behaviorRegistry = {
  createStatus: { spec: '§4', values: [201, 200], summary: 'The status of a successful create.' },
  invalidBodyStatus: {
    spec: '§7',
    values: [422, 400],
    summary: 'The status for a JSON body that violates the schema.',
  },
  errorFormat: {
    spec: '§7',
    values: ['object', 'problem'],
    summary: 'Errors as the error object, or as RFC 9457 `application/problem+json`.',
  },
  requestHeaders: {
    spec: '§5',
    values: ['lenient', 'required'],
    summary: 'Whether the `Accept` and `Content-type` headers of spec §5 are enforced (406, 415).',
  },
  unknownFields: {
    spec: '§4',
    values: ['ignore', 'reject'],
    summary: 'Whether unknown body fields and query parameters are ignored or rejected.',
  },
  unknownProject: {
    spec: '§4',
    values: ['create', 'notFound'],
    summary: 'The first request to a project that no seed declares.',
  },
  wrongProjectToken: {
    spec: '§5',
    values: [403, 404, 401],
    summary: 'The response to a valid token for another project.',
  },
  cancelInactive: {
    spec: '§3',
    values: ['conflict', 'idempotent'],
    summary: 'Cancel on a canceled link: 409, or 200 with the link unchanged. A completed link is always 409.',
  },
  paymentLinkOrder: {
    spec: '§4.2',
    values: ['newestFirst', 'oldestFirst'],
    summary: 'The order of the payment link list.',
  },
  payerFields: {
    spec: '§2.5',
    values: ['optional', 'required'],
    summary: 'Whether `fullName`, `email` and `taxNumber` of the payer must all be sent.',
  },
  searchMatch: {
    spec: '§4.1',
    values: ['ignoreCase', 'exact', 'contains'],
    summary: 'How the user search compares emails.',
  },
  searchWithoutEmail: {
    spec: '§4.1',
    values: ['all', 'none'],
    summary: 'The result of a search with a null email or no email.',
  },
  emailVerifiedOnCreate: { spec: '§4.1', values: [true, false], summary: 'The `emailVerified` of a new user.' },
  emailVerifiedOnChange: {
    spec: '§4.1',
    values: ['keep', 'reset'],
    summary: 'The effect of a new email on `emailVerified`.',
  },
  duplicateEmail: {
    spec: '§4.1',
    values: ['allow', 'conflict'],
    summary: 'A second user with the same email in one project.',
  },
  metadataUpdate: {
    spec: '§2.2',
    values: ['merge', 'replace'],
    summary: 'Update of metadata: key by key, where null removes a key, or as a whole.',
  },
  metadataLimits: {
    spec: '§2.2',
    values: ['none', 'strings'],
    summary: 'Any JSON values, or at most 10 keys of 1 to 40 characters with strings of up to 255.',
  },
  deletedCursor: {
    spec: '§4.1',
    values: ['reject', 'resume', 'empty'],
    summary: 'A cursor whose record was deleted: 400, continue from its position, or an empty page.',
  },
  invoiceIds: {
    spec: '§2.1',
    values: ['any', 'prefix', 'seeded'],
    summary: 'The valid invoice ids: any string, with the prefix `inv_`, or one of the invoices of the project.',
  },
  idempotencyKey: {
    spec: '§5',
    values: ['ignore', 'replay'],
    summary:
      'A create or cancel with the `Idempotency-Key` of an earlier one: done again, or the first response again.',
  },
  timestampPrecision: { spec: '§2.2', values: ['milliseconds', 'seconds'], summary: 'The fraction in timestamps.' },
  listFreshness: {
    spec: '§4',
    values: ['immediate', 'delayed'],
    summary: 'Whether lists and searches show a change at once, or 2,000 ms later by the mock clock.',
  },
} as const satisfies Record<string, BehaviorDefinition>

/** The name of a behavior. */
export type BehaviorKey = keyof BehaviorChoices
export type Behaviors = {
  readonly [K in keyof typeof behaviorRegistry]: (typeof behaviorRegistry)[K]['values'][number]
}

/** Returns the value of a behavior. The response lists each behavior that was looked up. */
export type BehaviorLookup = <K extends BehaviorKey>(key: K) => Behaviors[K]

export const behaviorKeys = Object.keys(behaviorRegistry) as BehaviorKey[]

export const defaultBehaviors = Object.fromEntries(
  behaviorKeys.map((key) => [key, behaviorRegistry[key].values[0]]),
) as Behaviors

/** Returns the chosen behaviors, in the order of the registry. */
export const pickBehaviors = (behaviors: Partial<Behaviors>, isChosen: (key: BehaviorKey) => boolean) =>
  Object.fromEntries(behaviorKeys.filter(isChosen).map((key) => [key, behaviors[key]])) as Partial<Behaviors>

/** A profile leaves the other behaviors at their defaults. */
export const profiles = {
  default: {},
  strict: {
    requestHeaders: 'required',
    unknownFields: 'reject',
    unknownProject: 'notFound',
    payerFields: 'required',
    searchMatch: 'exact',
    searchWithoutEmail: 'none',
    emailVerifiedOnChange: 'reset',
    duplicateEmail: 'conflict',
    metadataLimits: 'strings',
    invoiceIds: 'prefix',
  },
} as const satisfies Record<string, Partial<Behaviors>>

export const Profile = z.enum(Object.keys(profiles) as (keyof typeof profiles)[])
/** A named set of behavior values. */
export type Profile = z.infer<typeof Profile>

export const explainUnknownKey = (key: string): string => {
  const nearestKey = findNearest(key, behaviorKeys)
  return `there is no behavior ${quote(key)}; ${nearestKey ? `did you mean '${nearestKey}'?` : `the keys are ${behaviorKeys.join(', ')}.`}`
}

/** Parses the text of a flag or a variable. Undefined: it is invalid. */
export const parseBehaviorValue = (key: BehaviorKey, text: string): BehaviorValue | undefined =>
  behaviorRegistry[key].values.find((value: BehaviorValue) => String(value) === text)

// Flags, variables and YAML files write numbers and booleans as text.
const createChoiceSchema = (key: BehaviorKey) => {
  const values: readonly BehaviorValue[] = behaviorRegistry[key].values
  const parse = z.transform((value) => (typeof value === 'string' ? (parseBehaviorValue(key, value) ?? value) : value))
  return z.optional(z.pipe(parse, z.literal([...values], `must be ${formatList(values)}`))).register(documentation, {
    description: `${behaviorRegistry[key].summary} Default \`${values[0]}\`.`,
    type: typeof values[0] === 'number' ? 'integer' : typeof values[0],
  })
}

export const BehaviorChoices = z.object(
  // Getters: zod reads them with the first value, and most processes set no behavior.
  behaviorKeys.reduce(
    (shape, key) => Object.defineProperty(shape, key, { enumerable: true, get: () => createChoiceSchema(key) }),
    {},
  ),
) as z.ZodMiniType<Optional<Behaviors>, Optional<Behaviors>>
/** The behavior values that a seed, an option or a call of the control API sets. */
export type BehaviorChoices = z.infer<typeof BehaviorChoices>

export const BehaviorSettings = z.object({
  values: described(z.record(z.string(), BehaviorValue), 'The current values by behavior.'),
  registry: described(
    z.array(
      z.object({
        key: described(z.string(), 'The name.'),
        values: described(z.array(BehaviorValue), 'The possible values.'),
        default: described(BehaviorValue, 'The default value.'),
        spec: described(z.string(), 'The section of the specification that is silent.'),
        summary: described(z.string(), 'A summary in one sentence.'),
      }),
    ),
    'All behaviors.',
  ),
})
/** The current values and all possible ones. */
export type BehaviorSettings = z.infer<typeof BehaviorSettings>
