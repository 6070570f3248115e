import type { BehaviorChoices, BehaviorKey, Behaviors } from '../schema/behavior.ts'
import type { Gone as GoneDocument, ProjectDocument } from '../schema/seed.ts'
import { clockDocument } from './clock.ts'
import type { Collection } from './collection.ts'
import { byPosition, type Resource, type StoredRecord, type Tombstone } from './record-order.ts'
import type { ProjectState } from './project.ts'

/** The values for all projects. A project exports only different ones. */
interface ForAll {
  readonly idSeed: string
  readonly behaviors: Behaviors
}

/** Exports a project as a seed document. A mock that loads it continues where this one stopped. */
export const exportProject = (state: ProjectState, forAll?: ForAll): ProjectDocument => {
  const behaviors = ownBehaviors(state.behaviors, forAll?.behaviors)
  const { draws, ...counters } = state.counters
  const gone = { ...goneOf('users', state.users), ...goneOf('paymentLinks', state.paymentLinks) }
  return {
    ...(state.idSeed !== forAll?.idSeed && { idSeed: state.idSeed }),
    preferredLocale: state.preferredLocale,
    ...(state.invoices.size > 0 && { invoices: [...state.invoices] }),
    ...(Object.keys(behaviors).length > 0 && { behaviors }),
    clock: clockDocument(state.clock),
    users: [...state.users.scan('asc')].map((row) => row.value),
    paymentLinks: [...state.paymentLinks.scan('asc')].map((row) => row.value),
    ...(state.scheduledPayments.length > 0 && { scheduledPayments: [...state.scheduledPayments] }),
    progress: { counters: { ...counters, ...(draws > 0 && { draws }) }, ...(Object.keys(gone).length > 0 && { gone }) },
  }
}

const ownBehaviors = (behaviors: Behaviors, forAll: Behaviors | undefined): BehaviorChoices =>
  Object.fromEntries(Object.entries(behaviors).filter(([key, value]) => forAll?.[key as BehaviorKey] !== value))

const goneOf = <T extends Resource>(name: string, rows: Collection<T>): Record<string, GoneDocument[]> => {
  const gone = [...rows.tombstones()].toSorted(byPosition)
  return gone.length === 0 ? {} : { [name]: places(gone, rows.scan('asc')) }
}

/** The index of each deleted row among all rows, deleted ones included. */
const places = <T>(gone: readonly Tombstone[], rows: Iterable<StoredRecord<T>>): GoneDocument[] => {
  const documents: GoneDocument[] = []
  let index = 0
  let next = 0
  const put = ({ id, createdAt }: Tombstone) => documents.push({ id, createdAt, index: index++ })
  for (const row of rows) {
    while (next < gone.length && byPosition(gone[next]!, row) < 0) put(gone[next++]!)
    index++
  }
  while (next < gone.length) put(gone[next++]!)
  return documents
}
