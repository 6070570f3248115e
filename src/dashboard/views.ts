import { isAddressable } from '../core/schema/url.ts'
import { shorten } from '../core/schema/text.ts'
import type { ProjectSummary } from '../core/schema/summaries.ts'
import { html, htmlDocument, type Markup } from '../core/pages/html.ts'
import { clockWithMode, formatCount } from './components.ts'
import { faultsView } from './faults-view.ts'
import { getDashboardLink, type PageRequest, type ProjectRequest, type View } from './page-request.ts'
import { paymentLinksView, paymentLinkView, usersView, userView } from './record-views.ts'
import { behaviorsView, clockView, projectsView, sandboxesView, snapshotsView } from './state-views.ts'
import { coverageView, diagnosticsView, journalView, requestView } from './traffic-views.ts'

/**
 * The frame of the dashboard. It contains no data and needs no token; the script fetches the views with the token. The
 * token field has no name and its form has no target, so that the token cannot get into a URL.
 */
export const shell = (): Markup =>
  htmlDocument(
    'Dashboard',
    html`
      <meta name="referrer" content="same-origin" />
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="dashboard/style.css" />
      <script src="dashboard/script.js" defer></script>
    `,
    html`<body>
      <a class="skip" href="#main">Skip to the content</a>
      <header>
        <a class="brand" href="../">paylink-mock</a>
        <div id="bar"></div>
        <a href="../docs">API description</a>
        <button id="live" title="Refreshes the view on every change">Live: not connected</button>
      </header>
      <nav id="sections" aria-label="Sections">
        ${Object.keys(sections).map((view) => html`<a href="#${view}">${formatLabel(view)}</a>`)}
      </nav>
      <main id="main" tabindex="-1">
        <noscript>
          The dashboard needs JavaScript. Without it, use the curl commands in the
          <a href="../docs">API description</a>.
        </noscript>
      </main>
      <div class="notices">
        <div id="done" role="status"></div>
        <div id="error" role="alert"></div>
      </div>
      <dialog id="confirm" aria-labelledby="question">
        <form method="dialog">
          <h2 id="question"></h2>
          <div class="actions">
            <button class="danger" value="yes"></button>
            <button autofocus>Go back</button>
          </div>
        </form>
      </dialog>
      <dialog id="token" aria-labelledby="token-title">
        <form method="dialog">
          <h2 id="token-title">Admin token</h2>
          <p>
            The control API needs the token from <code>PAYLINK_MOCK_ADMIN_TOKEN</code>, or the one that was printed at
            the start. It is stored in this tab only.
          </p>
          <label>Token <input type="password" autocomplete="off" required pattern="[!-~]+" /></label>
          <p role="alert"></p>
          <button class="first">Continue</button>
        </form>
      </dialog>
    </body>`,
  )

const formatLabel = (view: string) => view.charAt(0).toUpperCase() + view.slice(1).replace('-', ' ')

/** The maximum number of options of a select. The views of projects and sandboxes list the others. */
const maxOptions = 100

const selectOptions = (names: readonly string[], selected: string | undefined): readonly string[] => {
  const firstNames = names.slice(0, maxOptions)
  return selected === undefined || firstNames.includes(selected) ? firstNames : [...firstNames, selected]
}

const barView: View = async ({ project, client, sandbox, sandboxes }) => {
  const { items } = await client.call('listProjects')
  const ids = items.map(({ id }) => id)
  const shownProjects = selectOptions(ids.filter(isAddressable), project)
  const summary =
    project === undefined
      ? formatCount(ids.length, 'project')
      : renderSummary(await client.call('retrieveProject', { params: { project } }))
  return html`
    ${sandboxSelect(sandbox, selectOptions(sandboxes, sandbox))}
    <div>
      <label for="project">Project</label>
      <select id="project" ${ids.length === 1 && html`data-only="${ids}"`}>
        <option value="">All projects</option>
        ${shownProjects.map((id) => html`<option value="${id}" ${id === project && html`selected`}>${shorten(id, 100)}</option>`)}
      </select>
    </div>
    <p>${summary}</p>
  `
}

const sandboxSelect = (selected: string | undefined, names: readonly string[]): Markup | false =>
  names.length > 0 &&
  html`
    <div>
      <label for="sandbox">Sandbox</label>
      <select id="sandbox">
        ${[undefined, ...names].map((name) => {
          const isSelected = name === selected && html`selected`
          return html`<option value="${getDashboardLink(selected, name)}" ${isSelected}>${name ?? 'None'}</option>`
        })}
      </select>
    </div>
  `

const renderSummary = ({ users, paymentLinks, clock }: ProjectSummary): Markup => html`
  <span>${formatCount(users, 'user')}</span> <span>${formatCount(paymentLinks, 'payment link')}</span>
  <span>Clock: ${clockWithMode(clock)}</span>
`

/** The browser refreshes the view on events. */
const liveView =
  <R extends PageRequest>(view: View<R>): View<R> =>
  async (request) =>
    html`<div data-live>${await view(request)}</div>`

const projectView =
  (title: string, view: View<ProjectRequest>): View =>
  (request) =>
    request.project === undefined
      ? html`
          <h1 tabindex="-1">${title}</h1>
          <p class="lead">This tab shows one project. Choose one above.</p>
          <p><a class="button" href="#projects">Show the projects</a></p>
        `
      : view({ ...request, project: request.project })

/** The views with a tab, in their order. */
const sections: Readonly<Record<string, View>> = {
  projects: liveView(projectsView),
  users: projectView('Users', liveView(usersView)),
  'payment-links': projectView('Payment links', liveView(paymentLinksView)),
  clock: liveView(clockView),
  snapshots: liveView(snapshotsView),
  faults: liveView(faultsView),
  behaviors: liveView(behaviorsView),
  journal: liveView(journalView),
  diagnostics: liveView(diagnosticsView),
  coverage: liveView(coverageView),
}

/** The views by name, as in `/__admin/dashboard/{view}`. */
export const views: ReadonlyMap<string, View> = new Map(
  Object.entries({
    ...sections,
    sandboxes: sandboxesView,
    user: projectView('User', liveView(userView)),
    'payment-link': projectView('Payment link', liveView(paymentLinkView)),
    request: requestView,
    bar: barView,
  }),
)
