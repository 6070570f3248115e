import { http, HttpResponse, type RequestHandler } from 'msw'
import type { Mock } from '../../index.ts'
import { requireOption } from '../../core/schema/check-options.ts'
import { describeBaseUrl, isBaseUrl, trimSlashes } from '../../core/schema/url.ts'

/**
 * Creates msw handlers that respond to requests to the real service, and to payment pages on its origin.
 *
 * @param baseUrl the URL of the service with its base path; the mock itself needs no `basePath`
 * @returns the handlers for `setupServer` or `setupWorker`
 * @throws `invalidOptions` if the URL is invalid
 * @example
 * const server = setupServer(...paylinkHandlers(mock, 'https://api.example.com/v1'))
 */
export const paylinkHandlers = (mock: Pick<Mock, 'fetch'>, baseUrl: string): RequestHandler[] => {
  const isMock = typeof (mock as Mock | null)?.fetch === 'function'
  requireOption('mock', isMock, 'must be a mock with a fetch function', mock)
  requireOption('baseUrl', isBaseUrl(baseUrl), describeBaseUrl('https://api.example.com/v1'), baseUrl)
  const { origin, pathname } = new URL(baseUrl)
  const basePath = trimSlashes(pathname)
  const respondFromMock = async ({ request }: { readonly request: Request }): Promise<Response> => {
    const { pathname: requestPath, search } = new URL(request.url)
    const mockPath = requestPath.startsWith(`${basePath}/projects`) ? requestPath.slice(basePath.length) : requestPath
    return mock.fetch(new Request(`${origin}${mockPath}${search}`, request)).catch((error: unknown) => {
      // msw turns a thrown error into a 500, but a broken connection has no response.
      // Its error response becomes the cause of the rejection, which code reads.
      if (error instanceof TypeError) return Object.assign(HttpResponse.error(), error.cause)
      throw error
    })
  }
  return [`${origin}${basePath}/*`, `${origin}/pay/*`].map((path) => http.all(path, respondFromMock))
}
