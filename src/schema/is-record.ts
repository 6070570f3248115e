/** The fields of an object that is not an array. */
export type Fields = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the fields without those that are undefined. */
export const omitUndefined = <T extends object>(fields: T): Defined<T> =>
  (Object.values(fields).includes(undefined)
    ? Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
    : fields) as Defined<T>

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }
