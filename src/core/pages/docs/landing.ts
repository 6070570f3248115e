import type { ClockStatus } from '../../schema/clock-document.ts'
import { formatCounts, pluralize } from '../../schema/problem.ts'
import { shorten } from '../../schema/text.ts'
import type { ProjectSummary } from '../../schema/summaries.ts'
import { isAddressable } from '../../schema/url.ts'
import { docsDocument, html, type Markup, storySteps, variablesNote } from '../html.ts'
import type { Dashboard } from '../page-options.ts'
import type { PageExamples } from './documented-operations.ts'

/** The content of the mock. Only callers of the control API may see it. */
interface Overview {
  readonly projects: readonly ProjectSummary[]
  readonly clock: ClockStatus
  readonly idSeed: string
}

/** The page at `/`: what runs here, the payment story, and links to everything. The script refreshes `data-live`. */
export const landing = (
  overview: Overview | undefined,
  examples: PageExamples,
  dashboard: Dashboard | undefined,
): Markup =>
  docsDocument({
    title: 'Start page',
    script: 'docs/script.js',
    body: html`
      <main data-source="${getSource(examples)}">
        <h1>paylink-mock</h1>
        <p>
          An in-memory mock of a subscription-management API with users and payment links. It is for tests: all data is
          lost when it stops, and no money is moved.
        </p>
        <section>
          <h2>What runs here</h2>
          <div id="overview" data-live>
            ${overview === undefined ? hiddenOverview(dashboard) : overviewParts(overview, dashboard)}
          </div>
        </section>
        <section>
          <h2>The payment story</h2>
          ${linkParts(examples)} ${variablesNote(examples.story.flatMap(({ curl }) => curl))}
          ${storySteps(examples.story)}
        </section>
        <h2 class="next">Where to go next</h2>
        <ul class="doors">
          ${listSiteLinks(dashboard).map(
            ([href, title, text]) =>
              html`<li>
                <a href="${href}">${title}</a>
                <p>${text}</p>
              </li>`,
          )}
        </ul>
      </main>
    `,
  })

/** Returns the URL of this page for this link. Without it, the page would show another link after the payment. */
const getSource = ({ project, link }: PageExamples): string =>
  link === undefined ? './' : `./?${String(new URLSearchParams({ project, paymentLink: link.id }))}`

const hiddenOverview = (dashboard: Dashboard | undefined): Markup =>
  dashboard === undefined
    ? html`<p>The control API lists the projects. It needs the admin token.</p>`
    : html`<p>The <a href="${dashboard.getPath()}">dashboard</a> shows the projects. It needs the admin token.</p>`

const maxProjects = 10

const overviewParts = ({ projects, clock, idSeed }: Overview, dashboard: Dashboard | undefined): Markup => html`
  <ul>
    ${projects.slice(0, maxProjects).map((project) => projectItem(project, dashboard))}
    ${
      projects.length > maxProjects &&
      html`<li>${linkTo(dashboard?.getPath(), pluralize(projects.length - maxProjects, 'more project'))}</li>`
    }
    ${projects.length === 0 && html`<li>No projects yet. The first request to a project creates it.</li>`}
    <li>Clock: ${clockText(clock)}</li>
    <li>Id seed: <code>${shorten(idSeed, 100)}</code></li>
  </ul>
`

const linkTo = (path: string | undefined, text: string): Markup | string =>
  path === undefined ? text : html`<a href="${path}">${text}</a>`

const projectItem = (project: ProjectSummary, dashboard: Dashboard | undefined): Markup => {
  const { id } = project
  const link = linkTo(isAddressable(id) ? dashboard?.getPath(id) : undefined, shorten(id, 100))
  return html`<li>Project ${link}: ${formatCounts(project)}</li>`
}

const clockText = ({ mode, now }: ClockStatus): Markup =>
  mode === 'real' ? html`the time of this machine` : html`${mode} at <time datetime="${now}">${now}</time>`

const linkParts = (examples: PageExamples): Markup | undefined => {
  const { project, link } = examples
  if (link === undefined) return undefined
  const paymentPagePath = `pay/${encodeURIComponent(project)}/${encodeURIComponent(link.id)}`
  return html`
    <p id="status" role="status" data-live>
      The payment link <code>${shorten(link.id, 100)}</code> is <strong class="${link.status}">${link.status}</strong>.
      ${
        link.status === 'active'
          ? html`Pay it on its <a href="${paymentPagePath}">payment page</a>, or with the commands below.`
          : html`<a href="./">Show an active link</a>`
      }
    </p>
    <noscript
      ><p>
        Without JavaScript this page does not refresh itself. <a href="${getSource(examples)}">Refresh it</a>
      </p></noscript
    >
  `
}

const dashboardSummary = 'Shows and changes records, payments, clock, snapshots, behaviors and faults.'

const listSiteLinks = (dashboard: Dashboard | undefined) => [
  ...(dashboard === undefined ? [] : [[dashboard.getPath(), 'Dashboard', dashboardSummary]]),
  ['docs', 'API description', 'The operations with parameters, schemas, errors and curl commands.'],
  ['openapi.json', 'OpenAPI', 'The mocked API, for tools.'],
  [
    '__admin/openapi.json',
    'OpenAPI of the control API',
    'The commands with which tests control the mock. It may need the admin token.',
  ],
]

/** The page for an unknown path. Its links are relative, since a proxy may put a prefix before them. */
export const notFound = (path: string, dashboard: Dashboard | undefined): Markup => {
  const root = '../'.repeat(path.split('/').length - 2) || './'
  return docsDocument({
    title: 'Not found',
    root,
    body: html`
      <main>
        <h1>Not found</h1>
        <p>There is nothing at <code>${shorten(path, 500)}</code>.</p>
        <ul>
          <li><a href="${root}">What this server is</a></li>
          ${dashboard !== undefined && html`<li><a href="${root}${dashboard.getPath()}">Dashboard</a></li>`}
          <li><a href="${root}docs">API description</a></li>
        </ul>
      </main>
    `,
  })
}
