import type { Behave } from '../schema/behavior.ts'
import type { PaymentLinkRow } from '../schema/payment-link.ts'
import type { User } from '../schema/user.ts'
import { afterWrite, timeOf } from './clock.ts'
import { deriveId } from './ids.ts'
import type { Prefix, ProjectState } from './project.ts'

/** What a piece of work needs to know of the world around its project. */
export interface Surroundings {
  /** Milliseconds since 1970, as the machine has them. */
  readonly systemNow: () => number
  /** Another project that has a row with this id, for hints. */
  readonly projectWith: (id: string) => string | undefined
}

/** A row that was changed: as it was and as it is. Undefined: it was not, or is no more. */
export type RowChange =
  | { readonly resource: 'user'; readonly from: User | undefined; readonly to: User | undefined }
  | {
      readonly resource: 'paymentLink'
      readonly from: PaymentLinkRow | undefined
      readonly to: PaymentLinkRow | undefined
    }

/**
 * One operation on one project. `state` is the next state: it becomes current when the operation has succeeded,
 * and is forgotten when it throws, so that what is refused has changed nothing.
 */
export class Work {
  readonly project: string
  readonly behave: Behave
  readonly projectWith: Surroundings['projectWith']
  state: ProjectState
  /** The rows that were changed, in that order. */
  readonly changes: RowChange[] = []
  /** The links that were to be paid, in vain: no row tells of it. */
  readonly failedPayments: string[] = []
  readonly #systemNow: () => number
  #now: string | undefined

  constructor(project: string, state: ProjectState, behave: Behave, surroundings: Surroundings) {
    this.project = project
    this.state = state
    this.behave = behave
    this.projectWith = surroundings.projectWith
    this.#systemNow = surroundings.systemNow
  }

  /** The time of this operation, by the project's clock: the same however often it is asked. */
  get now(): string {
    this.#now ??= new Date(timeOf(this.state.clock, this.#systemNow)).toISOString()
    return this.#now
  }

  /** A new id. Ids that are or were a row's are skipped: a seed may have pinned them. */
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

  putPaymentLink(link: PaymentLinkRow): PaymentLinkRow {
    const { paymentLinks } = this.state
    const next = paymentLinks.put(link)
    if (next !== paymentLinks) this.changes.push({ resource: 'paymentLink', from: paymentLinks.get(link.id), to: link })
    this.change({ paymentLinks: next })
    return link
  }

  removePaymentLink(link: PaymentLinkRow): PaymentLinkRow {
    this.changes.push({ resource: 'paymentLink', from: link, to: undefined })
    this.change({ paymentLinks: this.state.paymentLinks.remove(link.id) })
    return link
  }

  change(part: Partial<ProjectState>): void {
    this.state = { ...this.state, ...part }
  }

  /** The state after a write: a stepping clock has stepped. */
  get written(): ProjectState {
    return { ...this.state, clock: afterWrite(this.state.clock) }
  }
}
