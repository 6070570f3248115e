import { html, type Markup } from '../html.ts'
import { head } from '../head.ts'

const sections: readonly (readonly [view: string, label: string])[] = [
  ['projects', 'Projects'],
  ['users', 'Users'],
  ['payment-links', 'Payment links'],
  ['clock', 'Clock'],
  ['snapshots', 'Snapshots'],
  ['faults', 'Faults'],
  ['behaviors', 'Behaviors'],
  ['journal', 'Journal'],
  ['findings', 'Findings'],
]

/**
 * The frame of the dashboard. It holds no data, so that it may be sent without the token: what is in it is fetched with
 * one. The field of the token has no name and its form leads nowhere, so that it cannot end up in an address.
 */
export const shell = (): Markup => html`
  <!doctype html>
  <html lang="en">
    ${head(
      'Dashboard',
      html`
        <meta name="referrer" content="same-origin" />
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="dashboard/style.css" />
        <script src="dashboard/script.js" defer></script>
      `,
    )}
    <body>
      <a class="skip" href="#main">Skip to the content</a>
      <header>
        <a class="brand" href="../">paylink-mock</a>
        <div id="bar"></div>
        <button id="live" aria-pressed="true" title="Show what happens as it happens">Live</button>
      </header>
      <nav id="sections" aria-label="Sections">
        ${sections.map(([view, label]) => html`<a href="#${view}">${label}</a>`)}
      </nav>
      <main id="main" tabindex="-1">
        <noscript
          ><p>
            The dashboard needs JavaScript. Without it, the <a href="../docs">documentation</a> has lines for curl.
          </p></noscript
        >
      </main>
      <div class="notices">
        <div id="done" role="status"></div>
        <div id="refusal" role="alert"></div>
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
            The control plane needs its token here: the one of <code>PAYLINK_MOCK_ADMIN_TOKEN</code>, or the one that
            was printed at the start. It stays in this tab.
          </p>
          <label>Token <input type="password" autocomplete="off" required pattern="[!-~]+" /></label>
          <p role="alert"></p>
          <button class="first">Go on</button>
        </form>
      </dialog>
    </body>
  </html>
`
