import * as z from 'zod'

// Adds an underscore to `__proto__`, which a record drops, and to similar names, so that names stay unique.
const hidden = (name: string): string => (/^_*__proto__$/.test(name) ? `_${name}` : name)
const shown = (name: string): string => (/^_+__proto__$/.test(name) ? name.slice(1) : name)

const renamed = (value: unknown, rename: (name: string) => string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), item]))
    : value

type RecordOf<V extends z.ZodType> = z.ZodType<Record<string, z.output<V>>, Record<string, z.input<V>>>

/** Returns the schema of an object with any names. A plain `z.record` drops the name `__proto__`, which a project may have. */
export const recordSchema = <V extends z.ZodType>(name: z.ZodString, value: V): RecordOf<V> =>
  z.preprocess(
    (given) => renamed(given, hidden),
    // Not `transform`: JSON Schema cannot describe what a transform returns.
    z.record(name, value).overwrite((record) => renamed(record, shown) as typeof record),
  ) as unknown as RecordOf<V>
