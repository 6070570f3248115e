import { html, type Markup } from './html.ts'
import { head } from './head.ts'
import { guardsOf } from './headers.ts'

/** What decides the colour and the sign of a page. */
type Tone = 'plain' | 'good' | 'bad' | 'quiet'

/** One page, from values: whatever these contain is shown as text. */
export interface Page {
  readonly status: number
  readonly title: string
  readonly tone: Tone
  readonly body: Markup
  readonly footer?: Markup | undefined
  /** The only address beside its own that the page's form may lead to. */
  readonly redirectUrl?: string | null | undefined
}

/** Where the stylesheet is. Pages name it relative to themselves, so that a proxy may put a prefix before both. */
export const stylePath = '/pay/style.css'

/** A page as it is sent, with all that keeps other pages and scripts out of it. */
export const pageResponse = async (page: Page, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  new Response(String(await documentOf(page)), {
    status: page.status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...guards(page.redirectUrl), ...headers },
  })

/** To the stored redirect and nowhere else, in the form a header can hold. */
export const redirectResponse = (redirectUrl: string): Response =>
  new Response(null, { status: 303, headers: { location: new URL(redirectUrl).href, ...guards(redirectUrl) } })

const guards = (redirectUrl: string | null | undefined): Record<string, string> =>
  guardsOf([
    "style-src 'self'",
    ["form-action 'self'", ...(redirectUrl ? [sourceOf(new URL(redirectUrl))] : [])].join(' '),
  ])

/**
 * What `form-action` names a redirect by: else the browser pays first and blocks the way to the merchant afterwards.
 * A policy has no words for an address of IPv6 or a host with `_`, and `;` in a host would end the directive.
 */
const sourceOf = ({ origin, protocol }: URL): string =>
  /^https?:\/\/[a-z\d-]+(?:\.[a-z\d-]+)*(?::\d+)?$/.test(origin) ? origin : protocol

// Under the header's no-referrer a browser would hide the Origin of the page's own form, too: the meta tag shows it.
const documentOf = ({ title, tone, body, footer }: Page): Markup => html`
  <!doctype html>
  <html lang="en">
    ${head(
      title,
      html`
        <meta name="referrer" content="same-origin" />
        <link rel="stylesheet" href="../style.css" />
      `,
    )}
    <body class="${tone}">
      <header>
        <p data-testid="mock-note"><strong>Mock</strong> This page is for tests. No money moves.</p>
      </header>
      <main>
        ${signs[tone]}
        <h1>${title}</h1>
        ${body}
      </main>
      ${footer && html`<footer>${footer}</footer>`}
    </body>
  </html>
`

const sign = (path: string): Markup => html`
  <svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}" /></svg>
`

const signs: Readonly<Record<Tone, Markup>> = {
  plain: html``,
  good: sign('M5 12.5l4.5 4.5L19 7.5'),
  bad: sign('M7 7l10 10M17 7L7 17'),
  quiet: sign('M12 6v7M12 17.5v.5'),
}
