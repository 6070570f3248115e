import { getPath } from 'hono/utils/url'
import {
  buildMockWithoutSockets,
  checkAccess,
  createCore,
  createErrorResponse,
  getHost,
  getId,
  mapKinds,
  type RecordKind,
  splitSandboxPath,
} from '../core/mock/extension.ts'
import { errors, MockError } from '../core/schema/error.ts'
import type { MockOptions } from '../core/schema/mock-options.ts'
import { decodePart } from '../core/schema/url.ts'
import { dashboard } from '../dashboard/dashboard-pages.ts'
import { dashboardPaths } from '../dashboard/paths.ts'
import { createStorage, type ObjectStorage } from './storage.ts'
import { createStoredProject, createStoredSnapshots, maxSnapshots } from './stored-project.ts'

export type { ObjectStorage } from './storage.ts'

/** The bindings of the Worker. */
export interface WorkerEnv {
  /** The Durable Objects of the class `Project`. */
  readonly PROJECTS: {
    /** Returns the id of the object with a name. */
    idFromName(name: string): unknown
    /** Returns the object with an id. */
    get(id: never): ProjectObject
  }
  /** The bearer token of the control API, or `none` to leave it open. @default no access */
  readonly PAYLINK_MOCK_ADMIN_TOKEN?: string | undefined
}

/** The part of a Durable Object's state that is used. */
export interface ObjectState {
  /** The storage of the object. */
  readonly storage: ObjectStorage
  /** Ends the object without storing what it has in memory. */
  abort(reason?: string): void
}

/** A Durable Object with one project, whose state is kept in its storage. */
export interface ProjectObject {
  /** Handles a request to the project. */
  fetch(request: Request): Promise<Response>
}

/** The class of the Durable Objects. */
export type ProjectClass = new (state: ObjectState, env?: unknown) => ProjectObject

/** The exports of a Worker module: `fetch` in the default export, and the class by its name. */
export interface PaylinkWorker {
  /** Handles a request: the `fetch` of the default export. */
  readonly fetch: (request: Request, env: WorkerEnv) => Promise<Response>
  /** The class of the Durable Objects, which the module exports. */
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
  const sharedOptions = {
    ...options,
    // The pages of one sandbox at a time are enough.
    maxSandboxes: options.maxSandboxes === 0 ? 0 : 1,
    seed: { ...options.seed, projects: {}, template: {} },
  }
  const sharedMock = buildMockWithoutSockets(createCore(sharedOptions, { dashboard }))
  const parseAddress = createAddressParser(options.basePath ?? '', options.maxSandboxes !== 0)
  const fetch = async (request: Request, env: Partial<WorkerEnv> = {}): Promise<Response> => {
    try {
      const { objectName, path, isAdmin } = parseAddress(request.url)
      if (isAdmin) checkAdminAccess(request, env)
      if (objectName !== undefined) {
        const { PROJECTS: projects } = env
        if (projects === undefined) throw errors.invalidOptions({ message: bindingMessage })
        return await projects.get(projects.idFromName(objectName) as never).fetch(request)
      }
      const isPage = path.startsWith(viewsPath)
      const { method, url } = request
      if (isAdmin) throw errors.routeNotFound({ onlyForProjects: { method, path: new URL(url).pathname, isPage } })
    } catch (error) {
      if (error instanceof MockError) return createErrorResponse(error)
      throw error
    }
    return sharedMock.fetch(request)
  }
  class Project implements ProjectObject {
    readonly fetch: ProjectObject['fetch']

    constructor(state: ObjectState) {
      // It learns its project from its first request.
      let handleAwake: ReturnType<typeof wakeProject> | undefined
      this.fetch = async (objectRequest) => {
        const address = parseAddress(objectRequest.url)
        const request = address.sandbox === undefined ? objectRequest : new Request(address.url, objectRequest)
        handleAwake ??= wakeProject(state, options, address)
        return handleAwake(request, address.path)
      }
    }
  }
  return { fetch, Project }
}

const bindingMessage =
  'The Worker has no binding PROJECTS. Bind it to the Durable Objects of the exported class Project.'

type WorkerAddress = ReturnType<ReturnType<typeof createAddressParser>>

const { views: viewsPath, ...publicPages } = dashboardPaths

// The frame of the dashboard has no data. Its script fetches the views with the token.
const publicPaths = new Set(['/__admin/health', '/__admin/openapi.json', '/__admin', ...Object.values(publicPages)])

/** Creates a function that parses a URL. It throws for a project name that cannot be decoded. */
const createAddressParser = (basePath: string, hasSandboxes: boolean) => {
  const prefixes = [`${basePath}/projects/`, '/pay/', '/__admin/projects/']
  const findProject = (url: string, path: string): string | undefined => {
    if (publicPaths.has(path)) return undefined
    if (path.startsWith(viewsPath)) return new URL(url).searchParams.get('project') || undefined
    const prefix = prefixes.find((pathPrefix) => path.startsWith(pathPrefix))
    const [segment = '', ...segmentsAfter] = prefix === undefined ? [] : path.slice(prefix.length).split('/')
    // A file directly in /pay is an asset of the pages.
    if (segment === '' || (prefix === '/pay/' && segmentsAfter.length === 0)) return undefined
    const project = decodePart(segment)
    // The router would not decode it, so '%FF' would be a second name of the project '%25FF'.
    if (project === undefined) throw errors.malformedRequest({ segment })
    return project
  }
  return (requestUrl: string) => {
    const { name: sandbox, url = requestUrl } = (hasSandboxes && splitSandboxPath(requestUrl)) || {}
    // The router decodes the path: `/__%61dmin` is `/__admin` too.
    const path = getPath(new Request(url))
    const project = findProject(url, path)
    // A project `@a/acme` has another object than `acme` in the sandbox `a`.
    const isPlain = sandbox === undefined && !project?.startsWith('@')
    return {
      sandbox,
      /** The name of the Durable Object. Undefined for a path without a project. */
      objectName: project === undefined || isPlain ? project : `@${sandbox ?? ''}/${project}`,
      project: project ?? '',
      /** The URL without the sandbox, and its path. */
      url,
      path,
      /** Whether the path needs the admin token. */
      isAdmin: /^\/__admin(\/|$)/.test(path) && !publicPaths.has(path),
    }
  }
}

/** Checks access like a server, but allows any Host: that of a Worker is public. */
const checkAdminAccess = (
  { headers, method, url }: Request,
  { PAYLINK_MOCK_ADMIN_TOKEN: token }: Partial<WorkerEnv>,
): void => {
  const admin = { token: token === 'none' ? undefined : (token ?? crypto.randomUUID()), allowedHosts: [getHost(url)] }
  const getHeader = (name: string) => headers.get(name) ?? undefined
  checkAccess({ req: { header: getHeader, method, url }, env: { connection: { admin } } })
}

const adminPath = '/__admin/projects/[^/]+'
/** The calls that replace a state which cannot be read. */
const replacingCalls = new RegExp(`^(?:DELETE ${adminPath}|POST ${adminPath}/reset|PUT ${adminPath}/state)$`)

/**
 * Creates the mock of an object, and loads its state. The platform may evict it between any two requests. Returns a function
 * that handles a request and stores its changes.
 */
const wakeProject = (state: ObjectState, { seed, ...options }: MockOptions, { sandbox, project }: WorkerAddress) => {
  const changedIds = mapKinds<Record<RecordKind, Set<string>>>(() => new Set())
  // The other projects of the seed have their own objects.
  const ownProject = Object.entries(seed?.projects ?? {}).filter(([name]) => name === project)
  const core = createCore(
    { ...options, seed: { ...seed, projects: Object.fromEntries(ownProject) } },
    {
      sandbox,
      maxSnapshots,
      dashboard,
      onCommit: (_, changes) => {
        for (const { kind, to } of changes) changedIds[kind].add(getId(to))
      },
    },
  )
  const storage = createStorage(state.storage)
  const storedParts = [
    createStoredProject(core.root, project, storage, changedIds),
    createStoredSnapshots(core.root, project, storage),
  ]
  let isReadable = true
  for (const storedPart of storedParts) {
    // If the storage itself fails, it may work again at the next request.
    const storedTexts = storage.read(storedPart.scope)
    try {
      storedPart.load(storedTexts)
    } catch (error) {
      core.report(error)
      isReadable = false
    }
  }
  const saveParts = () => {
    try {
      for (const storedPart of storedParts) storedPart.save()
    } catch (error) {
      core.report(error)
      // The memory has changes that are not stored. No later call may see them.
      state.abort('The storage failed.')
      throw error
    }
  }
  return async (request: Request, path: string): Promise<Response> => {
    if (!isReadable && !replacingCalls.test(`${request.method} ${path}`)) {
      const prefix = sandbox === undefined ? '' : `/@${sandbox}`
      const replacePath = `${prefix}/__admin/projects/${encodeURIComponent(project)}`
      return createErrorResponse(errors.stateUnreadable({ project, path: replacePath }))
    }
    try {
      const response = await core.handleRequest(request)
      // Only a successful request replaces an unreadable state.
      isReadable ||= response.ok
      return response
    } finally {
      // Even if the response is lost: its request has taken effect.
      if (isReadable) saveParts()
    }
  }
}
