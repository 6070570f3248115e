import { errors, type MockError } from '../../schema/error.ts'
import { type Core, createCore } from '../../mock/mock.ts'
import type { MockOptions } from '../../schema/mock-options.ts'
import { createErrorResponse, toRealResponse } from '../../wire/respond.ts'
import { type RecordKind, mapKinds } from '../../domain/kinds.ts'
import { getId } from '../../domain/collection.ts'
import type { Address } from './address.ts'
import { createStorage, type ObjectStorage } from './storage.ts'
import { createStoredProject, createStoredSnapshots, maxSnapshots } from './stored-project.ts'

/** The part of a Durable Object's state that is used. */
export interface ObjectState {
  readonly storage: ObjectStorage
  /** Ends the object without storing what it has in memory. */
  abort(reason?: string): void
}

/** A Durable Object with one project, whose state is kept in its storage. */
export interface ProjectObject {
  fetch(request: Request): Promise<Response>
}

export type ProjectClass = new (state: ObjectState, env?: unknown) => ProjectObject

/** Creates the class of the objects. An object learns its project from its first request. */
export const createProjectClass = (options: MockOptions, parseAddress: (url: string) => Address): ProjectClass =>
  class Project implements ProjectObject {
    readonly fetch: ProjectObject['fetch']

    constructor(state: ObjectState) {
      let awake: Awake | undefined
      this.fetch = async (given) => {
        const address = parseAddress(given.url)
        const request = address.sandbox === undefined ? given : new Request(address.url, given)
        const { core, save, isReadable } = (awake ??= wake(state, options, address))
        if (!isReadable() && !replacesState(request.method, address))
          return toRealResponse(createErrorResponse(stateUnreadable(address)))
        let hasSucceeded = false
        try {
          const response = await core.handleRequest(request)
          hasSucceeded = response.ok
          return response
        } finally {
          // Even if the response is lost: its request has taken effect.
          save(hasSucceeded)
        }
      }
    }
  }

interface Awake {
  readonly core: Core
  readonly isReadable: () => boolean
  /** Stores all changes. Only a successful request replaces an unreadable state. */
  readonly save: (hasSucceeded: boolean) => void
}

/** Creates the mock of an object, and loads its state. The platform may evict it between any two requests. */
const wake = (state: ObjectState, options: MockOptions, { sandbox, project = '' }: Address): Awake => {
  const changed = mapKinds<Record<RecordKind, Set<string>>>(() => new Set())
  const core = createCore(withOneProject(project, options), {
    sandbox,
    maxSnapshots,
    onCommit: (_, { changes }) => {
      for (const { kind, to } of changes) changed[kind].add(getId(to))
    },
  })
  const storage = createStorage(state.storage)
  const parts = [
    createStoredProject(core.root, project, storage, changed),
    createStoredSnapshots(core.root, project, storage),
  ]
  let isReadable = true
  for (const part of parts) {
    // If the storage itself fails, it may work again at the next request.
    const texts = storage.read(part.scope)
    try {
      part.load(texts)
    } catch (error) {
      core.report(error)
      isReadable = false
    }
  }
  return {
    core,
    isReadable: () => isReadable,
    save: (hasSucceeded) => {
      isReadable ||= hasSucceeded
      if (!isReadable) return
      try {
        for (const part of parts) part.save()
      } catch (error) {
        core.report(error)
        // The memory has changes that are not stored. No later call may see them.
        state.abort('The storage failed.')
        throw error
      }
    },
  }
}

/** Returns the options without the other projects of the seed, which have their own objects. */
const withOneProject = (project: string, { seed, ...options }: MockOptions): MockOptions => {
  const own = Object.entries(seed?.projects ?? {}).filter(([name]) => name === project)
  return { ...options, seed: { ...seed, projects: Object.fromEntries(own) } }
}

const adminPath = '/__admin/projects/[^/]+'
const replacing = new RegExp(`^(?:DELETE ${adminPath}|POST ${adminPath}/reset|PUT ${adminPath}/state)$`)

const replacesState = (method: string, { path }: Address): boolean => replacing.test(`${method} ${path}`)

const stateUnreadable = ({ sandbox, project = '' }: Address): MockError => {
  const path = `${sandbox === undefined ? '' : `/@${sandbox}`}/__admin/projects/${encodeURIComponent(project)}`
  return errors.stateUnreadable({ project, path })
}
