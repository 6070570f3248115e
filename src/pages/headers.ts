/** What keeps other pages, scripts and caches out of a page. The policy says what it may load. */
export const guardsOf = (policy: readonly string[]): Record<string, string> => ({
  'content-security-policy': ["default-src 'none'", ...policy, "base-uri 'none'", "frame-ancestors 'none'"].join('; '),
  ...uncached,
})

const uncached = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** The media types of what pages are made of. */
const types = { html: 'text/html', css: 'text/css', js: 'text/javascript' }

/** A part of a page, as it is sent. */
export const textResponse = (
  kind: keyof typeof types,
  text: string,
  headers: Record<string, string> = uncached,
  status = 200,
) => new Response(text, { status, headers: { 'content-type': `${types[kind]}; charset=utf-8`, ...headers } })
