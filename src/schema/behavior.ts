import * as z from 'zod/mini'
import { documentation, type SchemasOf } from './zod-helpers.ts'
import { findNearest } from './text.ts'
import { formatList, quote } from './problem.ts'

/** The value of a behavior. */
export type BehaviorValue = string | number | boolean
export const BehaviorValue = z.union([z.string(), z.number(), z.boolean()]) satisfies z.ZodMiniType<BehaviorValue>

interface BehaviorDefinition<V extends BehaviorValue = BehaviorValue> {
  /** The section of the specification that is silent. */
  readonly spec: string
  /** The possible values; the first is the default. */
  readonly values: readonly [V, V, ...V[]]
  /** A summary in one sentence. */
  readonly summary: string
}

/** The behavior values that a seed, an option or a call of the control API sets. */
export interface BehaviorChoices {
  /** The status of a successful create. Default 201. */
  readonly createStatus?: 201 | 200 | undefined
  /** The status for a JSON body that violates the schema. Default 422. */
  readonly invalidBodyStatus?: 422 | 400 | undefined
  /** Errors as the error object, or as RFC 9457 `application/problem+json`. Default `object`. */
  readonly errorFormat?: 'object' | 'problem' | undefined
  /** Whether the `Accept` and `Content-type` headers of spec §5 are enforced (406, 415). Default `lenient`. */
  readonly requestHeaders?: 'lenient' | 'required' | undefined
  /** Whether unknown body fields and query parameters are ignored or rejected. Default `ignore`. */
  readonly unknownFields?: 'ignore' | 'reject' | undefined
  /** The first request to a project that no seed declares. Default `create`. */
  readonly unknownProject?: 'create' | 'notFound' | undefined
  /** The response to a valid token for another project. Default 403. */
  readonly wrongProjectToken?: 403 | 404 | 401 | undefined
  /** Cancel on a canceled link: 409, or 200 with the link unchanged. A completed link is always 409. Default `conflict`. */
  readonly cancelInactive?: 'conflict' | 'idempotent' | undefined
  /** The order of the payment link list. Default `newestFirst`. */
  readonly paymentLinkOrder?: 'newestFirst' | 'oldestFirst' | undefined
  /** Whether `fullName`, `email` and `taxNumber` of the payer must all be sent. Default `optional`. */
  readonly payerFields?: 'optional' | 'required' | undefined
  /** How the user search compares emails. Default `ignoreCase`. */
  readonly searchMatch?: 'ignoreCase' | 'exact' | 'contains' | undefined
  /** The result of a search with a null email or no email. Default `all`. */
  readonly searchWithoutEmail?: 'all' | 'none' | undefined
  /** The `emailVerified` of a new user. Default true. */
  readonly emailVerifiedOnCreate?: true | false | undefined
  /** The effect of a new email on `emailVerified`. Default `keep`. */
  readonly emailVerifiedOnChange?: 'keep' | 'reset' | undefined
  /** A second user with the same email in one project. Default `allow`. */
  readonly duplicateEmail?: 'allow' | 'conflict' | undefined
  /** Update of metadata: key by key, where null removes a key, or as a whole. Default `merge`. */
  readonly metadataUpdate?: 'merge' | 'replace' | undefined
  /** Any JSON values, or at most 10 keys of 1 to 40 characters with strings of up to 255. Default `none`. */
  readonly metadataLimits?: 'none' | 'strings' | undefined
  /** A cursor whose record was deleted: 400, continue from its position, or an empty page. Default `reject`. */
  readonly deletedCursor?: 'reject' | 'resume' | 'empty' | undefined
  /** The valid invoice ids: any string, with the prefix `inv_`, or one of the invoices of the project. Default `any`. */
  readonly invoiceIds?: 'any' | 'prefix' | 'seeded' | undefined
  /** A create or cancel with the `Idempotency-Key` of an earlier one: done again, or the first response again. Default `ignore`. */
  readonly idempotencyKey?: 'ignore' | 'replay' | undefined
  /** The fraction in timestamps. Default `milliseconds`. */
  readonly timestampPrecision?: 'milliseconds' | 'seconds' | undefined
  /** Whether lists and searches show a change at once, or 2,000 ms later by the mock clock. Default `immediate`. */
  readonly listFreshness?: 'immediate' | 'delayed' | undefined
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
  timestampPrecision: {
    spec: '§2.2',
    values: ['milliseconds', 'seconds'],
    summary: 'The fraction in timestamps.',
  },
  listFreshness: {
    spec: '§4',
    values: ['immediate', 'delayed'],
    summary: 'Whether lists and searches show a change at once, or 2,000 ms later by the mock clock.',
  },
} as const satisfies { [K in keyof BehaviorChoices]-?: BehaviorDefinition<NonNullable<BehaviorChoices[K]>> }

/** The name of a behavior. */
export type BehaviorKey = keyof BehaviorChoices
export type Behaviors = { readonly [K in BehaviorKey]: NonNullable<BehaviorChoices[K]> }

/** Looks up the value of a behavior. The response lists each behavior that was looked up. */
export type BehaviorLookup = <K extends BehaviorKey>(key: K) => Behaviors[K]

export const behaviorKeys = Object.keys(behaviorRegistry) as BehaviorKey[]

export const defaultBehaviors = Object.fromEntries(
  behaviorKeys.map((key) => [key, behaviorRegistry[key].values[0]]),
) as Behaviors

/** Named sets of behaviors. A profile leaves the others at their defaults. */
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
} as const satisfies Record<Profile, Partial<Behaviors>>

/** A named set of behavior values. */
export type Profile = 'default' | 'strict'
export const Profile = z.enum(Object.keys(profiles) as Profile[])

/** Explains that a key is unknown, and suggests the nearest key or lists all. */
export const explainUnknownKey = (key: string): string => {
  const nearestKey = findNearest(key, behaviorKeys)
  return `there is no behavior ${quote(key)}; ${nearestKey ? `did you mean '${nearestKey}'?` : `the keys are ${behaviorKeys.join(', ')}.`}`
}

/** Parses the value of a behavior from the text of a flag or variable. Undefined if it is invalid. */
export const parseBehaviorValue = (key: BehaviorKey, text: string): BehaviorValue | undefined =>
  behaviorRegistry[key].values.find((value: BehaviorValue) => String(value) === text)

// Flags, variables and YAML files write numbers and booleans as text. OpenAPI documents show only one type for each key,
// because code generators do not support enums of two types.
const createChoiceSchema = (key: BehaviorKey) => {
  const values: readonly BehaviorValue[] = behaviorRegistry[key].values
  const valueTexts = values.filter((value) => typeof value !== 'string').map(String)
  const choice = z.literal([...values, ...valueTexts], `must be ${formatList(values)}`)
  const parsedChoice = z.transform((value: BehaviorValue) => parseBehaviorValue(key, String(value)))
  return z
    .optional(z.pipe(choice, parsedChoice))
    .register(documentation, { description: behaviorRegistry[key].summary, type: getJsonType(values[0]), enum: values })
}

const getJsonType = (value: BehaviorValue | undefined) => (typeof value === 'number' ? 'integer' : typeof value)

export const BehaviorChoices = z.object(
  // With getters: zod reads them with the first value, and most processes set no behavior.
  behaviorKeys.reduce(
    (shape, key) => Object.defineProperty(shape, key, { enumerable: true, get: () => createChoiceSchema(key) }),
    {},
  ),
) as z.ZodMiniType<BehaviorChoices, BehaviorChoices>

/** The current values and all possible ones. */
export interface BehaviorSettings {
  /** The current values by behavior. */
  values: Record<string, BehaviorValue>
  /** All behaviors. */
  registry: BehaviorDescription[]
}
/** A behavior: an open point of the specification. */
interface BehaviorDescription {
  /** The name. */
  key: string
  /** The possible values. */
  values: BehaviorValue[]
  /** The default value. */
  default: BehaviorValue
  /** The section of the specification that is silent. */
  spec: string
  /** A summary in one sentence. */
  summary: string
}
export const BehaviorSettings = z.object({
  values: z.record(z.string(), BehaviorValue),
  registry: z.array(
    z.object({
      key: z.string(),
      values: z.array(BehaviorValue),
      default: BehaviorValue,
      spec: z.string(),
      summary: z.string(),
    } satisfies SchemasOf<BehaviorDescription>),
  ),
} satisfies SchemasOf<BehaviorSettings>)
