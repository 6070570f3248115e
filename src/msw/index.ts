import { http, HttpResponse, type RequestHandler } from 'msw'
import type { Mock } from '../mock.ts'

/**
 * Handlers of msw by which code that has the address of the service built in is answered in this process. `baseUrl` is
 * that address, base path included; the mock itself needs no `basePath`. Payment pages are answered on the same origin.
 */
export const paylinkHandlers = (mock: Pick<Mock, 'fetch'>, baseUrl: string): RequestHandler[] => {
  const { origin, pathname } = new URL(baseUrl)
  const basePath = pathname.replace(/\/+$/, '')
  const answer = async ({ request }: { readonly request: Request }): Promise<Response> => {
    const { pathname: path, search } = new URL(request.url)
    const own = path.startsWith(`${basePath}/projects`) ? path.slice(basePath.length) : path
    // Of what a handler throws msw makes a 500; a connection that breaks is no answer at all.
    return mock.fetch(new Request(`${origin}${own}${search}`, request)).catch(() => HttpResponse.error())
  }
  return [`${origin}${basePath}/*`, `${origin}/pay/*`].map((path) => http.all(path, answer))
}
