import { html, type Markup } from './html.ts'

/** The head of a page; `rest` is what this one has beside: its stylesheet, and what it needs of scripts and referrers. */
export const head = (title: string, rest: Markup): Markup => html`
  <head>
    <meta charset="utf-8" />
    <title>${title} - paylink-mock</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    ${rest}
  </head>
`
