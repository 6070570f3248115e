import { z } from 'zod'

const proto = '__proto__'
// No text of JSON has it by accident, and it can be seen in a message.
const standIn = '__proto__\u0000'

const renamed = (value: unknown, from: string, to: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, from)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key === from ? to : key, item]))
    : value

type RecordOf<V extends z.ZodType> = z.ZodType<Record<string, z.output<V>>, Record<string, z.input<V>>>

/** Values by any name. A plain `z.record` drops the one that is called `__proto__`, which a client may call a project. */
export const recordOf = <V extends z.ZodType>(name: z.ZodString, value: V): RecordOf<V> =>
  z.preprocess(
    (given) => renamed(given, proto, standIn),
    z.record(name, value).transform((record) => renamed(record, standIn, proto) as Record<string, z.output<V>>),
  ) as unknown as RecordOf<V>
