import { shortened } from '../../schema/problem.ts'
import type { ProjectSummary } from '../../schema/summaries.ts'
import { html, htmlDocument, type Markup } from '../html.ts'
import { clockTime, counted } from './components.ts'
import { isAddressable, type View } from './page-request.ts'

const sections = 'projects users payment-links clock snapshots faults behaviors journal diagnostics'.split(' ')

/** `Payment links` for `payment-links` */
const labelOf = (view: string) => view.charAt(0).toUpperCase() + view.slice(1).replace('-', ' ')

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
        <button id="live" aria-pressed="true" title="Refresh the view on every change">Live</button>
      </header>
      <nav id="sections" aria-label="Sections">
        ${sections.map((view) => html`<a href="#${view}">${labelOf(view)}</a>`)}
      </nav>
      <main id="main" tabindex="-1">
        <noscript>
          The dashboard needs JavaScript. Without it, use the curl commands in the
          <a href="../docs">documentation</a>.
        </noscript>
      </main>
      <div class="notices">
        <div id="done" role="status"></div>
        <div id="error" role="alert"></div>
      </div>
      <dialog id="confirm" aria-labelledby="question">
        <form method="dialog">
          <h2 id="question"></h2>
          <label>Type the name of the project <input autocomplete="off" spellcheck="false" /></label>
          <div class="actions">
            <button class="danger" value="yes"></button>
            <button formnovalidate autofocus>Go back</button>
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

/** The maximum number of projects in the selection. The list of projects has the others. */
const maxProjects = 100

/** The bar above every view: the selected project, its counts and its clock. */
export const bar: View = async ({ project, client }) => {
  const { items } = await client.call('listProjects')
  const ids = items.map(({ id }) => id)
  const shown = ids.filter(isAddressable).slice(0, maxProjects)
  if (project !== undefined && !shown.includes(project)) shown.push(project)
  const summary =
    project === undefined
      ? counted(ids.length, 'project')
      : summaryOf(await client.call('retrieveProject', { params: { project } }))
  return html`
    <label for="project">Project</label>
    <select id="project" ${ids.length === 1 && html`data-only="${ids}"`}>
      <option value="">All projects</option>
      ${shown.map((id) => html`<option value="${id}" ${id === project && html`selected`}>${shortened(id, 100)}</option>`)}
    </select>
    <p>${summary}</p>
  `
}

const summaryOf = ({ users, paymentLinks, clock }: ProjectSummary): Markup => html`
  <span>${counted(users, 'user')}</span> <span>${counted(paymentLinks, 'payment link')}</span>
  <span>${clockTime(clock)} ${clock.mode}</span>
`
