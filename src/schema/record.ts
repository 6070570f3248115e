import * as z from 'zod/mini'

// Adds an underscore to `__proto__`, which a record drops, and to similar names, so that names stay unique.
const escapeName = (name: string): string => (/^_*__proto__$/.test(name) ? `_${name}` : name)
const unescapeName = (name: string): string => (/^_+__proto__$/.test(name) ? name.slice(1) : name)

const renameKeys = (value: unknown, rename: (name: string) => string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), item]))
    : value

type RecordSchema<V extends z.ZodMiniType> = z.ZodMiniType<Record<string, z.output<V>>, Record<string, z.input<V>>>

/** Builds the schema of an object with any field names. A plain `z.record` drops `__proto__`, a possible project id. */
export const buildRecordSchema = <V extends z.ZodMiniType>(name: z.ZodMiniString, value: V): RecordSchema<V> =>
  z.pipe(
    z.transform((given) => renameKeys(given, escapeName)),
    z.record(name, value).check(z.overwrite((record) => renameKeys(record, unescapeName) as typeof record)),
  ) as RecordSchema<V>
