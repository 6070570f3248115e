import * as z from 'zod/mini'
import { isRecord } from './json-value.ts'
import { quote } from './problem.ts'
import { hideCredentials } from './url.ts'

interface Documentation {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly [keyword: string]: unknown
}

/** Not zod's own registry, which is global: a library must not change globals. */
export const documentation = z.registry<Documentation>()

/** The shared schema keeps its description. This one also becomes the comment of the field in the declarations. */
export const described = <S extends z.ZodMiniType>(schema: S, description: string, keywords?: Documentation): S => {
  const copy = schema.clone()
  documentation.add(copy, { description, ...keywords })
  return copy
}

export const intFrom = (min: number, max?: number) =>
  // Without `abort`, an unsafe integer would be reported twice.
  z
    .int({ abort: true, error: ({ code }) => describeBound(code, min, max) })
    .check(z.minimum(min), ...(max === undefined ? [] : [z.maximum(max)]))

const describeBound = (code: string | undefined, min: number, max?: number): string | undefined => {
  if (code === 'too_small') return `must be at least ${min}`
  return code === 'too_big' && max !== undefined ? `must be at most ${max}` : undefined
}

export const callable = <F>() => z.custom<F>((value) => typeof value === 'function', 'must be a function')

/** Unlike other messages, that of an address hides what may be a password. */
export const address = (isValid: (text: string) => boolean, message: string) =>
  z.string(message).check(({ value, issues }) => {
    if (isValid(value)) return
    const text = `${message} (got ${quote(hideCredentials(value))}).`
    // With `rule`, the text is not extended by the value.
    issues.push({ code: 'custom', input: value, message: text, params: { rule: true } })
  })

export interface CrossFieldProblem {
  readonly path: string | readonly PropertyKey[]
  readonly message: string
}

/** @param path relative to the value */
export const problemAt = (path: CrossFieldProblem['path'], message: string): CrossFieldProblem => ({ path, message })

/** The check also runs if a field is invalid, to report all problems at once, so `findProblems` must accept any values. */
export const crossFieldCheck = <T>(findProblems: (value: T) => readonly (CrossFieldProblem | false)[]) => {
  const check = z.check<T>(({ value, issues }) => {
    if (typeof value !== 'object' || value === null) return
    for (const problem of findProblems(value))
      if (problem)
        issues.push({ code: 'custom', input: value, ...problem, path: [problem.path].flat(), params: { rule: true } })
  })
  check._zod.def.when = () => true
  return check
}

export const unique = <K extends string>(field: K) =>
  crossFieldCheck<{ readonly [F in K]?: unknown }[]>((items) => {
    if (!Array.isArray(items)) return []
    const firsts = new Map<unknown, number>()
    return items.map((item, index) => {
      const value: unknown = item?.[field]
      const first = firsts.get(value)
      if (first !== undefined) return problemAt([index, field], `must be unique: item ${first} has it too.`)
      if (value !== undefined) firsts.set(value, index)
      return false
    })
  })

export const distinct = z.refine<readonly string[]>(
  (items) => new Set(items).size === items.length,
  'must not repeat an item',
)

// Adds an underscore to `__proto__`, which a record drops, and to similar names, so that names stay unique.
const escapeName = (name: string): string => (/^_*__proto__$/.test(name) ? `_${name}` : name)
const unescapeName = (name: string): string => (/^_+__proto__$/.test(name) ? name.slice(1) : name)

const renameKeys = (value: unknown, rename: (name: string) => string): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), item])) : value

type RecordSchema<V extends z.ZodMiniType> = z.ZodMiniType<Record<string, z.output<V>>, Record<string, z.input<V>>>

/** A plain `z.record` drops a field named `__proto__`, which is a possible project id. */
export const buildRecordSchema = <V extends z.ZodMiniType>(name: z.ZodMiniString, value: V): RecordSchema<V> =>
  z.pipe(
    z.transform((given) => renameKeys(given, escapeName)),
    z.record(name, value).check(z.overwrite((record) => renameKeys(record, unescapeName) as typeof record)),
  ) as RecordSchema<V>
