import type { BehaviorLookup, Behaviors } from '../schema/behavior.ts'
import { stepAfterWrite, readClock, type Clock } from './clock.ts'
import { type Entry, isStoredRecord, type Resource, toRecord, type Writer } from './collection.ts'
import type { deriveId } from './ids.ts'
import {
  type Collections,
  type RecordKind,
  type RecordValue,
  kinds,
  mapKinds,
  type RecordSeed,
  type RecordTypes,
  type Prefix,
} from './kinds.ts'
import { hasSameJson } from '../schema/json-value.ts'
import { errors } from '../schema/error.ts'
import { getTextLength } from '../schema/text.ts'
import type { UnknownId } from '../schema/errors/request-errors.ts'
import type { ScheduledPayment } from '../schema/payment-link.ts'

/** The settings of a project, or of the projects that do not exist yet. */
export interface ProjectSettings {
  /** The text that ids are derived from. */
  readonly idSeed: string
  readonly clock: Clock
  readonly behaviors: Behaviors
}

/** The state of a project, in one value. A write replaces it: its collections are valid until their next change. */
export interface ProjectState extends ProjectSettings, Readonly<Collections> {
  readonly preferredLocale: string
  /** The invoices of the seed, for `invoiceIds=seeded`. */
  readonly invoices: ReadonlySet<string>
  /** Scheduled payments, in the order of their creation. */
  readonly scheduledPayments: readonly ScheduledPayment[]
  /** The numbers of created ids, and of random draws. */
  readonly counters: Record<Prefix | 'draws', number>
}

/** Is called for each part of a project's state that a transaction reads or writes. `'*'`: all projects, or all parts. */
export type OnAccess = (access: {
  readonly project: string
  readonly part: keyof ProjectState | '*'
  readonly isWrite: boolean
}) => void

/** The parts of the store that its transactions use. */
export interface TransactionContext {
  /** The time of the machine, in milliseconds since 1970. */
  readonly systemNow: () => number
  readonly deriveId: typeof deriveId
  /** Returns the name of a project that has a record with this id, for hints. */
  readonly findProjectWith: (id: string) => string | undefined
  readonly onAccess?: OnAccess | undefined
}

/** A changed record, before and after. Undefined: its id was unused. A deleted record has a tombstone. */
export interface RecordChange {
  readonly kind: RecordKind
  readonly from: Entry<Resource> | undefined
  readonly to: Entry<Resource>
  /** When it happened by the clock of the project, ISO 8601. A due payment happened before its transaction. */
  readonly at: string
  /** The approximate number of characters of both records. */
  readonly size: number
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** One operation on one project, and what it can do with records. `state` is the next state, in which `changes` are already made. */
export class Transaction {
  readonly project: string
  readonly getBehavior: BehaviorLookup
  /** The changed records, in order. */
  readonly changes: RecordChange[] = []
  /** The payment links of failed payments, which change no record. */
  readonly failedPayments: string[] = []
  /** The current state if `state` is an earlier one. A cursor may name a record that the earlier state does not have. */
  readonly current: ProjectState | undefined
  /** The state for the operation, also for the methods here. Each part that is read is reported to `onAccess`. */
  readonly state: ProjectState
  /** The same state for the store, which reports nothing. */
  readonly result: ProjectState
  readonly #context: TransactionContext
  readonly #writer: Writer | undefined
  #isCopied = false
  #now: string | undefined

  /** @param writer undefined for a transaction that only reads */
  constructor(
    context: TransactionContext,
    project: string,
    state: ProjectState,
    getBehavior: BehaviorLookup,
    writer: Writer | undefined,
    current?: ProjectState,
  ) {
    this.project = project
    this.getBehavior = getBehavior
    this.current = current
    this.#context = context
    this.#writer = writer
    this.result = state
    this.state = context.onAccess === undefined ? state : reportReads(state, project, context.onAccess)
  }

  /** The time of this operation by the project's clock. It does not change during the operation. */
  get now(): string {
    this.#now ??= new Date(readClock(this.result.clock, this.#context.systemNow)).toISOString()
    return this.#now
  }

  /** Returns a new id. It skips the ids of existing and deleted records, which a seed may have set. */
  newId(kind: RecordKind): string {
    const { prefix } = kinds[kind]
    const { idSeed, counters, [kind]: records } = this.state
    let counter = counters[prefix]
    let id: string
    do id = this.#context.deriveId(idSeed, this.project, prefix, counter++)
    while (records.getEntry(id) !== undefined)
    this.set('counters', { ...counters, [prefix]: counter })
    return id
  }

  getRecords<K extends RecordKind>(kind: K): Collections[K] {
    return this.state[kind]
  }

  /** Returns the record. Throws the error of its kind for an unknown id, with a hint that explains the id. */
  require<K extends RecordKind>(kind: K, id: string): RecordValue<K> {
    const record = this.getRecords(kind).get(id)
    if (record !== undefined) return record
    throw errors[`${kinds[kind].object}NotFound`](this.explainUnknownId(kind, id))
  }

  /** Returns why no record has the id: it was deleted, is the id of another kind of record, or belongs to another project. */
  explainUnknownId(kind: RecordKind, id: string): UnknownId {
    return { id, project: this.project, text: kinds[kind].text, reason: this.#findReason(kind, id) }
  }

  #findReason(kind: RecordKind, id: string): UnknownId['reason'] {
    const { prefix } = kinds[kind]
    if (this.state[kind].getEntry(id) !== undefined) return { is: 'deleted' }
    const other = Object.values(kinds).find((one) => one.path !== kind && id.startsWith(`${one.prefix}_`))
    if (other !== undefined) return { is: 'otherKind', prefix: other.prefix, text: other.text, path: other.path }
    const project = this.#context.findProjectWith(id)
    if (project !== undefined) return { is: 'otherProject', project }
    return id.startsWith(`${prefix}_`) ? undefined : { is: 'otherPrefix', prefix }
  }

  /** Adds a record with any fields, including read-only ones. Missing fields get their defaults. */
  insert<K extends RecordKind>(kind: K, seed: RecordSeed<K>): RecordValue<K> {
    const { id } = seed
    if (id !== undefined && this.getRecords(kind).get(id) !== undefined)
      throw errors.idTaken({ id, text: kinds[kind].text, project: this.project })
    return this.#putSeed(kind, seed, { id: id ?? this.newId(kind), createdAt: this.now })
  }

  /** Sets the given fields, including read-only ones. */
  patch<K extends RecordKind>(kind: K, id: string, patch: RecordTypes[K]['patch']): RecordValue<K> {
    return this.put(kind, kinds[kind].update(this.require(kind, id), patch, this.now))
  }

  /** Adds the record, or replaces the one with its id. Missing fields get their defaults. */
  overwrite<K extends RecordKind>(kind: K, seed: RecordSeed<K>): RecordValue<K> {
    const old = seed.id === undefined ? undefined : this.getRecords(kind).get(seed.id)
    return old === undefined ? this.insert(kind, seed) : this.#putSeed(kind, seed, old)
  }

  /** Deletes a record and its scheduled payments, and returns it. */
  delete<K extends RecordKind>(kind: K, id: string): RecordValue<K> {
    this.#removeScheduledPayments(id)
    const record = this.require(kind, id)
    const from = this.state[kind].getEntry(id)!
    this.#change(kind, from, { id, createdAt: from.createdAt, sequence: from.sequence }, this.now)
    return record
  }

  /**
   * Adds a record, or replaces the one with its id, unless that is equal. With another creation time it becomes the newest of
   * that time. A payment link that is not active loses its scheduled payments. `at` is the time of the change. @default now
   */
  put<K extends RecordKind>(kind: K, record: RecordValue<K>, at?: string): RecordValue<K> {
    if (kinds[kind].cancelsPayments?.(record) === true) this.#removeScheduledPayments(record.id)
    const records = this.state[kind]
    const from: RecordChange['from'] = records.getEntry(record.id)
    const old = isStoredRecord(from) ? from : undefined
    if (old !== undefined && isEqual(old.value, record)) return record
    const sequence = old !== undefined && old.createdAt === record.createdAt ? old.sequence : records.next
    this.#change(kind, from, toRecord(record, sequence), at ?? this.now)
    return record
  }

  /** Sets a part of the state. */
  set<K extends keyof ProjectState>(part: K, value: ProjectState[K]): void {
    this.#nextState(part)[part] = value
  }

  /** A stepping clock steps after each write. */
  stepClock(): void {
    const { clock } = this.result
    if (clock.mode === 'stepping') this.set('clock', stepAfterWrite(clock))
  }

  #putSeed<K extends RecordKind>(kind: K, seed: RecordSeed<K>, { id, createdAt }: Resource): RecordValue<K> {
    return this.put(kind, kinds[kind].defaults(seed, { id, createdAt, preferredLocale: this.state.preferredLocale }))
  }

  #removeScheduledPayments(id: string): void {
    const { scheduledPayments } = this.state
    if (scheduledPayments.length === 0) return
    const others = scheduledPayments.filter(({ paymentLink }) => paymentLink !== id)
    this.set('scheduledPayments', others)
  }

  #change(kind: RecordKind, from: RecordChange['from'], to: RecordChange['to'], at: string): void {
    replaceEntry(this.#nextState(kind), kind, from, to, this.#getWriter())
    this.changes.push({ kind, from, to, at, size: getTextLength(from) + getTextLength(to) })
  }

  #getWriter(): Writer {
    if (this.#writer === undefined) throw new Error('A read cannot change the state.')
    return this.#writer
  }

  // The first change copies the state.
  #nextState(part: keyof ProjectState): Writable<ProjectState> {
    this.#getWriter()
    const { onAccess } = this.#context
    onAccess?.({ project: this.project, part, isWrite: true })
    if (!this.#isCopied) {
      const next = { ...this.result }
      const own = this as Writable<Pick<Transaction, 'state' | 'result'>>
      own.result = next
      own.state = onAccess === undefined ? next : reportReads(next, this.project, onAccess)
      this.#isCopied = true
    }
    return this.result
  }
}

const reportReads = (state: ProjectState, project: string, onAccess: OnAccess): ProjectState =>
  new Proxy(state, {
    get: (target, part: keyof ProjectState) => {
      onAccess({ project, part, isWrite: false })
      return target[part]
    },
  })

/**
 * Returns the records of a state without its newest changes. A writer that does not own the state gets a fork of it, so the
 * changes of past transactions lead back to each state between them.
 */
export const undoChanges = (state: Collections, changes: readonly RecordChange[], writer: Writer): Collections => {
  const next = mapKinds<Collections>((kind) => state[kind])
  for (const { kind, from, to } of changes.toReversed()) replaceEntry(next, kind, to, from, writer)
  return next
}

/** A collection of any kind of record. */
interface AnyCollection {
  replace(from: MaybeEntry, to: MaybeEntry, writer: Writer): AnyCollection
}

type MaybeEntry = Entry<Resource> | undefined
type AnyCollections = Record<RecordKind, AnyCollection>

const replaceEntry = (state: AnyCollections, kind: RecordKind, from: MaybeEntry, to: MaybeEntry, writer: Writer) => {
  state[kind] = state[kind].replace(from, to, writer)
}

const isEqual = <T extends object>(a: T, b: T): boolean => {
  if (Object.keys(a).length !== Object.keys(b).length) return false
  for (const name in b) if (!hasSameJson(a[name], b[name])) return false
  return true
}
