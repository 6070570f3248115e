import * as z from 'zod/mini'
import { isRecord } from './json-value.ts'
import { type Problem, quote } from './problem.ts'
import { hideCredentials } from './url.ts'

interface Documentation {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly [keyword: string]: unknown
}

/**
 * The descriptions of schemas in OpenAPI documents. zod's own registry is global, but a library must not change globals.
 */
export const documentation = z.registry<Documentation>()

/** Returns a copy of the schema with a description. The shared schema keeps its own. */
export const described = <S extends z.ZodMiniType>(schema: S, description: string): S => {
  const copy = schema.clone()
  documentation.add(copy, { description })
  return copy
}

/** Creates the schema of an integer in a range. */
export const intFrom = (min: number, max?: number) =>
  z.int().check(z.minimum(min), ...(max === undefined ? [] : [z.maximum(max)]))

/** Creates the schema of a function. */
export const callable = <F>() => z.custom<F>((value) => typeof value === 'function', 'must be a function')

/** Creates the schema of an address. Unlike other messages, its message hides what may be a password. */
export const address = (isValid: (text: string) => boolean, message: string) =>
  z.string().check(({ value, issues }) => {
    if (isValid(value)) return
    const text = `${message} (got ${quote(hideCredentials(value))}).`
    // With `rule`, the text is not extended by the value.
    issues.push({ code: 'custom', input: value, message: text, params: { rule: true } })
  })

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

// Adds an underscore to `__proto__`, which a record drops, and to similar names, so that names stay unique.
const escapeName = (name: string): string => (/^_*__proto__$/.test(name) ? `_${name}` : name)
const unescapeName = (name: string): string => (/^_+__proto__$/.test(name) ? name.slice(1) : name)

const renameKeys = (value: unknown, rename: (name: string) => string): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), item])) : value

type RecordSchema<V extends z.ZodMiniType> = z.ZodMiniType<Record<string, z.output<V>>, Record<string, z.input<V>>>

/** Builds the schema of an object with any field names. A plain `z.record` drops `__proto__`, a possible project id. */
export const buildRecordSchema = <V extends z.ZodMiniType>(name: z.ZodMiniString, value: V): RecordSchema<V> =>
  z.pipe(
    z.transform((given) => renameKeys(given, escapeName)),
    z.record(name, value).check(z.overwrite((record) => renameKeys(record, unescapeName) as typeof record)),
  ) as RecordSchema<V>
