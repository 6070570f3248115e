import * as z from 'zod/mini'
import type { Problem } from './error.ts'

/**
 * Creates a zod check that compares several fields. It also runs if a field is invalid, to report all problems at once, so
 * `findProblems` must accept any values. Paths are relative to the value.
 */
export const crossFieldCheck = <T>(findProblems: (value: T) => readonly CrossFieldProblem[]) => {
  const check = z.check<T>((payload) => {
    if (typeof payload.value !== 'object' || payload.value === null) return
    for (const { path, message } of findProblems(payload.value))
      payload.issues.push({
        code: 'custom',
        path: Array.isArray(path) ? [...path] : [path as string],
        message,
        input: payload.value,
        params: { rule: true },
      })
  })
  check._zod.def.when = () => true
  return check
}

export interface CrossFieldProblem extends Omit<Problem, 'path'> {
  readonly path: string | readonly PropertyKey[]
}

/** Rejects items with the same value of a field. */
export const unique = <K extends string>(field: K) =>
  crossFieldCheck<{ readonly [F in K]?: unknown }[]>((items) => {
    if (!Array.isArray(items)) return []
    const seen = new Map<unknown, number>()
    return items.flatMap((item, index) => {
      const value: unknown = item?.[field]
      if (value === undefined) return []
      const first = seen.get(value)
      if (first === undefined) {
        seen.set(value, index)
        return []
      }
      return [{ path: [index, field], message: `must be unique: item ${first} has it too.` }]
    })
  })
