import type { MockEvent } from '../schema/recorded-request.ts'
import { clockCommands } from './clock-commands.ts'
import { faultCommands } from './fault-commands.ts'
import { paymentCommands } from './payment-commands.ts'
import { projectCommands } from './project-commands.ts'
import { recordCommands } from './record-commands.ts'
import { reportCommands } from './report-commands.ts'
import { requestCommands } from './request-commands.ts'
import { sandboxCommands } from './sandbox-commands.ts'
import { settingCommands } from './setting-commands.ts'
import { snapshotCommands } from './snapshot-commands.ts'
import { stateCommands } from './state-commands.ts'

/** All commands of the control API, in the order of its document. */
export const commands = {
  ...projectCommands,
  ...sandboxCommands,
  ...stateCommands,
  ...snapshotCommands,
  ...clockCommands,
  ...settingCommands,
  ...recordCommands,
  ...paymentCommands,
  ...requestCommands,
  ...faultCommands,
  ...reportCommands,
}
export type Commands = typeof commands
export type CommandId = keyof Commands

/** The result of the handler of a command. */
export type HandlerResult<C extends CommandId> = ReturnType<Commands[C]['handle']>

/** The response of a command, for a project or for all. */
export type CommandResponse<C extends CommandId> = Awaited<HandlerResult<C>>

/** A call of a command before it is parsed. The params include the project. Without one, the call is for all projects. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
  readonly body?: unknown
}

/** Calls the commands of a mock, in process or over HTTP. Errors reject with a `MockError`. */
export interface CommandClient {
  /** Runs a command for the project in the params, or for all projects. */
  call<C extends CommandId>(command: C, call?: Call): Promise<CommandResponse<C>>
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
