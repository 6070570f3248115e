import { deriveDraw } from './ids.ts'
import { compareTexts } from './collection.ts'
import { createFromTemplate, type StoreState } from './seeding.ts'
import type { ProjectState } from './transaction.ts'

/** The current state of all projects. It also has a state for each project that does not exist yet. */
export class Projects {
  /** The whole state. It changes with the next write: use `copy` to keep it. */
  state: ReturnType<typeof copyState>
  // One request reads the same unknown project several times.
  #implicit: { readonly id: string; readonly state: ProjectState } | undefined
  // Kept sorted, because a hint reads the first names and must not sort all of them.
  #names: string[]

  constructor(state: StoreState) {
    this.state = copyState(state)
    this.#names = sortNames(state)
  }

  copy(): StoreState {
    const projects = new Map(this.#names.map((id) => [id, this.get(id)]))
    return { ...this.state, projects, draws: new Map(this.state.draws) }
  }

  replaceState(next: StoreState): void {
    this.state = copyState(next)
    this.#names = sortNames(next)
    this.#implicit = undefined
  }

  /** The project, or the state that an unknown project would start with. */
  get(id: string): ProjectState {
    const project = this.state.projects.get(id)
    if (project !== undefined) return project
    if (this.#implicit?.id !== id) this.#implicit = { id, state: createFromTemplate(id, this.state) }
    return this.#implicit.state
  }

  put(id: string, project: ProjectState): void {
    if (!this.state.projects.has(id)) {
      this.state.draws.delete(id)
      this.#names.splice(findPosition(this.#names, id), 0, id)
      this.#implicit = undefined
    }
    this.state.projects.set(id, project)
  }

  /** Returns false if the project is unknown. */
  delete(id: string): boolean {
    if (!this.state.projects.delete(id)) return false
    this.state.draws.delete(id)
    this.#names.splice(findPosition(this.#names, id), 1)
    this.#implicit = undefined
    return true
  }

  /** Returns the names of the first projects, sorted. */
  listNames(max = Infinity): string[] {
    return this.#names.slice(0, max)
  }

  /** Returns the next seeded random number of a project, from 0 to below 1. It does not create the project. */
  draw(id: string): number {
    const project = this.get(id)
    const { draws } = project.counters
    const state = { ...project, counters: { ...project.counters, draws: draws + 1 } }
    if (this.state.projects.has(id)) this.put(id, state)
    else {
      this.state.draws.set(id, draws + 1)
      this.#implicit = { id, state }
    }
    return deriveDraw(project.idSeed, id, draws)
  }
}

/** Copies the Maps, not the projects in them. */
const copyState = (state: StoreState) => ({
  ...state,
  projects: new Map(state.projects),
  draws: new Map(state.draws),
})

const sortNames = ({ projects }: StoreState): string[] => [...projects.keys()].toSorted(compareTexts)

/** Returns the index of a name in sorted names, or the index to insert it at. */
const findPosition = (names: readonly string[], name: string): number => {
  let low = 0
  let high = names.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareTexts(names[middle]!, name) < 0) low = middle + 1
    else high = middle
  }
  return low
}
