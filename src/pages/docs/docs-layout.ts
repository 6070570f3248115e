import type { StoryStep } from '../../wire/curl.ts'
import { curlBlock, html, htmlDocument, type Markup } from '../html.ts'
import { theme } from '../theme.ts'

interface DocsPage {
  readonly title: string
  readonly body: Markup
  /** The relative path to `/`. @default '' */
  readonly root?: string
  /** The path of its script. @default none */
  readonly script?: string
}

/** A page without forms. */
export const layout = ({ title, body, root = '', script }: DocsPage): Markup =>
  htmlDocument(
    title,
    html`
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="${root}docs/style.css" />
      ${script !== undefined && html`<script src="${script}" defer></script>`}
    `,
    html`<body>
      ${body}
    </body>`,
  )

/** The payment story as numbered curl commands. */
export const storySteps = (steps: readonly StoryStep[]): Markup =>
  html`${steps.map(({ title, curl }, index) => {
    const label = `${index + 1}. ${title}`
    return [html`<h3>${label}</h3>`, curlBlock(label, curl)]
  })}`

export const docsStyles = `${theme}
body { max-width: 56rem; padding: clamp(1rem, 5vw, 3rem) clamp(.75rem, 4vw, 2rem) 4rem; }
h1 { margin-bottom: .5rem; font-size: 1.75rem; }
h2 { margin: 0 0 .25rem; font-size: 1.25rem; overflow-wrap: anywhere; }
h3 { margin: 1.25rem 0 .375rem; font-size: .9375rem; }
ul { margin: 0 0 .75rem; padding-left: 1.25rem; }
li { margin: 0 0 .25rem; overflow-wrap: anywhere; }
small, nav code, header > p:first-child { color: var(--muted); }
nav h2 { margin-top: 1.25rem; font-size: 1rem; }
section, .doors li {
  margin: 1.5rem 0 0; padding: clamp(1rem, 4vw, 1.5rem); border: 1px solid var(--line); border-radius: 1rem;
  background: var(--card);
}
section:target { border-color: var(--accent); }
.route { color: var(--muted); }
.scroll { overflow-x: auto; }
table { width: 100%; border-spacing: 0; font-size: .875rem; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--muted); font-weight: 500; }
tbody th { font-weight: 400; white-space: nowrap; }
.next { margin-top: 2rem; }
strong.active { color: var(--accent); }
strong.completed { color: var(--good); }
strong.canceled { color: var(--quiet); }
.doors { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1rem; padding: 0; list-style: none; }
.doors li { margin: 0; }
.doors a { font-size: 1.125rem; font-weight: 600; }
.doors p { margin: .25rem 0 0; color: var(--muted); }
`
