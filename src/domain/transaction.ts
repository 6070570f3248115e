import type { BehaviorLookup } from '../schema/behavior.ts'
import type { StoredPaymentLink } from '../schema/payment-link.ts'
import type { User } from '../schema/user.ts'
import { afterWrite, timeOf } from './clock.ts'
import { deriveId } from './ids.ts'
import type { Prefix, ProjectState } from './project.ts'

/** The values that a transaction needs from the store. */
export interface TransactionContext {
  /** The time of the machine, in milliseconds since 1970. */
  readonly systemNow: () => number
  /** A project that has a record with this id, for hints. */
  readonly projectWith: (id: string) => string | undefined
}

/** A changed record, before and after. Undefined before it was created, and after it was deleted. */
export type RecordChange =
  | { readonly resource: 'user'; readonly from: User | undefined; readonly to: User | undefined }
  | {
      readonly resource: 'paymentLink'
      readonly from: StoredPaymentLink | undefined
      readonly to: StoredPaymentLink | undefined
    }

/**
 * One operation on one project. `state` is the next state. It becomes the current one when the operation returns; when
 * it throws, nothing has changed.
 */
export class Transaction {
  readonly project: string
  readonly getBehavior: BehaviorLookup
  readonly projectWith: TransactionContext['projectWith']
  state: ProjectState
  /** The changed records, in order. */
  readonly changes: RecordChange[] = []
  /** The payment links of failed payments: these change no record. */
  readonly failedPayments: string[] = []
  readonly #systemNow: () => number
  #isCopied = false
  #now: string | undefined

  constructor(project: string, state: ProjectState, getBehavior: BehaviorLookup, context: TransactionContext) {
    this.project = project
    this.state = state
    this.getBehavior = getBehavior
    this.projectWith = context.projectWith
    this.#systemNow = context.systemNow
  }

  /** The time of this operation by the project's clock. It does not change during the operation. */
  get now(): string {
    this.#now ??= new Date(timeOf(this.state.clock, this.#systemNow)).toISOString()
    return this.#now
  }

  /** A new id. It skips the ids of existing and deleted records, which a seed may have set. */
  newId(prefix: Prefix): string {
    const { idSeed, counters, users, paymentLinks } = this.state
    const rows = prefix === 'usr' ? users : paymentLinks
    let counter = counters[prefix]
    let id: string
    do id = deriveId(idSeed, this.project, prefix, counter++)
    while (rows.has(id))
    this.change({ counters: { ...counters, [prefix]: counter } })
    return id
  }

  putUser(user: User): User {
    const { users } = this.state
    const next = users.put(user)
    if (next !== users) this.changes.push({ resource: 'user', from: users.get(user.id), to: user })
    this.change({ users: next })
    return user
  }

  removeUser(user: User): User {
    this.changes.push({ resource: 'user', from: user, to: undefined })
    this.change({ users: this.state.users.remove(user.id) })
    return user
  }

  putPaymentLink(link: StoredPaymentLink): StoredPaymentLink {
    const { paymentLinks } = this.state
    const next = paymentLinks.put(link)
    if (next !== paymentLinks) this.changes.push({ resource: 'paymentLink', from: paymentLinks.get(link.id), to: link })
    this.change({ paymentLinks: next })
    return link
  }

  removePaymentLink(link: StoredPaymentLink): StoredPaymentLink {
    this.changes.push({ resource: 'paymentLink', from: link, to: undefined })
    this.change({ paymentLinks: this.state.paymentLinks.remove(link.id) })
    return link
  }

  /** Changes fields of the state. The first change copies it. */
  change(part: Partial<ProjectState>): void {
    this.state = this.#isCopied ? Object.assign(this.state, part) : { ...this.state, ...part }
    this.#isCopied = true
  }

  /** A stepping clock steps after each write. */
  stepClock(): void {
    const { clock } = this.state
    if (clock.mode === 'stepping') this.change({ clock: afterWrite(clock) })
  }
}
