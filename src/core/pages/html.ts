import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { type ConnectionEnv, respondToOtherMethod } from '../http/transport.ts'
import { nosniff, type ResponseHeaders } from '../http/respond.ts'
import { describeTokenVariables, type StoryStep } from '../openapi/curl.ts'

export { html }
export type Markup = ReturnType<typeof html>

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
  const curlParts = curl.map((part, index) => [
    index > 0 && ' ',
    part.startsWith('--data-raw')
      ? html`<span class="body">${part.split(/(?<=,)/).map((text) => html`${text}<wbr />`)}</span>`
      : html`<span>${part}</span>`,
  ])
  return html`<div class="curl" role="group" aria-label="${label}, as curl">
    <pre tabindex="0"><code>${curlParts}</code></pre>
    ${button}
  </div>`
}

export const storySteps = (steps: readonly StoryStep[]): Markup =>
  html`${steps.map(({ title, curl }, index) => {
    const label = `${index + 1}. ${title}`
    return [html`<h3>${label}</h3>`, curlBlock(label, curl)]
  })}`

/** Replaces the project of commands for a reader who may not see the projects. */
export const projectPlaceholder = 'PROJECT'

export const variablesNote = (commands: readonly string[]): Markup | undefined => {
  const tokenVariables = describeTokenVariables(commands)
  const hasPlaceholder = commands.some((text) => text.includes(`/projects/${projectPlaceholder}/`))
  const noteTexts = [
    ...(tokenVariables === undefined ? [] : [`Set ${tokenVariables} first.`]),
    ...(hasPlaceholder ? [`Replace ${projectPlaceholder} with the name of a project.`] : []),
  ]
  return noteTexts.length === 0 ? undefined : html`<p>${noteTexts.join(' ')}</p>`
}

export type PagesApp = Hono<ConnectionEnv>
export type PageContext = Context<ConnectionEnv>

export const needsAdminToken = ({ env: { connection } }: PageContext): boolean =>
  connection !== undefined && (connection.admin.isClosed === true || connection.admin.token !== undefined)

const noStore: ResponseHeaders = { ...nosniff, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' }

export const createSecurityHeaders = (contentPolicy: string): ResponseHeaders => ({
  'content-security-policy': `default-src 'none'; ${contentPolicy}; base-uri 'none'; frame-ancestors 'none'`,
  ...noStore,
})

export const createTextResponse = (type: 'css' | 'javascript', text: string): Response =>
  new Response(text, { headers: { 'content-type': `text/${type}; charset=utf-8`, ...noStore } })

/** Mounts a read-only page. `checkPageAccess` throws if access is denied. */
export const mountGet = (
  app: PagesApp,
  path: string,
  respond: (c: PageContext) => Response | Promise<Response>,
  checkPageAccess: (c: PageContext) => void = () => {},
): void => {
  app.all(path, (c) => {
    checkPageAccess(c)
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    return isRead ? respond(c) : respondToOtherMethod(c, ['GET', 'HEAD', 'OPTIONS'])
  })
}
