import * as z from 'zod/mini'

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
