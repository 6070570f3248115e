import { getPath } from 'hono/utils/url'
import { createCore } from '../mock.ts'
import type { MockOptions } from '../schema/options.ts'
import { MockError } from '../schema/error.ts'
import { errorResponse, realResponse } from '../wire/respond.ts'
import { type ObjectStorage, readStored, type Stored, writeStored } from './storage.ts'
import { load, serialize } from './stored-project.ts'

/** The part of a Durable Object's state that is used. */
export interface ObjectState {
  readonly storage: ObjectStorage
}

/** A Durable Object with one project, whose state is kept in its storage. */
export interface ProjectObject {
  fetch(request: Request): Promise<Response>
}

export type ProjectClass = new (state: ObjectState, env?: unknown) => ProjectObject

/** Creates the class of the objects. An object learns its project from its first request. */
export const projectClass = (options: MockOptions, projectOf: (request: Request) => string | undefined): ProjectClass =>
  class Project implements ProjectObject {
    readonly fetch: ProjectObject['fetch']

    constructor({ storage }: ObjectState) {
      let awake: Promise<ProjectObject['fetch']> | undefined
      this.fetch = async (request) => {
        const fetch = await (awake ??= wake(storage, options, projectOf(request) ?? '').catch((error: unknown) => {
          // The storage may work again at the next request.
          awake = undefined
          throw error
        }))
        return fetch(request)
      }
    }
  }

/** Creates the mock of an object. The platform may evict it between any two requests. */
const wake = async (storage: ObjectStorage, options: MockOptions, project: string): Promise<ProjectObject['fetch']> => {
  const core = createCore(options)
  const found = await readStored(storage)
  let isReadable = true
  if (found.head !== '' || found.text !== '')
    await load(core, project, found).catch((error: unknown) => {
      core.report(error)
      isReadable = false
    })

  // Writes run one after the other, so that the last one has the newest state.
  let stored = Promise.resolve(found)
  const store = (): Promise<Stored> => {
    const before = stored
    const saved = before.then(async (last) => writeStored(storage, await serialize(core, project), last))
    // After a failure, the next request compares with the older content, and stores all changes.
    stored = saved.catch(() => before)
    return saved
  }

  return async (request) => {
    if (!isReadable && !replacesState(request)) return realResponse(errorResponse(unreadable(project)))
    try {
      const response = await core.answer(request)
      isReadable ||= response.ok
      return response
    } finally {
      // Even if the response is lost: its request has taken effect.
      if (isReadable) await store()
    }
  }
}

const adminPath = '/__admin/projects/[^/]+'
const replacing = new RegExp(`^(?:DELETE ${adminPath}|POST ${adminPath}/reset|PUT ${adminPath}/state)$`)

const replacesState = (request: Request): boolean => replacing.test(`${request.method} ${getPath(request)}`)

const unreadable = (project: string): MockError => {
  const path = `/__admin/projects/${encodeURIComponent(project)}`
  return new MockError(
    'stateUnreadable',
    `The stored state of project '${project}' cannot be loaded: it is damaged, or another version of the mock wrote it.`,
    { hint: `Replace it with POST ${path}/reset or PUT ${path}/state, or DELETE ${path}.` },
  )
}
