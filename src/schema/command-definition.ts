import type { z } from 'zod/mini'
import type { ErrorCode } from './error.ts'

/** Example values by name. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** A command of the control API. HTTP, the embedded mock, the client, the documents and the dashboard read it. */
export interface Command {
  /** The command applies to the mock, to one project, or to either all projects or one. */
  readonly scope: 'mock' | 'project' | 'both'
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below `/__admin`, or below `/__admin/projects/{project}`. */
  readonly path: string
  readonly summary: string
  /** @default the summary */
  readonly description?: string
  /** The response can be text: the query has a `format`. */
  readonly text?: true
  /** The command needs no token and ignores the query. */
  readonly isPublic?: true
  /** @default 200, or 204 without a response */
  readonly status?: number
  /** The response with 202, if the command can schedule something instead. */
  readonly accepted?: z.ZodMiniType
  readonly query?: z.ZodMiniObject
  readonly body?: z.ZodMiniType
  /** The body for all projects, if it differs. */
  readonly bodyForAll?: z.ZodMiniType
  readonly response?: z.ZodMiniType
  /** The response for all projects, if it differs. */
  readonly responseForAll?: z.ZodMiniType
  /** The events that the command streams. */
  readonly event?: z.ZodMiniType
  /** The errors of this command, besides those of its path and those that every command can have. */
  readonly errors?: readonly ErrorCode[]
  /** Examples of the body. */
  readonly examples?: Examples
  /** Examples of the body for all projects, if it differs. */
  readonly examplesForAll?: Examples
}

export type CommandDetails = Omit<Command, 'scope' | 'method' | 'path' | 'summary'>

/** The parts of a command that a client needs to call it. */
export type CommandRoute = Pick<Command, 'scope' | 'method' | 'path' | 'text'>

/** Returns the path of a command below `/__admin`, with its placeholders. Without a project it is for all projects. */
export const getCommandPath = ({ scope, path }: CommandRoute, project: string | undefined): string =>
  scope === 'mock' || project === undefined ? path : `/projects/{project}${path}`

const notFoundCodes: Readonly<Record<string, ErrorCode>> = {
  users: 'userNotFound',
  paymentLinks: 'paymentLinkNotFound',
  scheduledPayments: 'scheduledPaymentNotFound',
  snapshots: 'snapshotNotFound',
  requests: 'requestNotFound',
  faults: 'faultNotFound',
  sandboxes: 'sandboxNotFound',
}

/** Returns the error of an unknown id, by the segment of the path before it. A call creates an unknown project. */
export const getNotFoundCode = (collection: string): ErrorCode | undefined => notFoundCodes[collection]

/** Defines a command. Its path and its schemas are the types of its handler and of its calls. */
export const defineCommand = <const S extends Command['scope'], const P extends string, const D extends CommandDetails>(
  scope: S,
  method: Command['method'],
  path: P,
  summary: string,
  details?: D,
) => ({ scope, method, path, summary, ...(details as D) })
