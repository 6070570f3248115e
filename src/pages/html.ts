import { html } from 'hono/html'
import { describeVariables, type StoryStep } from '../openapi/curl.ts'

export { html }
export type Markup = ReturnType<typeof html>

/** A whole page. `head` has its stylesheets, scripts and other meta tags. */
export const htmlDocument = (title: string, head: Markup, body: Markup): Markup => html`
  <!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>${title} - paylink-mock</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      ${head}
    </head>
    ${body}
  </html>
`

interface DocsPage {
  readonly title: string
  readonly body: Markup
  /** The relative path to `/`. @default '' */
  readonly root?: string
  /** The path of its script. @default none */
  readonly script?: string
}

/** A page of the documentation, which has no forms. */
export const docsDocument = ({ title, body, root = '', script }: DocsPage): Markup =>
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

/** Renders text of the mock, with `backticks` as code and *asterisks* as strong. */
export const inlineMarkdown = (text: string): Markup =>
  html`${text.split(/(`[^`]+`|\*+\w[^*]*\*+)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('*') ? html`<strong>${part.replaceAll('*', '')}</strong>` : part
  })}`

/** A shell command with a label. It breaks before its flags and after the commas of a body, not inside a URL. */
export const curlBlock = (label: string, curl: readonly string[], button?: Markup): Markup => {
  const parts = curl.map((part, index) => [
    index > 0 && ' ',
    part.startsWith('--data-raw')
      ? html`<span class="body">${part.split(/(?<=,)/).map((text) => html`${text}<wbr />`)}</span>`
      : html`<span>${part}</span>`,
  ])
  return codeBlock(`${label}, as curl`, parts, button)
}

/** A block of code, which a script may add a copy button to. */
const codeBlock = (label: string, content: unknown, button?: Markup): Markup =>
  html`<div class="curl" role="group" aria-label="${label}">
    <pre tabindex="0"><code>${content}</code></pre>
    ${button}
  </div>`

/** The payment story as numbered curl commands. */
export const storySteps = (steps: readonly StoryStep[]): Markup =>
  html`${steps.map(({ title, curl }, index) => {
    const label = `${index + 1}. ${title}`
    return [html`<h3>${label}</h3>`, curlBlock(label, curl)]
  })}`

/** Renders a note about the shell variables of commands, or of their parts. Undefined without variables. */
export const variablesNote = (commands: readonly string[]): Markup | undefined => {
  const variables = describeVariables(commands)
  return variables === undefined ? undefined : html`<p>Set ${variables} first.</p>`
}
