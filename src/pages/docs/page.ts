import { html } from 'hono/html'
import type { Markup } from '../page.ts'

interface StillPage {
  readonly title: string
  readonly body: Markup
}

/** A page that is read: it has no script and no form. */
export const page = ({ title, body }: StillPage): Markup => html`
  <!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>${title} - paylink-mock</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="docs/style.css" />
    </head>
    <body>
      ${body}
    </body>
  </html>
`
