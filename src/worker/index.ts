import { getPath } from 'hono/utils/url'
import { checkAccess } from '../control/access.ts'
import { createMock } from '../mock.ts'
import type { MockOptions } from '../schema/options.ts'
import { MockError } from '../schema/error.ts'
import { hostName } from '../wire/transport.ts'
import { errorResponse, realResponse } from '../wire/respond.ts'
import { type ProjectClass, projectClass } from './project-object.ts'

export type { ObjectState, ProjectClass, ProjectObject } from './project-object.ts'
export type { ObjectStorage } from './storage.ts'

/** The bindings of the Worker. */
export interface WorkerEnv {
  /** The Durable Objects of the class `Project`. */
  readonly PROJECTS: {
    idFromName(name: string): unknown
    get(id: never): { fetch(request: Request): Promise<Response> }
  }
  /** The bearer token of the control API, or `none` to leave it open. @default no access */
  readonly PAYLINK_MOCK_ADMIN_TOKEN?: string | undefined
}

/** The exports of a Worker module: `fetch` in the default export, and the class by its name. */
export interface PaylinkWorker {
  readonly fetch: (request: Request, env: WorkerEnv) => Promise<Response>
  readonly Project: ProjectClass
}

/**
 * Creates a Worker with one Durable Object for each project. Its storage keeps the state, tokens, faults and snapshots; the
 * journal exists while the object is awake. The control API only accepts calls for one project.
 *
 * @param options the options of the mock of each project
 * @throws `invalidOptions` for an invalid option
 * @example
 * const { fetch, Project } = paylinkWorker({ clock: 'stepping' })
 * export { Project }
 * export default { fetch }
 */
export const paylinkWorker = (options: MockOptions = {}): PaylinkWorker => {
  // Serves requests without a project. It has no records, because its pages would show their ids to everyone.
  const shared = createMock({ ...options, maxSandboxes: 0, seed: { ...options.seed, projects: {}, template: {} } })
  const projectOf = projectIn(options.basePath ?? '')
  return {
    Project: projectClass(options, projectOf),
    fetch: async (request, env) => {
      try {
        const admin = isAdmin(request)
        if (admin) checkAdminAccess(request, env)
        const project = projectOf(request)
        if (project !== undefined)
          return await env.PROJECTS.get(env.PROJECTS.idFromName(project) as never).fetch(request)
        if (admin) throw needsProject(request)
      } catch (error) {
        if (error instanceof MockError) return realResponse(errorResponse(error))
        throw error
      }
      return shared.fetch(request)
    },
  }
}

const dashboard = '/__admin/dashboard/'

// The frame of the dashboard has no data. Its script fetches the views with the token.
const publicPaths = new Set([
  '/__admin/health',
  '/__admin/openapi.json',
  '/__admin',
  '/__admin/',
  `${dashboard}style.css`,
  `${dashboard}script.js`,
])

// The router decodes the path: `/__%61dmin` is `/__admin` too.
const isAdmin = (request: Request): boolean => {
  const path = getPath(request)
  return /^\/__admin(\/|$)/.test(path) && !publicPaths.has(path)
}

const projectIn = (basePath: string) => {
  const prefixes = [`${basePath}/projects/`, '/pay/', '/__admin/projects/']
  return (request: Request): string | undefined => {
    const path = getPath(request)
    if (publicPaths.has(path)) return undefined
    if (path.startsWith(dashboard)) return new URL(request.url).searchParams.get('project') || undefined
    const prefix = prefixes.find((one) => path.startsWith(one))
    const [segment = '', ...rest] = prefix === undefined ? [] : path.slice(prefix.length).split('/')
    // A file directly in /pay is an asset of the pages.
    if (segment === '' || (prefix === '/pay/' && rest.length === 0)) return undefined
    try {
      return decodeURIComponent(segment)
    } catch {
      // The router would not decode it, so '%FF' would be a second name of the project '%25FF'.
      throw new MockError(
        'malformedRequest',
        `'${segment}' in the path cannot be decoded, so it is not the name of a project.`,
        {
          hint: 'Percent-encode the name of the project as UTF-8.',
        },
      )
    }
  }
}

/** The host of a Worker is public, so only the token matters. */
const checkAdminAccess = ({ headers, method }: Request, { PAYLINK_MOCK_ADMIN_TOKEN: token }: WorkerEnv): void => {
  const host = headers.get('host') ?? ''
  const admin = { token: token === 'none' ? undefined : (token ?? crypto.randomUUID()), allowedHosts: [hostName(host)] }
  const header = (name: string) => headers.get(name) ?? undefined
  checkAccess({
    req: { header, method },
    env: { connection: { admin, stopping: () => false, onStop: () => () => {} } },
  })
}

const needsProject = (request: Request): MockError =>
  new MockError(
    'routeNotFound',
    `${request.method} ${new URL(request.url).pathname} is for all projects, but each project is a separate object here.`,
    {
      hint: getPath(request).startsWith(dashboard)
        ? 'Open the dashboard of one project: /__admin/?project={project}'
        : 'Call it for one project: /__admin/projects/{project}/...',
    },
  )
