import { html, type Markup, variablesNote } from '../html.ts'
import { curlBlock, layout } from './layout.ts'

/** The page at `/`: what the server is, links to everything, and curl commands to try. */
export const landing = (lines: readonly string[]): Markup =>
  layout({
    title: 'What this is',
    body: html`
      <main>
        <h1>paylink-mock</h1>
        <p>
          An in-memory mock of a subscription-management interface: users, and payment links through which a user pays
          an invoice. It is for tests: what is in it is gone when it stops, and no money moves.
        </p>
        <ul class="doors">
          ${links.map(
            ([href, title, text]) =>
              html`<li>
                <a href="${href}">${title}</a>
                <p>${text}</p>
              </li>`,
          )}
        </ul>
        <h2>Try it</h2>
        ${variablesNote(lines)}
        ${lines.map(
          (line, index) =>
            html`<p>${labels[index]!}:</p>
              ${curlBlock(labels[index]!, line)}`,
        )}
      </main>
    `,
  })

const links = [
  ['__admin/', 'Dashboard', 'The state, and forms to change it: records, payments, clock, snapshots and faults.'],
  ['docs', 'Interface', 'The operations with their parameters, schemas and errors, and a line of curl for each.'],
  ['openapi.json', 'openapi.json', 'The same for tools.'],
  ['__admin/openapi.json', '__admin/openapi.json', 'The control API, for tests. It may need the admin token.'],
]

const labels = ['List the users', 'Pay the payment link', 'Retrieve the payment link, which is completed now']
