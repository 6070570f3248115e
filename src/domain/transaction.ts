import type { BehaviorLookup } from '../schema/behavior.ts'
import { stepAfterWrite, readClock } from './clock.ts'
import { deriveId } from './ids.ts'
import type { Collections, ProjectState, RecordKind, StoredValue } from './projects.ts'

/** The values that a transaction needs from the store. */
export interface TransactionContext {
  /** The time of the machine, in milliseconds since 1970. */
  readonly systemNow: () => number
  /** Returns the name of a project that has a record with this id, for hints. */
  readonly findProjectWith: (id: string) => string | undefined
}

/** A changed record, before and after. Undefined before it was created, and after it was deleted. */
export interface RecordChange {
  readonly kind: RecordKind
  readonly from: StoredValue[RecordKind] | undefined
  readonly to: StoredValue[RecordKind] | undefined
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * One operation on one project. `state` is the next state. It becomes the current one when the operation returns. If the
 * operation throws, nothing has changed.
 */
export class Transaction {
  readonly project: string
  readonly getBehavior: BehaviorLookup
  readonly findProjectWith: TransactionContext['findProjectWith']
  /** The changed records, in order. */
  readonly changes: RecordChange[] = []
  /** The payment links of failed payments, which change no record. */
  readonly failedPayments: string[] = []
  readonly #systemNow: () => number
  #state: Writable<ProjectState>
  #isCopied = false
  #now: string | undefined

  constructor(project: string, state: ProjectState, getBehavior: BehaviorLookup, context: TransactionContext) {
    this.project = project
    this.getBehavior = getBehavior
    this.findProjectWith = context.findProjectWith
    this.#systemNow = context.systemNow
    this.#state = state
  }

  get state(): ProjectState {
    return this.#state
  }

  /** The time of this operation by the project's clock. It does not change during the operation. */
  get now(): string {
    this.#now ??= new Date(readClock(this.#state.clock, this.#systemNow)).toISOString()
    return this.#now
  }

  /** Returns a new id. It skips the ids of existing and deleted records, which a seed may have set. */
  newId(prefix: 'usr' | 'pml'): string {
    const { idSeed, counters, users, paymentLinks } = this.#state
    const records = prefix === 'usr' ? users : paymentLinks
    let counter = counters[prefix]
    let id: string
    do id = deriveId(idSeed, this.project, prefix, counter++)
    while (records.findStored(id) !== undefined)
    this.set('counters', { ...counters, [prefix]: counter })
    return id
  }

  /** Adds a record, or replaces the one with its id. */
  put<K extends RecordKind>(kind: K, record: StoredValue[K]): StoredValue[K] {
    const collections: Collections = this.#state
    const records = collections[kind]
    const next = records.put(record)
    if (next === records) return record
    this.changes.push({ kind, from: records.get(record.id), to: record })
    Object.assign(this.#nextState(), { [kind]: next })
    return record
  }

  delete<K extends RecordKind>(kind: K, record: StoredValue[K]): StoredValue[K] {
    this.changes.push({ kind, from: record, to: undefined })
    Object.assign(this.#nextState(), { [kind]: this.#state[kind].remove(record.id) })
    return record
  }

  /** Sets a part of the state. */
  set<K extends keyof ProjectState>(part: K, value: ProjectState[K]): void {
    this.#nextState()[part] = value
  }

  /** A stepping clock steps after each write. */
  stepClock(): void {
    const { clock } = this.#state
    if (clock.mode === 'stepping') this.set('clock', stepAfterWrite(clock))
  }

  // The first change copies the state.
  #nextState(): Writable<ProjectState> {
    if (!this.#isCopied) this.#state = { ...this.#state }
    this.#isCopied = true
    return this.#state
  }
}
