import type { PaymentLinkPatch, PaymentLinkSeed, StoredPaymentLink } from '../../schema/payment-link.ts'
import type { Generate } from '../../schema/seed.ts'
import type { User, UserPatch, UserSeed } from '../../schema/user.ts'
import { Collection } from '../collection.ts'

/** The types of each kind of record, by its name in paths and documents. */
export interface RecordTypes {
  readonly users: { value: User; seed: UserSeed; patch: UserPatch; prefix: 'usr'; group: 'email' }
  readonly paymentLinks: {
    value: StoredPaymentLink
    seed: PaymentLinkSeed
    patch: PaymentLinkPatch
    prefix: 'pml'
    group: 'status' | 'invoice'
  }
}

export type RecordKind = keyof RecordTypes
export type RecordValue<K extends RecordKind = RecordKind> = RecordTypes[K]['value']
export type RecordSeed<K extends RecordKind = RecordKind> = RecordTypes[K]['seed']
export type Prefix = RecordTypes[RecordKind]['prefix']

/** The values of the fields that the seed of a record leaves out. */
interface RecordDefaults {
  readonly id: string
  readonly createdAt: string
  readonly preferredLocale: string
}

/** The settings that change how clients see a record. */
export interface ViewSettings {
  /** The name of the provider in the mocked API. */
  readonly provider: string
  readonly timestampPrecision: 'milliseconds' | 'seconds'
  /** The address of the project's payment pages. It is not stored, so that a restored state works on another port. */
  readonly payUrl: string
}

/** Generated seeds. They are created during the iteration: an array of them would need as much memory as the records. */
export interface GeneratedSeeds<S> {
  readonly count: number
  readonly seeds: Iterable<S>
}

/** Everything that is special about a kind of record. */
export interface KindDefinition<K extends RecordKind> {
  /** The name in paths and documents. */
  readonly path: K
  /** The start of its ids. Spec §2.1. */
  readonly prefix: RecordTypes[K]['prefix']
  /** The field `object` of its records. */
  readonly object: RecordValue<K>['object']
  /** The name in messages. */
  readonly text: string
  readonly notFoundCode: 'userNotFound' | 'paymentLinkNotFound'
  /** Parses a stored record. */
  readonly schema: { readonly parse: (value: unknown) => RecordValue<K> }
  /** The functions that return the group of a record, by name. */
  readonly groups: Record<RecordTypes[K]['group'], (record: RecordValue<K>) => string>
  /** Generates seeds. The same text `draws` results in the same seeds. */
  readonly generate: (counts: Generate, draws: string) => GeneratedSeeds<RecordSeed<K>>
  /** Completes a seed. */
  readonly defaults: (seed: RecordSeed<K>, defaults: RecordDefaults) => RecordValue<K>
  /** Sets the given fields, including read-only ones. Throws if the result is impossible. */
  readonly update: (record: RecordValue<K>, patch: RecordTypes[K]['patch'], now: string) => RecordValue<K>
  /** Returns the record as clients receive it. */
  readonly view: (record: RecordValue<K>, settings: ViewSettings) => object
  /** Whether scheduled payments of a record are canceled when it is stored. @default false */
  readonly cancelsPayments?: (record: RecordValue<K>) => boolean
}

export interface Kind<K extends RecordKind> extends KindDefinition<K> {
  /** A collection without records. */
  readonly empty: Collection<RecordValue<K>, RecordTypes[K]['group']>
}

export const defineKind = <K extends RecordKind>(kind: KindDefinition<K>): Kind<K> => ({
  ...kind,
  empty: Collection.create(kind.groups),
})

/** Formats a time with the precision of the project. */
export const formatTime = <T extends string | null>(time: T, { timestampPrecision }: ViewSettings) =>
  time === null || timestampPrecision === 'milliseconds' ? time : time.replace(/\.\d+Z$/, 'Z')
