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
          <li>
            <a href="__admin/">Dashboard</a>
            <p>Look at the state and change it: rows, payments, the clock, snapshots, faults, what clients sent.</p>
          </li>
          <li>
            <a href="docs">Interface</a>
            <p>The operations with their parameters, schemas and errors, and a line of curl for each.</p>
          </li>
          <li>
            <a href="openapi.json">openapi.json</a>
            <p>The same for tools.</p>
          </li>
          <li>
            <a href="__admin/openapi.json">__admin/openapi.json</a>
            <p>The control plane, by which a test steers the mock. It may need the admin token.</p>
          </li>
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

const labels = [
  'List the users',
  'Pay a payment link, as the customer would',
  'Retrieve the payment link, which is completed now',
]
