import * as z from 'zod'

interface Documentation {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly [keyword: string]: unknown
}

/**
 * The descriptions of schemas in documents. zod's global registry is on `globalThis`, which belongs to the process that
 * embeds the mock.
 */
export const documentation = z.registry<Documentation>()

/** A copy of the schema with another description. The shared schema keeps its own. */
export const described = <S extends z.ZodType>(schema: S, description: string): S => {
  const copy = schema.clone()
  documentation.add(copy, { description })
  return copy
}
