import type { Work } from './work.ts'
import type { World } from './world.ts'

/** Work on a project as a test does it: a write brings the project into being. */
export const writeTo =
  (world: World) =>
  <R>(project: string, operation: (work: Work) => R): R => {
    const behaviors = world.behaviorsOf(project)
    const result = world.run(project, (key) => behaviors[key], operation)
    world.enter(project)
    return result
  }
