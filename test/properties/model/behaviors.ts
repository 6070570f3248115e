/** The behaviors. The first value is the default. */
const values = {
  createStatus: [201, 200],
  invalidBodyStatus: [422, 400],
  errorFormat: ['object', 'problem'],
  requestHeaders: ['lenient', 'required'],
  unknownFields: ['ignore', 'reject'],
  unknownProject: ['create', 'notFound'],
  wrongProjectToken: [403, 404, 401],
  cancelInactive: ['conflict', 'idempotent'],
  paymentLinkOrder: ['newestFirst', 'oldestFirst'],
  payerFields: ['optional', 'required'],
  searchMatch: ['ignoreCase', 'exact', 'contains'],
  searchWithoutEmail: ['all', 'none'],
  emailVerifiedOnCreate: [true, false],
  emailVerifiedOnChange: ['keep', 'reset'],
  duplicateEmail: ['allow', 'conflict'],
  metadataUpdate: ['merge', 'replace'],
  metadataLimits: ['none', 'strings'],
  deletedCursor: ['reject', 'resume', 'empty'],
  invoiceIds: ['any', 'prefix', 'seeded'],
  idempotencyKey: ['ignore', 'replay'],
  timestampPrecision: ['milliseconds', 'seconds'],
  listFreshness: ['immediate', 'delayed'],
} as const

export type BehaviorValues = { readonly [K in keyof typeof values]: (typeof values)[K][number] }

/** Each behavior value as a separate choice. */
export const choices: readonly Partial<BehaviorValues>[] = Object.entries(values).flatMap(([key, ofKey]) =>
  ofKey.map((value) => ({ [key]: value })),
)

export const defaults = Object.fromEntries(
  Object.entries(values).map(([key, [first]]) => [key, first]),
) as BehaviorValues
