import { createMock, type Mock } from '../mock.ts'
import type { MockOptions } from '../options.ts'
import type { ProjectDocument } from '../schema/seed.ts'
import { type Kept, keepText, type ObjectStorage, readKept } from './storage.ts'

/** What the platform hands to a Durable Object, as far as it is used here. */
export interface ObjectState {
  readonly storage: ObjectStorage
}

/** One project: a mock that has nothing else in it, and that survives in the storage of the object. */
export interface ProjectObject {
  fetch(request: Request): Promise<Response>
}

/** The class of the objects. */
export type ProjectClass = new (state: ObjectState, env?: unknown) => ProjectObject

/** Makes the class of the objects. Which project one is, its requests say: the Worker sends it no others. */
export const projectClass = (options: MockOptions, projectOf: (url: URL) => string | undefined): ProjectClass =>
  class Project implements ProjectObject {
    readonly fetch: ProjectObject['fetch']

    constructor({ storage }: ObjectState) {
      let sleeper: Promise<Sleeper> | undefined
      this.fetch = async (request) => {
        const project = projectOf(new URL(request.url)) ?? ''
        const { mock, keep } = await (sleeper ??= wake(storage, options, project).catch((error: unknown) => {
          // The storage may answer the next request.
          sleeper = undefined
          throw error
        }))
        try {
          return await mock.fetch(request)
        } finally {
          // Also when the answer is lost: what it stands for has happened.
          await keep()
        }
      }
    }
  }

/** A mock that can be gone at any time between two requests. */
interface Sleeper {
  readonly mock: Mock
  /** Keeps the state, where it has changed. */
  readonly keep: () => Promise<unknown>
}

const wake = async (storage: ObjectStorage, options: MockOptions, project: string): Promise<Sleeper> => {
  const mock = createMock(options)
  const found = await readKept(storage)
  // Into a mock that has started, and not as its seed: a reset goes back to what the options say.
  if (found.text !== '') await mock.project(project).state.put(JSON.parse(found.text) as ProjectDocument)
  const save = async (before: Kept): Promise<Kept> => {
    const text = await stateText(mock, project)
    return text === before.text ? before : keepText(storage, text, before)
  }
  // One after the other, so that what is kept last is what was exported last.
  let kept = Promise.resolve(found)
  const keep = () => {
    const before = kept
    const saved = before.then(save)
    // What could not be kept is compared again, and kept, with the next request.
    kept = saved.catch(() => before)
    return saved
  }
  return { mock, keep }
}

const stateText = async (mock: Mock, project: string): Promise<string> => {
  const isThere = (await mock.projects()).some(({ id }) => id === project)
  return isThere ? JSON.stringify(await mock.project(project).state.get()) : ''
}
