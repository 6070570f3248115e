import { html, htmlDocument, type Markup } from '../html.ts'
import { mono, sans, theme } from '../theme.ts'

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

/** A curl command. `label` says what it does. */
export const curlBlock = (label: string, line: string): Markup =>
  html`<pre tabindex="0" role="group" aria-label="${label}, as curl"><code>${line}</code></pre>`

export const stylesheet = `${theme}
body {
  max-width: 56rem; margin: 0 auto; padding: clamp(1rem, 5vw, 3rem) clamp(.75rem, 4vw, 2rem) 4rem;
  background: var(--ground); color: var(--text); font: 1rem/1.55 ${sans};
}
a { color: var(--accent); text-underline-offset: .2em; }
h1 { margin: 0 0 .5rem; font-size: 1.75rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { margin: 0 0 .25rem; font-size: 1.25rem; overflow-wrap: anywhere; }
h3 { margin: 1.25rem 0 .375rem; font-size: .9375rem; }
p { margin: 0 0 .75rem; }
ul { margin: 0 0 .75rem; padding-left: 1.25rem; }
li { margin: 0 0 .25rem; overflow-wrap: anywhere; }
small, nav code, header > p:first-child { color: var(--muted); }
code, pre { font-family: ${mono}; font-size: .84em; overflow-wrap: anywhere; }
nav h2 { margin-top: 1.25rem; font-size: 1rem; }
section, .doors li {
  margin: 1.5rem 0 0; padding: clamp(1rem, 4vw, 1.5rem); border: 1px solid var(--line); border-radius: 1rem;
  background: var(--card);
}
section:target { border-color: var(--accent); }
.route { color: var(--muted); }
pre {
  margin: 0 0 .75rem; padding: .75rem 1rem; overflow: auto; border: 1px solid var(--line); border-radius: .625rem;
  background: var(--ground); white-space: pre-wrap;
}
pre code { font-size: inherit; }
.scroll { overflow-x: auto; }
table { width: 100%; border-spacing: 0; font-size: .875rem; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--muted); font-weight: 500; }
tbody th { font-weight: 400; white-space: nowrap; }
.next { margin-top: 2rem; }
strong.active { color: var(--accent); }
strong.completed { color: var(--good); }
strong.canceled { color: var(--quiet); }
pre + button {
  margin: 0 0 .75rem; padding: .375rem .875rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--card);
  color: var(--text); font: inherit; font-size: .875rem; cursor: pointer;
}
.doors { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1rem; padding: 0; list-style: none; }
.doors li { margin: 0; }
.doors a { font-size: 1.125rem; font-weight: 600; }
.doors p { margin: .25rem 0 0; color: var(--muted); }
`
