import { html } from '../html.ts'
import { behaviorsView, clockView } from './time-and-behaviors-view.ts'
import { coverageView, diagnosticsView } from './diagnostics-view.ts'
import { faultsView } from './faults-view.ts'
import { journalView, requestView } from './journal-view.ts'
import type { PageRequest, ProjectRequest, View } from './page-request.ts'
import { paymentLinkView, paymentLinksView } from './payment-links-view.ts'
import { projectsView, sandboxesView, snapshotsView } from './projects-view.ts'
import { barView } from './shell.ts'
import { userView, usersView } from './users-view.ts'

/** Wraps a view, so that the browser refreshes it on events. */
const live =
  <R extends PageRequest>(view: View<R>): View<R> =>
  async (request) =>
    html`<div data-live>${await view(request)}</div>`

/** Shows a view of one project, or asks to choose one. */
const ofProject =
  (title: string, view: View<ProjectRequest>): View =>
  (request) =>
    request.project === undefined
      ? html`
          <h1 tabindex="-1">${title}</h1>
          <p class="lead">This tab shows one project. Choose one above.</p>
          <p><a class="button" href="#projects">Show the projects</a></p>
        `
      : view({ ...request, project: request.project })

/** The views by name, as in `/__admin/dashboard/{view}`. */
export const views: ReadonlyMap<string, View> = new Map([
  ['projects', live(projectsView)],
  ['sandboxes', sandboxesView],
  ['users', ofProject('Users', live(usersView))],
  ['payment-links', ofProject('Payment links', live(paymentLinksView))],
  ['snapshots', snapshotsView],
  ['faults', live(faultsView)],
  ['journal', live(journalView)],
  ['diagnostics', live(diagnosticsView)],
  ['coverage', live(coverageView)],
  ['user', ofProject('User', userView)],
  ['payment-link', ofProject('Payment link', paymentLinkView)],
  ['request', requestView],
  ['clock', live(clockView)],
  ['behaviors', live(behaviorsView)],
  ['bar', barView],
])
