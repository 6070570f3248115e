import type { z } from 'zod/mini'
import type { Command } from './command-definition.ts'
import type { CommandId } from './command-routes.ts'
import type { Commands } from './commands.ts'
import type { MockEvent } from './traffic.ts'

type Parsed<C extends CommandId, K extends keyof Command> = Commands[C] extends {
  readonly [P in K]: infer S extends z.ZodMiniType
}
  ? z.output<S>
  : undefined
type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never
/** The names and values of the parameters of a path. */
export type PathParams<Path extends string> = Readonly<Record<PathNames<Path>, string>>

type AcceptedBody<C extends CommandId> = Commands[C] extends { readonly accepted: infer S extends z.ZodMiniType }
  ? z.output<S>
  : never
type Text<C extends CommandId> = Commands[C] extends { readonly text: true } ? string : never
type ForAll<C extends CommandId, K extends 'body' | 'response'> = Commands[C] extends {
  readonly [P in `${K}ForAll`]: infer S extends z.ZodMiniType
}
  ? z.output<S>
  : Parsed<C, K>

/** The response of a command for a project, or for all projects if `P` is undefined. */
export type CommandResponse<C extends CommandId, P extends string | undefined = string> =
  AcceptedBody<C> | Text<C> | (P extends string ? Parsed<C, 'response'> : ForAll<C, 'response'>)
export type CommandQuery<C extends CommandId> = Parsed<C, 'query'>

/** The parameters of a command's path, except the project. */
type CommandParams<C extends CommandId> = PathParams<Commands[C]['path']>

/** A parsed call of a command. A call without a project is for all projects. */
export type ParsedCall<C extends CommandId> = { readonly params: CommandParams<C>; readonly query: CommandQuery<C> } & (
  | (Commands[C]['scope'] extends 'mock' ? never : { readonly project: string; readonly body: Parsed<C, 'body'> })
  | (Commands[C]['scope'] extends 'project'
      ? never
      : { readonly project?: undefined; readonly body: ForAll<C, 'body'> })
)

/** A call of a command before it is parsed. The params include the project. Without one, the call is for all projects. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
  readonly body?: unknown
}

type CallProject<K extends Call> = K extends { readonly params: { readonly project: string } } ? string : undefined

/** Calls a mock, in process or over HTTP. Errors reject with a `MockError`. */
export interface ControlClient {
  /** Runs a command for the project in the params, or for all projects. */
  call<C extends CommandId, K extends Call>(command: C, call?: K): Promise<CommandResponse<C, CallProject<K>>>
  /** Yields the events of one project or of all, from now on or after the id `after`. Starts on the first `next()`. */
  follow(call: Call, after?: number): AsyncIterable<MockEvent>
}
