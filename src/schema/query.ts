import type { z } from 'zod'
import type { Problem } from './error.ts'

/** The problems of a query. That of a parameter that stands twice is just this, whatever its value should be. */
export const queryProblems = ({ shape }: z.ZodObject, sent: object, problems: readonly Problem[]): Problem[] =>
  problems.map((problem) => {
    const { path } = problem
    const values: unknown = Object.hasOwn(shape, path) ? Reflect.get(sent, path) : undefined
    if (!Array.isArray(values)) return problem
    return { path, message: `${path} must be given once (got ${values.length} values).` }
  })
