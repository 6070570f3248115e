import { errors, MockError } from '../../schema/error.ts'
import { checkAccess } from '../../control/control-routes.ts'
import { createMock } from '../../mock/mock.ts'
import type { MockOptions } from '../../schema/mock-options.ts'
import { normalizeHost } from '../../wire/transport.ts'
import { createErrorResponse, toRealResponse } from '../../wire/respond.ts'
import { type Address, createAddressParser, dashboardPath, getObjectName } from './address.ts'
import { type ProjectClass, createProjectClass } from './project-object.ts'

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
 * Creates a Worker with one Durable Object for each project of each sandbox. Its storage keeps the state, tokens, faults and
 * snapshots; the journal exists while the object is awake. The control API only accepts calls for one project.
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
  const shared = createMock({
    ...options,
    // The pages of one sandbox at a time are enough.
    maxSandboxes: options.maxSandboxes === 0 ? 0 : 1,
    seed: { ...options.seed, projects: {}, template: {} },
  })
  const parseAddress = createAddressParser(options.basePath ?? '', options.maxSandboxes !== 0)
  return {
    Project: createProjectClass(options, parseAddress),
    fetch: async (request, env) => {
      try {
        const address = parseAddress(request.url)
        if (address.isAdmin) checkAdminAccess(request, env)
        if (address.project !== undefined)
          return await env.PROJECTS.get(env.PROJECTS.idFromName(getObjectName(address)) as never).fetch(request)
        if (address.isAdmin) throw projectRequired(request, address)
      } catch (error) {
        if (error instanceof MockError) return toRealResponse(createErrorResponse(error))
        throw error
      }
      return shared.fetch(request)
    },
  }
}

/** Checks access like a server, but allows any Host: that of a Worker is public. */
const checkAdminAccess = ({ headers, method }: Request, { PAYLINK_MOCK_ADMIN_TOKEN: token }: WorkerEnv): void => {
  const host = headers.get('host') ?? ''
  const admin = {
    token: token === 'none' ? undefined : (token ?? crypto.randomUUID()),
    allowedHosts: [normalizeHost(host)],
  }
  const header = (name: string) => headers.get(name) ?? undefined
  checkAccess({
    req: { header, method },
    env: { connection: { admin, isStopping: () => false, onStop: () => () => {} } },
  })
}

const projectRequired = (request: Request, { path }: Address): MockError =>
  errors.routeNotFound({
    onlyForProjects: {
      method: request.method,
      path: new URL(request.url).pathname,
      isPage: path.startsWith(dashboardPath),
    },
  })
