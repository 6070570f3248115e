import { html, htmlDocument, type Markup } from '../html.ts'
import { createHtmlResponse, createSecurityHeaders } from '../serve.ts'
import { mono, theme } from '../theme.ts'

/** Selects the color and the icon. */
type Tone = 'plain' | 'good' | 'bad' | 'quiet'

export interface PaymentPageContent {
  readonly status: number
  readonly title: string
  readonly tone: Tone
  readonly body: Markup
  readonly footer?: Markup | undefined
  /** The only foreign address to which the form may navigate. */
  readonly redirectUrl?: string | null | undefined
}

/** The path of the stylesheet. Pages link to it by a relative URL, because a proxy may add a prefix to both. */
export const stylePath = '/pay/style.css'

export const createPageResponse = (
  page: PaymentPageContent,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  createHtmlResponse(renderDocument(page), { ...createPolicy(page.redirectUrl), ...headers }, page.status)

/** Creates a redirect to the stored URL, encoded for a header. */
export const createRedirectResponse = (redirectUrl: string): Response =>
  new Response(null, { status: 303, headers: { location: new URL(redirectUrl).href, ...createPolicy(redirectUrl) } })

const createPolicy = (redirectUrl: string | null | undefined) =>
  createSecurityHeaders(
    `style-src 'self'; form-action 'self'${redirectUrl ? ` ${getFormAction(new URL(redirectUrl))}` : ''}`,
  )

/**
 * The `form-action` source of a redirect. Without it the browser pays first and then blocks the navigation to the merchant.
 * A policy cannot express an IPv6 address or a host with `_`, and `;` in a host would end the directive.
 */
const getFormAction = ({ origin, protocol }: URL): string =>
  /^https?:\/\/[a-z\d-]+(?:\.[a-z\d-]+)*(?::\d+)?$/.test(origin) ? origin : protocol

// The meta tag overrides the header `no-referrer`, with which browsers would hide the Origin of the form.
const renderDocument = ({ title, tone, body, footer }: PaymentPageContent): Markup =>
  htmlDocument(
    title,
    html`
      <meta name="referrer" content="same-origin" />
      <link rel="stylesheet" href="../style.css" />
    `,
    html`<body class="${tone}">
      <header>
        <p data-testid="mock-note"><strong>Mock</strong> This page is for tests. No money moves.</p>
      </header>
      <main>
        ${icons[tone]}
        <h1>${title}</h1>
        ${body}
      </main>
      <footer>
        ${footer}
        <p><a href="../../docs">API description</a></p>
      </footer>
    </body>`,
  )

const icon = (path: string): Markup => html`
  <svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}" /></svg>
`

const icons: Readonly<Record<Tone, Markup>> = {
  plain: html``,
  good: icon('M5 12.5l4.5 4.5L19 7.5'),
  bad: icon('M7 7l10 10M17 7L7 17'),
  quiet: icon('M12 6v7M12 17.5v.5'),
}

export const paymentStyles = `${theme}body {
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1.25rem;
  min-height: 100vh; min-height: 100dvh; padding: 1.25rem 1rem;
}
header, main, footer { width: 100%; max-width: 27rem; }
header p { margin: 0; color: var(--muted); font-size: .875rem; text-align: center; text-wrap: balance; }
header strong {
  margin-right: .375rem; padding: .125rem .5rem; border: 1px solid var(--edge); border-radius: 1rem;
  font-size: .75rem; letter-spacing: .04em; text-transform: uppercase;
}
main {
  padding: clamp(1.25rem, 6vw, 2rem);
  background: var(--card); border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow);
}
h1 { margin-bottom: 1rem; text-wrap: balance; }
main > p { margin: 0 0 1rem; overflow-wrap: anywhere; }
main > :last-child { margin-bottom: 0; }
.sign {
  display: block; width: 3rem; height: 3rem; margin: 0 0 1rem; padding: .625rem; border-radius: 50%;
  fill: none; stroke: currentcolor; stroke-width: 2.25; stroke-linecap: round; stroke-linejoin: round;
}
.good .sign { color: var(--good); background: var(--good-ground); }
.bad .sign { color: var(--bad); background: var(--bad-ground); }
.quiet .sign { color: var(--quiet); background: var(--quiet-ground); }
dl { margin: 0 0 1.5rem; border-top: 1px solid var(--line); }
dl > div {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem;
  padding: .625rem 0; border-bottom: 1px solid var(--line);
}
dt { color: var(--muted); }
dd { min-width: 0; margin: 0; font-weight: 500; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
dd.none { color: var(--muted); font-weight: 400; }
form { display: grid; gap: .75rem; margin: 0; }
button, .button {
  width: 100%; min-height: 3rem; padding: .625rem 1.25rem; border-radius: .625rem; background: transparent;
  font-size: 1rem; overflow-wrap: anywhere;
}
.first { background: var(--accent); }
.after { margin: 1rem 0 0; color: var(--muted); font-size: .875rem; overflow-wrap: anywhere; }
footer { color: var(--muted); font-size: .8125rem; text-align: center; overflow-wrap: anywhere; }
footer p { margin: 0 0 .25rem; }
footer a { color: inherit; }
footer bdi { font-family: ${mono}; }
@media (forced-colors: active) { .first { border-width: 3px; } }
`
