import { getCorsHeaders, type CorsOrigins, isApiUrl, respondToPreflight } from '../http/cors.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Instance } from './instance.ts'
import type { Sandboxes, SandboxVisit } from './sandboxes.ts'
import { MockError } from '../schema/error.ts'
import { createErrorResponse, toRealResponse } from '../wire/respond.ts'
import { splitSandboxPath } from '../wire/sandbox-path.ts'
import type { HandleWithContext } from './with-logging.ts'

/** Creates a handler that sends requests below `/@name` to their sandbox, and all others to the root. */
export const routeToSandboxes =
  (root: Instance, sandboxes: Sandboxes, basePath: string, cors: CorsOrigins): HandleWithContext<RequestContext> =>
  (request, connection, transport, onContext) => {
    const respondIn = async ({ instance, leave }: SandboxVisit, inner: Request): Promise<Response> => {
      let status = 404
      try {
        const response = await instance.respond(inner, connection, transport, onContext)
        status = response.status
        return response
      } finally {
        leave(isUse(inner, status, basePath))
      }
    }
    const toCaller = (response: Response) => (transport === undefined ? toRealResponse(response) : response)
    try {
      const preflight = cors && respondToPreflight(request, cors, basePath)
      if (preflight !== undefined) return toCaller(preflight)
      const path = splitSandboxPath(request.url)
      if (path === undefined) return root.respond(request, connection, transport, onContext)
      // Links of the pages are relative.
      if (path.isBare) return new Response(null, { status: 307, headers: { location: `@${path.name}/` } })
      return respondIn(sandboxes.enter(path.name), withUrl(request, path.url))
    } catch (error) {
      if (!(error instanceof MockError)) throw error
      const headers = isApiUrl(request.url, basePath) ? getCorsHeaders(cors, request.headers.get('origin')) : {}
      return toCaller(createErrorResponse(error, 'object', headers))
    }
  }

/** Copies a request with another URL. A socket request has a method that is cheaper than a real `Request`. */
const withUrl = (request: Request & { withUrl?: (url: string) => Request }, url: string): Request =>
  request.withUrl?.(url) ?? new Request(url, request)

/** Returns true if a request used its sandbox: the mocked API accepted it, or it changed something. */
const isUse = ({ method, url }: Request, status: number, basePath: string): boolean => {
  if (status === 401 || status === 404 || status === 405) return false
  if (method === 'OPTIONS') return false
  if (url.startsWith(`${basePath}/projects/`, url.indexOf('/', url.indexOf('//') + 2))) return true
  return status < 400 && method !== 'GET' && method !== 'HEAD'
}
