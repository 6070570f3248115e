import type { SavedProject } from '../domain/snapshots.ts'
import type { Core } from '../mock.ts'
import { MockError } from '../schema/error.ts'
import { Snapshot } from '../schema/summaries.ts'
import { getDocument, toRows, buildState } from './project-rows.ts'
import type { Storage } from './storage.ts'
import type { StoredPart } from './stored-project.ts'

/** The maximum number of snapshots of a project. Assumed: each is a whole copy, and a storage is limited. */
export const maxSnapshots = 20

const scope = 'snapshots'
const getScope = (name: string): string => `snapshot ${JSON.stringify(name)}`

/** Creates the part that stores the snapshots. The state of a snapshot is loaded when it is restored. */
export const createStoredSnapshots = (
  { store, snapshots }: Core['root'],
  project: string,
  storage: Storage,
): StoredPart => {
  let stored: ReadonlyMap<string, SavedProject> | undefined

  const loadState = (name: string) => {
    const texts = storage.read(getScope(name))
    try {
      return buildState(store, project, JSON.parse(texts.get('head')?.get('') ?? ''), texts)
    } catch (cause) {
      throw new MockError(
        'stateUnreadable',
        `The snapshot '${name}' of project '${project}' cannot be loaded: it is damaged.`,
        {
          hint: 'Delete it, or save it again.',
          cause,
        },
      )
    }
  }
  const write = (name: string, { snapshot, load }: SavedProject) => {
    const state = load()
    storage.clear(getScope(name))
    for (const row of toRows(state)) storage.write(getScope(name), row)
    storage.write(getScope(name), { kind: 'head', id: '', text: JSON.stringify(getDocument(state)) })
    storage.write(scope, { kind: 'snapshot', id: name, text: JSON.stringify(snapshot) })
  }
  return {
    scope,
    load: (texts) => {
      const found = [...(texts.get('snapshot')?.values() ?? [])].map((text) => Snapshot.parse(JSON.parse(text)))
      for (const snapshot of found) snapshots.addSaved(project, { snapshot, load: () => loadState(snapshot.name) })
      stored = new Map(snapshots.getSaved(project))
    },
    save: () => {
      const own = snapshots.getSaved(project)
      if (stored === undefined) storage.clear(scope)
      for (const [name, saved] of own) if (stored?.get(name) !== saved) write(name, saved)
      for (const name of stored?.keys() ?? [])
        if (!own.has(name)) {
          storage.clear(getScope(name))
          storage.remove(scope, { kind: 'snapshot', id: name })
        }
      stored = new Map(own)
    },
  }
}
