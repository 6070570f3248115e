import type { BehaviorLookup, Behaviors } from '../schema/behavior.ts'
import { stepAfterWrite, readClock, type Clock } from './clock.ts'
import { getId, isStoredRecord, type Resource, toRecord } from './collection.ts'
import type { deriveId } from './ids.ts'
import {
  type Collections,
  type RecordKind,
  type RecordValue,
  kinds,
  type RecordSeed,
  type RecordTypes,
  type Prefix,
} from './kinds.ts'
import { makeChange, type RecordChange } from './record-changes.ts'
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

/** The state of a project. A write replaces this value, but changes its collections in place, unless they are kept. */
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

interface TransactionOptions {
  readonly isRead: boolean
  /** The newest changes of the project, if `state` is the state before them. */
  readonly undone?: readonly RecordChange[]
}

/** One operation on one project, and what it can do with records. `state` is the next state, in which `changes` are already made. */
export class Transaction {
  readonly project: string
  readonly getBehavior: BehaviorLookup
  /** The changed records, in order. Undone in reverse, they lead back to the records before. */
  readonly changes: RecordChange[] = []
  /** The payment links of failed payments, which change no record. */
  readonly failedPayments: string[] = []
  /** The state for the operation, also for the methods here. Each part that is read is reported to `onAccess`. */
  readonly state: ProjectState
  /** The same state for the store, which reports nothing. */
  readonly result: ProjectState
  readonly #before: ProjectState
  readonly #context: TransactionContext
  readonly #options: TransactionOptions
  #isChanged = false
  #now: string | undefined

  constructor(
    context: TransactionContext,
    project: string,
    before: ProjectState,
    getBehavior: BehaviorLookup,
    options: TransactionOptions,
  ) {
    this.project = project
    this.getBehavior = getBehavior
    this.#before = before
    this.#context = context
    this.#options = options
    this.result = options.isRead ? before : { ...before }
    this.state = context.onAccess === undefined ? this.result : reportReads(this.result, project, context.onAccess)
  }

  /** Whether any part of the state was set. */
  get isChanged(): boolean {
    return this.#isChanged
  }

  /** Whether data has changed. Counters and clocks are not data. */
  get hasChangedData(): boolean {
    const [before, after] = [this.#before, this.result]
    return (
      this.changes.length > 0 ||
      before.preferredLocale !== after.preferredLocale ||
      before.invoices !== after.invoices ||
      before.scheduledPayments.length !== after.scheduledPayments.length
    )
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

  /** Returns what an id has after the state, if that is an earlier one: a cursor may name a record that it does not have. */
  findLater(kind: RecordKind, id: string): RecordChange['from'] {
    return this.#options.undone?.findLast((change) => change.kind === kind && getId(change.to) === id)?.to
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
    this.#markChanged(part)
    const result: { -readonly [P in K]: ProjectState[P] } = this.result
    result[part] = value
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
    this.#markChanged(kind)
    const change = { kind, from, to, at, size: getTextLength(from) + getTextLength(to) }
    makeChange(this.result, change)
    this.changes.push(change)
  }

  #markChanged(part: keyof ProjectState): void {
    if (this.#options.isRead) throw new Error('A read cannot change the state.')
    this.#context.onAccess?.({ project: this.project, part, isWrite: true })
    this.#isChanged = true
  }
}

const reportReads = (state: ProjectState, project: string, onAccess: OnAccess): ProjectState =>
  new Proxy(state, {
    get: (target, part: keyof ProjectState) => {
      onAccess({ project, part, isWrite: false })
      return target[part]
    },
  })

const isEqual = <T extends object>(a: T, b: T): boolean => {
  if (Object.keys(a).length !== Object.keys(b).length) return false
  for (const name in b) if (!hasSameJson(a[name], b[name])) return false
  return true
}
