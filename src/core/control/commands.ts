import * as z from 'zod/mini'
import { errors, invalidControlQuery } from '../schema/error.ts'
import { parse, simplifyQueryProblems } from '../schema/problem.ts'
import { ProjectId } from '../schema/seed.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import type { EventSubscription } from '../traffic/events.ts'
import type { Caller, Command, CommandContext } from './command.ts'
import { faultCommands } from './fault-commands.ts'
import { paymentCommands } from './payment-commands.ts'
import { projectCommands } from './project-commands.ts'
import { recordCommands } from './record-commands.ts'
import { reportCommands } from './report-commands.ts'
import { requestCommands } from './request-commands.ts'
import { settingCommands } from './setting-commands.ts'
import { stateCommands } from './state-commands.ts'

/** In the order of the document. */
export const commands = {
  ...projectCommands,
  ...stateCommands,
  ...settingCommands,
  ...recordCommands,
  ...paymentCommands,
  ...requestCommands,
  ...faultCommands,
  ...reportCommands,
}
type Commands = typeof commands
export type CommandId = keyof Commands

export type HandlerResult<C extends CommandId> = ReturnType<Commands[C]['handle']>

export type CommandResponse<C extends CommandId> = Awaited<HandlerResult<C>>

/** A call before it is parsed. Its params include the project, unless it is for all projects. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
  readonly body?: unknown
}

/** Works in process and over HTTP. Calls that fail reject with a `MockError`. */
export interface CommandClient {
  call<C extends CommandId>(command: C, call?: Call): Promise<CommandResponse<C>>
}

export type EventReader = Pick<EventSubscription, 'next' | 'return'>

export interface ControlClient extends CommandClient {
  /** Subscribes to the events of one project or of all, from now on or after the id `after`. */
  follow(call: Call, after?: number): EventReader
}

/** Only the name of the project is checked: any other invalid name is unknown. */
export const PathParameters = z.catchall(z.object({ project: z.optional(ProjectId) }), z.string())
export const noQuery = z.object({})
export const noBody = z.optional(z.object({}))

export const checkParams = (params: Call['params']) => {
  const parsedParams = parse(PathParameters, params)
  if (parsedParams.ok) return parsedParams.value
  throw errors.projectNotFound({ invalid: parsedParams.problems })
}

export const checkQuery = <S extends z.ZodMiniObject>(schema: S, query: object): z.output<S> => {
  const parsedQuery = parseStrict(schema, query, 'parameter')
  if (parsedQuery.ok) return parsedQuery.value
  const problems = simplifyQueryProblems(schema, query, parsedQuery.problems)
  throw invalidControlQuery({ what: 'The query', problems })
}

/** Rejects unknown fields, because a call with a misspelled field would seem to succeed. */
export const checkBody = (schema: z.ZodMiniType, body: unknown): unknown => {
  const parsedBody = parseStrict(schema, body)
  if (parsedBody.ok) return parsedBody.value
  if (schema === noBody) throw errors.invalidBody({ message: 'This command has no request body.' })
  if (body === undefined) throw errors.malformedBody('empty')
  throw errors.invalidBody({ what: 'The request body', problems: parsedBody.problems })
}

/** For a caller in this process. The call is validated like a request. */
export const callCommand = <C extends CommandId>(
  id: C,
  mock: CommandContext,
  { params = {}, query = {}, body }: Call,
  caller: Caller,
): HandlerResult<C> => {
  const command: Command = commands[id]
  const { project, ...otherParams } = checkParams(params)
  const parsedCall = {
    project,
    params: otherParams,
    query: checkQuery(command.query ?? noQuery, query),
    body: checkBody((project === undefined && command.bodyForAll) || (command.body ?? noBody), body),
    ...caller,
  }
  // The command has this type, which the table of all commands hides.
  return command.handle(mock, parsedCall) as HandlerResult<C>
}
