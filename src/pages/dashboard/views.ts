import { behaviorsView, clockView } from './time-and-behaviors-view.ts'
import { coverageView, diagnosticsView } from './diagnostics-view.ts'
import { faultsView } from './faults-view.ts'
import { journalView, requestView } from './journal-view.ts'
import type { View } from './page-request.ts'
import { paymentLinkView, paymentLinksView } from './payment-links-view.ts'
import { projectsView, sandboxesView, snapshotsView } from './projects-view.ts'
import { barView } from './shell.ts'
import { userView, usersView } from './users-view.ts'

/** The views by name, as in `/__admin/dashboard/{view}`. */
export const views: ReadonlyMap<string, View> = new Map(
  Object.entries({
    projects: projectsView,
    sandboxes: sandboxesView,
    users: usersView,
    'payment-links': paymentLinksView,
    snapshots: snapshotsView,
    faults: faultsView,
    journal: journalView,
    diagnostics: diagnosticsView,
    coverage: coverageView,
    user: userView,
    'payment-link': paymentLinkView,
    request: requestView,
    clock: clockView,
    behaviors: behaviorsView,
    bar: barView,
  }),
)
