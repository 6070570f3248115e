import type { z } from 'zod/mini'
import type { Command } from './command-definition.ts'
import type { MockEvent } from './recorded-request.ts'
import { recordCommands } from './commands/record-definitions.ts'
import { stateCommands } from './commands/state-definitions.ts'
import { trafficCommands } from './commands/traffic-definitions.ts'

/** All commands of the control API. */
export const commands = { ...stateCommands, ...recordCommands, ...trafficCommands }
export type Commands = typeof commands
export type CommandId = keyof typeof commands

/** The parsed type of the schema that a command has under a name, or `Otherwise` if it has none. */
type Output<C extends CommandId, Name extends keyof Command, Otherwise = undefined> = Commands[C] extends {
  readonly [K in Name]: infer S extends z.ZodMiniType
}
  ? z.output<S>
  : Otherwise

type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never
/** The names and values of the parameters of a path. */
export type PathParams<Path extends string> = Readonly<Record<PathNames<Path>, string>>

/** The response of a command for a project, or for all projects if `P` is undefined. */
export type CommandResponse<C extends CommandId, P extends string | undefined = string> =
  | (P extends string ? Output<C, 'response'> : Output<C, 'responseForAll', Output<C, 'response'>>)
  | Output<C, 'accepted', never>
  | (Commands[C] extends { readonly text: true } ? string : never)

export type CommandQuery<C extends CommandId> = Output<C, 'query'>

/** The project of a call and its body, which may be another for all projects. */
type CallOfScope<C extends CommandId, Scope> =
  | (Scope extends 'mock' ? never : { readonly project: string; readonly body: Output<C, 'body'> })
  | (Scope extends 'project'
      ? never
      : { readonly project?: undefined; readonly body: Output<C, 'bodyForAll', Output<C, 'body'>> })

/** A parsed call of a command. Its params do not include the project. */
export type ParsedCall<C extends CommandId> = CallOfScope<C, Commands[C]['scope']> & {
  readonly params: PathParams<Commands[C]['path']>
  readonly query: CommandQuery<C>
}

/** A call of a command before it is parsed. The params include the project. Without one, the call is for all projects. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
  readonly body?: unknown
}

type CallProject<K extends Call> = K extends { readonly params: { readonly project: string } } ? string : undefined

/** Calls the commands of a mock, in process or over HTTP. Errors reject with a `MockError`. */
export interface CommandClient {
  /** Runs a command for the project in the params, or for all projects. */
  call<C extends CommandId, K extends Call>(command: C, call?: K): Promise<CommandResponse<C, CallProject<K>>>
}

/** A running subscription to events. `return` also ends a `next` that waits. */
export interface EventReader {
  next(): Promise<IteratorResult<MockEvent, undefined>>
  return(): Promise<unknown>
}

/** Calls the commands of a mock, and follows its events. */
export interface ControlClient extends CommandClient {
  /** Subscribes to the events of one project or of all, from now on or after the id `after`. */
  follow(call: Call, after?: number): EventReader
}
