import * as z from 'zod'

/**
 * What the control plane can do, as a value: HTTP, the embedded control and the client read the same row.
 * A verb for `both` exists twice with the same sub-path: for all projects, and for one.
 */
export interface Verb {
  readonly scope: 'mock' | 'project' | 'both'
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/__admin`, or below `/__admin/projects/{project}`. */
  readonly path: string
  readonly summary: string
  /** @default 200, or 204 without a response */
  readonly status?: number
  /** The response with 202, where a call can schedule something instead. */
  readonly accepted?: z.ZodType
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** The body for all projects, where it is another. */
  readonly bodyForAll?: z.ZodType
  readonly response?: z.ZodType
  /** The answer for all projects, where it is another. */
  readonly responseForAll?: z.ZodType
  /** What it answers one after the other, where it goes on for as long as it is listened to. */
  readonly event?: z.ZodType
}

/** A list of the control plane. */
export const items = <S extends z.ZodType>(item: S) => z.object({ object: z.literal('list'), items: z.array(item) })
