import { z } from 'zod'

interface Documentation {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly [keyword: string]: unknown
}

/**
 * What the documents say of a schema beyond its type. A registry of our own:
 * zod's global one hangs on `globalThis`, which belongs to the process that embeds the mock.
 */
export const documentation = z.registry<Documentation>()
