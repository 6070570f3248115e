import { behaviorsView, clockView } from './time-and-behaviors.ts'
import { diagnosticsView } from './diagnostics.ts'
import { faultsView } from './faults.ts'
import { journalView, requestView } from './journal.ts'
import type { View } from './page-request.ts'
import { paymentLinkView, paymentLinksView } from './payment-links.ts'
import { projectsView, sandboxesView, snapshotsView } from './projects.ts'
import { barView } from './shell.ts'
import { userView, usersView } from './users.ts'

const lists = {
  projects: projectsView,
  sandboxes: sandboxesView,
  users: usersView,
  'payment-links': paymentLinksView,
  snapshots: snapshotsView,
  faults: faultsView,
  journal: journalView,
  diagnostics: diagnosticsView,
}
const others = {
  user: userView,
  'payment-link': paymentLinkView,
  request: requestView,
  clock: clockView,
  behaviors: behaviorsView,
  bar: barView,
}

/** The views by name, as in `/__admin/dashboard/{view}`. */
export const views: ReadonlyMap<string, View> = new Map(Object.entries({ ...lists, ...others }))
