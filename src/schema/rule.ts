import * as z from 'zod'
import type { Problem } from './error.ts'

/**
 * A rule over several fields. It is asked also when a field is wrong by itself, so that all problems come at once;
 * so it must bear any value. Paths are relative to the value.
 */
export const rule = <T>(problemsIn: (value: T) => readonly RuleProblem[]) => {
  const check = z.check<T>((payload) => {
    if (typeof payload.value !== 'object' || payload.value === null) return
    for (const { path, message } of problemsIn(payload.value))
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

export interface RuleProblem extends Omit<Problem, 'path'> {
  readonly path: string | readonly PropertyKey[]
}

/** No two rows with the same value of a field. */
export const unique = <K extends string>(field: K) =>
  rule<{ readonly [F in K]?: unknown }[]>((rows) => {
    if (!Array.isArray(rows)) return []
    const seen = new Map<unknown, number>()
    return rows.flatMap((row, index) => {
      const value: unknown = row?.[field]
      if (value === undefined) return []
      const first = seen.get(value)
      if (first === undefined) {
        seen.set(value, index)
        return []
      }
      return [{ path: [index, field], message: `must be unique: item ${first} has it too.` }]
    })
  })
