import { html, type Markup } from '../html.ts'
import { head } from '../head.ts'

interface StillPage {
  readonly title: string
  readonly body: Markup
  /** The way to `/`. @default '' */
  readonly root?: string
}

/** A page that is read: it has no script and no form. */
export const page = ({ title, body, root = '' }: StillPage): Markup => html`
  <!doctype html>
  <html lang="en">
    ${head(
      title,
      html`
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${root}docs/style.css" />
      `,
    )}
    <body>
      ${body}
    </body>
  </html>
`

/** A line of the shell, and what it does. */
export const lineBlock = (label: string, line: string): Markup =>
  html`<pre tabindex="0" role="group" aria-label="${label}, as curl"><code>${line}</code></pre>`
