import { getPath } from 'hono/utils/url'
import { checkAccess } from '../control/access.ts'
import { createMock } from '../mock.ts'
import type { MockOptions } from '../schema/options.ts'
import { Refusal } from '../schema/error.ts'
import { hostName } from '../wire/host.ts'
import { errorResponse, realResponse } from '../wire/respond.ts'
import { type ProjectClass, projectClass } from './project-object.ts'

export type { ObjectState, ProjectClass, ProjectObject } from './project-object.ts'
export type { ObjectStorage } from './storage.ts'

/** What the configuration of the Worker binds. */
export interface WorkerEnv {
  /** The Durable Objects of the class `Project`. */
  readonly PROJECTS: {
    idFromName(name: string): unknown
    get(id: never): { fetch(request: Request): Promise<Response> }
  }
  /** The bearer token of the control plane: `none` leaves it open, and without one it is closed. */
  readonly PAYLINK_MOCK_ADMIN_TOKEN?: string | undefined
}

/** What a module of a Worker exports: `fetch` as its default export, and the class by its name. */
export interface PaylinkWorker {
  readonly fetch: (request: Request, env: WorkerEnv) => Promise<Response>
  readonly Project: ProjectClass
}

/**
 * The mock as a Worker, with one Durable Object for each project. State is kept in the storage of the object; journal,
 * faults and snapshots live as long as the object is awake. The control plane is there for one project at a time.
 */
export const paylinkWorker = (options: MockOptions = {}): PaylinkWorker => {
  // What belongs to no project is the same everywhere. It has no rows, whose ids its pages would show to everybody.
  const rest = createMock({ ...options, seed: { ...options.seed, projects: {}, template: {} } })
  const projectOf = projectIn(options.basePath ?? '')
  return {
    Project: projectClass(options, projectOf),
    fetch: async (request, env) => {
      try {
        const admin = isAdmin(request)
        if (admin) defendIn(request, env)
        const project = projectOf(request)
        if (project !== undefined)
          return await env.PROJECTS.get(env.PROJECTS.idFromName(project) as never).fetch(request)
        if (admin) refuseForAll(request)
      } catch (error) {
        if (error instanceof Refusal) return realResponse(errorResponse(error))
        throw error
      }
      return rest.fetch(request)
    },
  }
}

const open = new Set(['/__admin/health', '/__admin/openapi.json'])

// The path as the router reads it, where `/__%61dmin` is `/__admin` too.
const isAdmin = (request: Request): boolean => {
  const path = getPath(request)
  return /^\/__admin(\/|$)/.test(path) && !open.has(path)
}

const projectIn = (basePath: string) => {
  const places = [`${basePath}/projects/`, '/pay/', '/__admin/projects/']
  return (request: Request): string | undefined => {
    const path = getPath(request)
    const place = places.find((one) => path.startsWith(one))
    const [segment = '', ...behind] = place === undefined ? [] : path.slice(place.length).split('/')
    // What stands right under /pay is a file of the pages, and belongs to no project.
    if (segment === '' || (place === '/pay/' && behind.length === 0)) return undefined
    try {
      return decodeURIComponent(segment)
    } catch {
      // The router would read it as it is, as another address of the project '%25FF'.
      throw new Refusal('malformedRequest', `'${segment}' in the path cannot be decoded, so it names no project.`, {
        hint: 'Percent-encode the name of the project as UTF-8.',
      })
    }
  }
}

/** The name of a Worker is a public one, and its own: what is left to ask for is the token. */
const defendIn = ({ headers, method }: Request, { PAYLINK_MOCK_ADMIN_TOKEN: token }: WorkerEnv): void => {
  const host = headers.get('host') ?? ''
  const admin = { token: token === 'none' ? undefined : (token ?? crypto.randomUUID()), allowedHosts: [hostName(host)] }
  const header = (name: string) => headers.get(name) ?? undefined
  checkAccess({
    req: { header, method },
    env: { connection: { admin, stopping: () => false, onStop: () => () => {} } },
  })
}

const refuseForAll = ({ method, url }: Request): never => {
  throw new Refusal(
    'routeNotFound',
    `${method} ${new URL(url).pathname} is for all projects, and here each is an object by itself.`,
    {
      hint: 'Steer one project: /__admin/projects/{project}/...',
    },
  )
}
