import type { BehaviorLookup } from '../schema/behavior.ts'
import { advance, readClock } from './clock.ts'
import { getId, isStoredRecord, type Resource, toRecord } from './collection.ts'
import type { deriveId } from './ids.ts'
import {
  type Collections,
  type RecordKind,
  type RecordValue,
  kinds,
  type RecordSeed,
  type RecordTypes,
} from './kinds.ts'
import type { ProjectState } from './project-state.ts'
import { makeChange, type RecordChange } from './history.ts'
import { hasSameJson } from '../schema/json-value.ts'
import { errors } from '../schema/error.ts'
import { getTextLength } from '../schema/text.ts'
import type { UnknownId } from '../schema/errors/unknown-id.ts'

export interface TransactionContext {
  /** The time of the machine, in milliseconds since 1970. */
  readonly systemNow: () => number
  readonly deriveId: typeof deriveId
  /** Returns the name of a project that has a record with this id, for hints. */
  readonly findProjectWith: (id: string) => string | undefined
}

interface TransactionOptions {
  readonly project: string
  /** The state to read. In a write, a copy to change: only its collections change in place. */
  readonly state: ProjectState
  /** The state before a write. Undefined for a read, which cannot change anything. */
  readonly before?: ProjectState
  /** The newest changes of the project, if `state` is the state before them. */
  readonly undone?: readonly RecordChange[]
  readonly getBehavior: BehaviorLookup
}

export class Transaction {
  readonly project: string
  readonly state: ProjectState
  readonly getBehavior: BehaviorLookup
  /** Already made in `state`. Undone in reverse order, they restore the records before. */
  readonly changes: RecordChange[] = []
  /** The payment links of failed payments, which change no record. */
  readonly failedPayments: string[] = []
  readonly #context: TransactionContext
  readonly #before: ProjectState | undefined
  readonly #undone: readonly RecordChange[]
  /** Whether the draft has changes to commit. */
  isDirty = false
  #now: string | undefined

  constructor(context: TransactionContext, options: TransactionOptions) {
    this.project = options.project
    this.state = options.state
    this.getBehavior = options.getBehavior
    this.#context = context
    this.#before = options.before
    this.#undone = options.undone ?? []
  }

  /** Whether the project gets another revision. Counters, clocks and the reads of scheduled payments are not data. */
  get hasChangedData(): boolean {
    const [before, after] = [this.#before ?? this.state, this.state]
    return (
      this.changes.length > 0 ||
      before.preferredLocale !== after.preferredLocale ||
      before.invoices !== after.invoices ||
      before.scheduledPayments.length !== after.scheduledPayments.length
    )
  }

  /** The time by the clock of the project. It does not change during the operation. */
  get now(): string {
    this.#now ??= new Date(readClock(this.state.clock, this.#context.systemNow)).toISOString()
    return this.#now
  }

  /** Skips the ids of existing and deleted records, which a seed may have set. */
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

  /** Returns the entry that an id got after an earlier state: a cursor may name a record that the state does not have. */
  findLater(kind: RecordKind, id: string): RecordChange['from'] {
    return this.#undone.findLast((change) => change.kind === kind && getId(change.to) === id)?.to
  }

  /** Returns the record. Throws the error of its kind for an unknown id, with a hint that explains the id. */
  require<K extends RecordKind>(kind: K, id: string): RecordValue<K> {
    const record = this.getRecords(kind).get(id)
    if (record !== undefined) return record
    throw errors[`${kinds[kind].object}NotFound`](this.explainUnknownId(kind, id))
  }

  explainUnknownId(kind: RecordKind, id: string): UnknownId {
    return { id, project: this.project, text: kinds[kind].text, reason: this.#findReason(kind, id) }
  }

  #findReason(kind: RecordKind, id: string): UnknownId['reason'] {
    const { prefix } = kinds[kind]
    if (this.state[kind].getEntry(id) !== undefined) return { is: 'deleted' }
    const otherKind = Object.values(kinds).find((one) => one.path !== kind && id.startsWith(`${one.prefix}_`))
    if (otherKind !== undefined)
      return { is: 'otherKind', prefix: otherKind.prefix, text: otherKind.text, path: otherKind.path }
    const project = this.#context.findProjectWith(id)
    if (project !== undefined) return { is: 'otherProject', project }
    return id.startsWith(`${prefix}_`) ? undefined : { is: 'otherPrefix', prefix }
  }

  insert<K extends RecordKind>(kind: K, seed: RecordSeed<K>): RecordValue<K> {
    const { id } = seed
    if (id !== undefined && this.getRecords(kind).get(id) !== undefined)
      throw errors.idTaken({ id, text: kinds[kind].text, project: this.project })
    return this.#putSeed(kind, seed, { id: id ?? this.newId(kind), createdAt: this.now })
  }

  patch<K extends RecordKind>(kind: K, id: string, patch: RecordTypes[K]['patch']): RecordValue<K> {
    return this.put(kind, kinds[kind].update(this.require(kind, id), patch, this.now))
  }

  overwrite<K extends RecordKind>(kind: K, seed: RecordSeed<K>): RecordValue<K> {
    const oldRecord = seed.id === undefined ? undefined : this.getRecords(kind).get(seed.id)
    return oldRecord === undefined ? this.insert(kind, seed) : this.#putSeed(kind, seed, oldRecord)
  }

  delete<K extends RecordKind>(kind: K, id: string): RecordValue<K> {
    this.#removeScheduledPayments(id)
    const record = this.require(kind, id)
    const oldEntry = this.state[kind].getEntry(id)!
    this.#change(kind, oldEntry, { id, createdAt: oldEntry.createdAt, sequence: oldEntry.sequence }, this.now)
    return record
  }

  /**
   * Adds or replaces a record, unless it is unchanged. With a new creation time it becomes the newest record of that time,
   * because an export does not keep the insertion order of records with different times.
   * @param at the time of the change, by default now
   */
  put<K extends RecordKind>(kind: K, record: RecordValue<K>, at?: string): RecordValue<K> {
    if (kinds[kind].cancelsPayments?.(record) === true) this.#removeScheduledPayments(record.id)
    const records = this.state[kind]
    const oldEntry: RecordChange['from'] = records.getEntry(record.id)
    const oldRecord = isStoredRecord(oldEntry) ? oldEntry : undefined
    if (oldRecord !== undefined && isEqual(oldRecord.value, record)) return record
    const sequence =
      oldRecord !== undefined && oldRecord.createdAt === record.createdAt ? oldRecord.sequence : records.nextSequence
    this.#change(kind, oldEntry, toRecord(record, sequence), at ?? this.now)
    return record
  }

  set<K extends keyof ProjectState>(part: K, value: ProjectState[K]): void {
    this.#edit()[part] = value
  }

  stepClock(): void {
    const { clock } = this.state
    if (clock.mode === 'stepping') this.set('clock', advance(clock, clock.step))
  }

  #putSeed<K extends RecordKind>(kind: K, seed: RecordSeed<K>, { id, createdAt }: Resource): RecordValue<K> {
    return this.put(kind, kinds[kind].defaults(seed, { id, createdAt, preferredLocale: this.state.preferredLocale }))
  }

  #removeScheduledPayments(id: string): void {
    const { scheduledPayments } = this.state
    if (scheduledPayments.length === 0) return
    const otherPayments = scheduledPayments.filter(({ paymentLink }) => paymentLink !== id)
    this.set('scheduledPayments', otherPayments)
  }

  #change(kind: RecordKind, from: RecordChange['from'], to: RecordChange['to'], at: string): void {
    const change = { kind, from, to, at, size: getTextLength(from) + getTextLength(to) }
    makeChange(this.#edit(), change)
    this.changes.push(change)
  }

  #edit(): { -readonly [P in keyof ProjectState]: ProjectState[P] } {
    if (this.#before === undefined) throw new Error('A read cannot change the state.')
    this.isDirty = true
    return this.state
  }
}

const isEqual = <T extends object>(a: T, b: T): boolean => {
  if (Object.keys(a).length !== Object.keys(b).length) return false
  for (const name in b) if (!hasSameJson(a[name], b[name])) return false
  return true
}
