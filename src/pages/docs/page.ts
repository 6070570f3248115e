import { html } from 'hono/html'
import { head } from '../head.ts'
import type { Markup } from '../page.ts'

interface StillPage {
  readonly title: string
  readonly body: Markup
}

/** A page that is read: it has no script and no form. */
export const page = ({ title, body }: StillPage): Markup => html`
  <!doctype html>
  <html lang="en">
    ${head(
      title,
      html`
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="docs/style.css" />
      `,
    )}
    <body>
      ${body}
    </body>
  </html>
`
