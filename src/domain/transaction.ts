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
  recordKinds,
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

/** One operation on one project. `state` is the next state, in which `changes` are already made. */
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

  /** Returns the name of a project that has a record with this id, for hints. */
  findProjectWith(id: string): string | undefined {
    return this.#context.findProjectWith(id)
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

  /**
   * Adds a record, or replaces the one with its id, unless that is equal. With another creation time it becomes the newest of
   * that time. A payment link that is not active loses its scheduled payments. `at` is the time of the change. @default now
   */
  put<K extends RecordKind>(kind: K, record: RecordValue<K>, at?: string): RecordValue<K> {
    if (kinds[kind].cancelsPayments?.(record) === true) removeScheduledPayments(this, record.id)
    const records = this.state[kind]
    const from: RecordChange['from'] = records.getEntry(record.id)
    const old = isStoredRecord(from) ? from : undefined
    if (old !== undefined && isEqual(old.value, record)) return record
    const sequence = old !== undefined && old.createdAt === record.createdAt ? old.sequence : records.next
    this.#change(kind, from, toRecord(record, sequence), at ?? this.now)
    return record
  }

  delete<K extends RecordKind>(kind: K, record: RecordValue<K>): RecordValue<K> {
    const { id } = record
    const from = this.state[kind].getEntry(id)!
    this.#change(kind, from, { id, createdAt: from.createdAt, sequence: from.sequence }, this.now)
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

  #change(kind: RecordKind, from: RecordChange['from'], to: RecordChange['to'], at: string): void {
    replaceEntry(this.#nextState(kind), { kind, from, to }, this.#getWriter())
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

/** Returns the record. Throws the error of its kind for an unknown id, with a hint that explains the id. */
export const requireRecord = <K extends RecordKind>(tx: Transaction, kind: K, id: string): RecordValue<K> => {
  const record = tx.getRecords(kind).get(id)
  if (record !== undefined) return record
  throw errors[`${kinds[kind].object}NotFound`](explainUnknownId(tx, kind, id))
}

/** Returns why no record has the id: it was deleted, is the id of another kind of record, or belongs to another project. */
export const explainUnknownId = (tx: Transaction, kind: RecordKind, id: string): UnknownId => ({
  id,
  project: tx.project,
  text: kinds[kind].text,
  reason: findReason(tx, kind, id),
})

const findReason = (tx: Transaction, kind: RecordKind, id: string): UnknownId['reason'] => {
  const { prefix } = kinds[kind]
  if (tx.state[kind].getEntry(id) !== undefined) return { is: 'deleted' }
  const other = recordKinds
    .map((name) => kinds[name])
    .find((one) => one.path !== kind && id.startsWith(`${one.prefix}_`))
  if (other !== undefined) return { is: 'otherKind', prefix: other.prefix, text: other.text, path: other.path }
  const project = tx.findProjectWith(id)
  if (project !== undefined) return { is: 'otherProject', project }
  return id.startsWith(`${prefix}_`) ? undefined : { is: 'otherPrefix', prefix }
}

/** Adds a record with any fields, including read-only ones. Missing fields get their defaults. */
export const insertRecord = <K extends RecordKind>(tx: Transaction, kind: K, seed: RecordSeed<K>): RecordValue<K> => {
  const { id } = seed
  if (id !== undefined && tx.getRecords(kind).get(id) !== undefined)
    throw errors.idTaken({ id, text: kinds[kind].text, project: tx.project })
  return tx.put(kind, completeSeed(tx, kind, seed, { id: id ?? tx.newId(kind), createdAt: tx.now }))
}

/** Sets the given fields, including read-only ones. */
export const patchRecord = <K extends RecordKind>(
  tx: Transaction,
  kind: K,
  id: string,
  patch: RecordTypes[K]['patch'],
): RecordValue<K> => tx.put(kind, kinds[kind].update(requireRecord(tx, kind, id), patch, tx.now))

/** Adds the record, or replaces the one with its id. Missing fields get their defaults. */
export const overwriteRecord = <K extends RecordKind>(
  tx: Transaction,
  kind: K,
  seed: RecordSeed<K>,
): RecordValue<K> => {
  const old = seed.id === undefined ? undefined : tx.getRecords(kind).get(seed.id)
  return old === undefined ? insertRecord(tx, kind, seed) : tx.put(kind, completeSeed(tx, kind, seed, old))
}

/** Completes a seed with the defaults of its kind and project. */
const completeSeed = <K extends RecordKind>(
  tx: Transaction,
  kind: K,
  seed: RecordSeed<K>,
  { id, createdAt }: { readonly id: string; readonly createdAt: string },
): RecordValue<K> => kinds[kind].defaults(seed, { id, createdAt, preferredLocale: tx.state.preferredLocale })

/** Deletes a record and its scheduled payments, and returns it. */
export const deleteRecord = <K extends RecordKind>(tx: Transaction, kind: K, id: string): RecordValue<K> => {
  removeScheduledPayments(tx, id)
  return tx.delete(kind, requireRecord(tx, kind, id))
}

const removeScheduledPayments = (tx: Transaction, id: string): void => {
  const { scheduledPayments } = tx.state
  if (scheduledPayments.length === 0) return
  tx.set(
    'scheduledPayments',
    scheduledPayments.filter(({ paymentLink }) => paymentLink !== id),
  )
}

/**
 * Returns the records of a state without its newest changes. A writer that does not own the state gets a fork of it, so the
 * changes of past transactions lead back to each state between them.
 */
export const undoChanges = (state: Collections, changes: readonly Replacement[], writer: Writer): Collections => {
  const next = mapKinds<Collections>((kind) => state[kind])
  for (const { kind, from, to } of changes.toReversed()) replaceEntry(next, { kind, from: to, to: from }, writer)
  return next
}

/** A collection of any kind of record. */
interface AnyCollection {
  replace(from: RecordChange['from'], to: RecordChange['from'], writer: Writer): AnyCollection
}

type Replacement = Pick<RecordChange, 'kind' | 'from'> & { readonly to: RecordChange['from'] }

const replaceEntry = (state: Record<RecordKind, AnyCollection>, { kind, from, to }: Replacement, writer: Writer) => {
  state[kind] = state[kind].replace(from, to, writer)
}

const isEqual = <T extends object>(a: T, b: T): boolean => {
  if (Object.keys(a).length !== Object.keys(b).length) return false
  for (const name in b) if (!hasSameJson(a[name], b[name])) return false
  return true
}
