import * as z from 'zod/mini'
import { errors, invalidControlQuery } from '../schema/error.ts'
import { parse, simplifyQueryProblems } from '../schema/problem.ts'
import { ProjectId } from '../schema/seed.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import type { Caller, Command, CommandContext } from './command.ts'
import { type Call, commands, type CommandId, type HandlerResult } from './commands.ts'

/** The parameters of every path. Other names than that of the project are not checked: an invalid one is unknown. */
export const PathParameters = z.catchall(z.object({ project: z.optional(ProjectId) }), z.string())
export const noQuery = z.object({})
export const noBody = z.optional(z.object({}))

export const checkParams = (schema: typeof PathParameters, params: Call['params']) => {
  const parsed = parse(schema, params)
  if (parsed.ok) return parsed.value
  throw errors.projectNotFound({ invalid: parsed.problems })
}

export const checkQuery = (schema: z.ZodMiniObject, query: object): unknown => {
  const parsed = parseStrict(schema, query)
  if (parsed.ok) return parsed.value
  const problems = simplifyQueryProblems(schema, query, parsed.problems)
  throw invalidControlQuery({ what: 'The query', problems })
}

/** Rejects unknown fields, because a call with a misspelled field would seem to succeed. */
export const checkBody = (schema: z.ZodMiniType, body: unknown): unknown => {
  const parsed = parseStrict(schema, body)
  if (parsed.ok) return parsed.value
  if (schema === noBody) throw errors.invalidBody({ message: 'This command has no request body.' })
  if (body === undefined) throw errors.malformedBody('empty')
  throw errors.invalidBody({ what: 'The request body', problems: parsed.problems })
}

/** Runs a command for a caller in this process. The call is validated like a request. */
export const callCommand = <C extends CommandId>(
  id: C,
  mock: CommandContext,
  { params = {}, query = {}, body }: Call,
  caller: Caller,
): HandlerResult<C> => {
  const command: Command = commands[id]
  const { project, ...others } = checkParams(PathParameters, params)
  const call = {
    project,
    params: others,
    query: checkQuery(command.query ?? noQuery, query),
    body: checkBody((project === undefined && command.bodyForAll) || (command.body ?? noBody), body),
    ...caller,
  }
  // The command has this type, which the table of all commands hides.
  return command.handle(mock, call) as HandlerResult<C>
}
