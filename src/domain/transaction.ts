import type { BehaviorLookup } from '../schema/behavior.ts'
import { stepAfterWrite, readClock } from './clock.ts'
import { type Writer, isStoredRecord, toRecord } from './collection.ts'
import { type Entry, type Resource } from './position.ts'
import type { deriveId } from './ids.ts'
import { type RecordKind, type RecordValue, kinds, mapKinds } from './kinds.ts'
import type { Collections, ProjectState } from './project-state.ts'
import { hasSameJson } from '../schema/json-copy.ts'

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
  readonly #context: TransactionContext
  readonly #writer: Writer | undefined
  #state: Writable<ProjectState>
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
    this.#state = state
  }

  /** Returns the name of a project that has a record with this id, for hints. */
  findProjectWith(id: string): string | undefined {
    return this.#context.findProjectWith(id)
  }

  /** The state for the operation, also for the methods here. Each part that is read is reported to `onAccess`. */
  get state(): ProjectState {
    const { project } = this
    const { onAccess } = this.#context
    if (onAccess === undefined) return this.#state
    return new Proxy(this.#state, {
      get: (state, part: keyof ProjectState) => {
        onAccess({ project, part, isWrite: false })
        return state[part]
      },
    })
  }

  /** The state for the store. */
  get result(): ProjectState {
    return this.#state
  }

  /** The time of this operation by the project's clock. It does not change during the operation. */
  get now(): string {
    this.#now ??= new Date(readClock(this.#state.clock, this.#context.systemNow)).toISOString()
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

  get<K extends RecordKind>(kind: K, id: string): RecordValue<K> | undefined {
    const records: { readonly [N in RecordKind]: Pick<Collections[N], 'get'> } = this.state
    return records[kind].get(id)
  }

  /**
   * Adds a record, or replaces the one with its id, unless that is equal. With another creation time it becomes the newest of
   * that time. `at` is the time of the change. @default now
   */
  put<K extends RecordKind>(kind: K, record: RecordValue<K>, at?: string): RecordValue<K> {
    const records = this.state[kind]
    const from: RecordChange['from'] = records.getEntry(record.id)
    const old = from && isStoredRecord(from) ? from : undefined
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
    const { clock } = this.#state
    if (clock.mode === 'stepping') this.set('clock', stepAfterWrite(clock))
  }

  #change(kind: RecordKind, from: RecordChange['from'], to: RecordChange['to'], at: string): void {
    replaceEntry(this.#nextState(kind), { kind, from, to }, this.#getWriter())
    this.changes.push({ kind, from, to, at, size: countCharacters(from) + countCharacters(to) })
  }

  #getWriter(): Writer {
    if (this.#writer === undefined) throw new Error('A read cannot change the state.')
    return this.#writer
  }

  // The first change copies the state.
  #nextState(part: keyof ProjectState): Writable<ProjectState> {
    this.#getWriter()
    this.#context.onAccess?.({ project: this.project, part, isWrite: true })
    if (!this.#isCopied) this.#state = { ...this.#state }
    this.#isCopied = true
    return this.#state
  }
}

const countCharacters = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let sum = 0
  for (const key in value) sum += key.length + countCharacters(Reflect.get(value, key))
  return sum
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
