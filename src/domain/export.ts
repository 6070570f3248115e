import { type BehaviorChoices, behaviorKeys, type Behaviors, defaultBehaviors } from '../schema/behavior.ts'
import type { Gone as GoneDocument, ProjectDocument } from '../schema/seed.ts'
import { clockDocument } from './clock.ts'
import { byPlace, type Collection, type Gone, type Resource, type Row } from './collection.ts'
import type { ProjectState } from './project.ts'

/** The project as a document: what it returns, a seed accepts, and goes on as if never interrupted. */
export const exportProject = (state: ProjectState, atStart: Behaviors): ProjectDocument => {
  const behaviors = exportBehaviors(state.behaviors, atStart)
  const gone = { ...goneOf('users', state.users), ...goneOf('paymentLinks', state.paymentLinks) }
  return {
    preferredLocale: state.preferredLocale,
    ...(state.invoices.size > 0 && { invoices: [...state.invoices] }),
    ...(Object.keys(behaviors).length > 0 && { behaviors }),
    clock: clockDocument(state.clock),
    users: [...state.users.walk('rising')].map((row) => row.value),
    paymentLinks: [...state.paymentLinks.walk('rising')].map((row) => row.value),
    progress: { counters: state.counters, ...(Object.keys(gone).length > 0 && { gone }) },
  }
}

/** The behaviors that a mock started in any other way could have otherwise. */
export const exportBehaviors = (behaviors: Behaviors, atStart: Behaviors): BehaviorChoices =>
  Object.fromEntries(
    behaviorKeys
      .filter((key) => behaviors[key] !== defaultBehaviors[key] || behaviors[key] !== atStart[key])
      .map((key) => [key, behaviors[key]]),
  )

const goneOf = <T extends Resource>(name: string, rows: Collection<T>): Record<string, GoneDocument[]> => {
  const gone = [...rows.allGone()].toSorted(byPlace)
  return gone.length === 0 ? {} : { [name]: places(gone, rows.walk('rising')) }
}

/** The index of each deleted row among all rows, deleted ones included. */
const places = <T>(gone: readonly Gone[], rows: Iterable<Row<T>>): GoneDocument[] => {
  const documents: GoneDocument[] = []
  let index = 0
  let next = 0
  const put = ({ id, createdAt }: Gone) => documents.push({ id, createdAt, index: index++ })
  for (const row of rows) {
    while (next < gone.length && byPlace(gone[next]!, row) < 0) put(gone[next++]!)
    index++
  }
  while (next < gone.length) put(gone[next++]!)
  return documents
}
