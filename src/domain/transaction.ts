import type { BehaviorLookup } from '../schema/behavior.ts'
import { readClock, stepAfterWrite } from './clock.ts'
import { getId, isStoredRecord, type Resource, toRecord } from './collection.ts'
import { createDeriveId, type deriveId } from './ids.ts'
import {
  type Collections,
  type RecordKind,
  type RecordValue,
  kinds,
  type RecordSeed,
  type RecordTypes,
  recordKinds,
} from './kinds.ts'
import type { ProjectState } from './project-state.ts'
import type { Projects } from './projects.ts'
import { type History, makeChange, type Past, type RecordChange, undoChanges } from './history.ts'
import { hasSameJson } from '../schema/json-value.ts'
import { errors } from '../schema/error.ts'
import { getTextLength } from '../schema/text.ts'
import type { UnknownId } from '../schema/errors/unknown-id.ts'
import type { ScheduledPayment } from '../schema/payment-link.ts'

/** The parts of the store that its transactions use. */
interface TransactionContext {
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

/** One operation on one project, and what it can do with records. `changes` are already made in its state. */
export class Transaction {
  readonly project: string
  readonly state: ProjectState
  readonly getBehavior: BehaviorLookup
  /** The changed records, in order. Undone in reverse, they lead back to the records before. */
  readonly changes: RecordChange[] = []
  /** The payment links of failed payments, which change no record. */
  readonly failedPayments: string[] = []
  readonly #context: TransactionContext
  readonly #before: ProjectState | undefined
  readonly #undone: readonly RecordChange[]
  /** Whether any part of the state was set. */
  isChanged = false
  #now: string | undefined

  constructor(context: TransactionContext, options: TransactionOptions) {
    this.project = options.project
    this.state = options.state
    this.getBehavior = options.getBehavior
    this.#context = context
    this.#before = options.before
    this.#undone = options.undone ?? []
  }

  /** Whether data has changed. Counters and clocks are not data. */
  get hasChangedData(): boolean {
    const [before, after] = [this.#before ?? this.state, this.state]
    return (
      this.changes.length > 0 ||
      before.preferredLocale !== after.preferredLocale ||
      before.invoices !== after.invoices ||
      before.scheduledPayments.length !== after.scheduledPayments.length
    )
  }

  /** The time of this operation by the project's clock. It does not change during the operation. */
  get now(): string {
    this.#now ??= new Date(readClock(this.state.clock, this.#context.systemNow)).toISOString()
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
    return this.#undone.findLast((change) => change.kind === kind && getId(change.to) === id)?.to
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
   * that time: an export does not have the order of records of different times. A payment link that is not active loses its
   * scheduled payments. `at` is the time of the change. @default now
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

  set<K extends keyof ProjectState>(part: K, value: ProjectState[K]): void {
    this.#edit()[part] = value
  }

  /** A stepping clock steps after each write. */
  stepClock(): void {
    const { clock } = this.state
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
    const change = { kind, from, to, at, size: getTextLength(from) + getTextLength(to) }
    makeChange(this.#edit(), change)
    this.changes.push(change)
  }

  /** Returns the state for a change. */
  #edit(): { -readonly [P in keyof ProjectState]: ProjectState[P] } {
    if (this.#before === undefined) throw new Error('A read cannot change the state.')
    this.isChanged = true
    return this.state
  }
}

const isEqual = <T extends object>(a: T, b: T): boolean => {
  if (Object.keys(a).length !== Object.keys(b).length) return false
  for (const name in b) if (!hasSameJson(a[name], b[name])) return false
  return true
}

/** Returns true if the time of a scheduled payment has come. */
export const isDue = ({ when }: ScheduledPayment, now: string): boolean => 'at' in when && when.at <= now

/** How many projects a hint searches: it must not cost more than the request. */
const maxSearched = 100

interface TransactionsOptions {
  readonly projects: Projects
  readonly history: History
  readonly systemNow: () => number
  readonly completeDuePayments: (transaction: Transaction, now: string) => void
  /** Is called after each write with what it changed. */
  readonly onCommit?: ((project: string, transaction: Transaction) => void) | undefined
}

/** Creates the functions that run operations on projects. Each is a transaction. */
export const createTransactions = ({
  projects,
  history,
  systemNow,
  completeDuePayments,
  onCommit,
}: TransactionsOptions) => {
  let open: Transaction | undefined
  const findProjectWith = (id: string) =>
    projects
      .listNames(maxSearched)
      .find((name) => recordKinds.some((kind) => projects.get(name)[kind].get(id) !== undefined))
  const context: TransactionContext = { systemNow, deriveId: createDeriveId(), findProjectWith }
  const createBehaviorLookup =
    (project: string): BehaviorLookup =>
    (key) =>
      projects.getSettings(project).behaviors[key]
  const getTime = (project: string) => readClock(projects.getSettings(project).clock, systemNow)

  const run = <R>(transaction: Transaction, operation: (transaction: Transaction) => R): R => {
    open = transaction
    try {
      return operation(transaction)
    } catch (error) {
      undoChanges(transaction.state, transaction.changes)
      throw error
    } finally {
      open = undefined
    }
  }
  const commit = <R>(project: string, getBehavior: BehaviorLookup, operation: (transaction: Transaction) => R): R => {
    const draft = projects.edit(project)
    const options = { project, state: draft.state, before: projects.get(project), getBehavior }
    const transaction = new Transaction(context, options)
    const result = run(transaction, operation)
    if (transaction.isChanged) draft.commit()
    if (transaction.hasChangedData) history.add(project, transaction.changes)
    onCommit?.(project, transaction)
    return result
  }
  /**
   * Completes the due payments of a project. No timer runs: they happen when the project is used next. Throws while a
   * transaction is open, whose changes are not complete.
   */
  const settle = (project: string): void => {
    if (open !== undefined) throw new Error(`A transaction of project '${open.project}' has not returned yet.`)
    const state = projects.get(project)
    if (state.scheduledPayments.length === 0 || !projects.has(project)) return
    const now = new Date(getTime(project)).toISOString()
    if (state.scheduledPayments.some((scheduled) => isDue(scheduled, now)))
      commit(project, createBehaviorLookup(project), (transaction) => completeDuePayments(transaction, now))
  }
  const write = <R>(project: string, getBehavior: BehaviorLookup, operation: (transaction: Transaction) => R): R => {
    settle(project)
    return commit(project, getBehavior, (transaction) => {
      const result = operation(transaction)
      if (transaction.hasChangedData) transaction.stepClock()
      return result
    })
  }
  return {
    settle,
    /** Runs an operation on a project, and commits its changes. If it throws, only due payments are committed. */
    write,
    /** Runs an operation for the control API, with the behaviors of the project. Creates an unknown project. */
    update: <R>(project: string, operation: (transaction: Transaction) => R): R => {
      const result = write(project, createBehaviorLookup(project), operation)
      projects.ensure(project)
      return result
    },
    /** Runs an operation that changes nothing. It does not create the project. */
    read: <R>(
      project: string,
      operation: (transaction: Transaction) => R,
      getBehavior = createBehaviorLookup(project),
    ): R => {
      settle(project)
      return run(new Transaction(context, { project, state: projects.get(project), getBehavior }), operation)
    },
    /** Runs an operation on an earlier state, or on the oldest that is known. It is not older than the last replacement. */
    readPast: <R>(
      project: string,
      past: Past,
      operation: (transaction: Transaction) => R,
      getBehavior = createBehaviorLookup(project),
    ): R => {
      settle(project)
      // A change of any part is a change.
      if (past.changes !== undefined) projects.reportAll(project)
      const undone = history.listChangesSince(project, past, getTime(project))
      const transaction = new Transaction(context, { project, state: projects.get(project), undone, getBehavior })
      return projects.runBefore(project, undone, () => run(transaction, operation))
    },
    /** Returns true if a record of this kind has changed between two states. `newer` is undefined for the current state. */
    isChangedBetween: (project: string, kind: RecordKind, older: Past, newer: Past | undefined): boolean => {
      settle(project)
      return history.isChangedBetween(project, kind, older, newer, getTime(project))
    },
  }
}
