import { errors, invalidControlQuery } from '../schema/error.ts'
import * as z from 'zod/mini'
import { type Call, type ParsedCall, commands, type CommandId } from '../schema/command.ts'
import type { Command } from '../schema/command-definition.ts'
import { parse, simplifyQueryProblems } from '../schema/problem.ts'
import { ProjectId } from '../schema/seed.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import type { CallContext, ControlOptions, HandlerResult, Handlers } from './handlers.ts'
import { createRecordHandlers } from './record-commands.ts'
import { createStateHandlers } from './state-commands.ts'
import { createTrafficHandlers } from './traffic-commands.ts'

/** Validates a call, and runs its command. */
export type RunCommand = <C extends CommandId>(id: C, call: Call, context: CallContext) => HandlerResult<C>

/** Creates the function that runs commands. */
export const createDispatcher = (options: ControlOptions): RunCommand => {
  // Created with the first call: this takes longer than the rest of a mock, and many mocks are never called.
  let handlers: Handlers<CommandId> | undefined
  return <C extends CommandId>(
    id: C,
    { params: { project, ...params } = {}, query = {}, body }: Call,
    context: CallContext,
  ) => {
    const command: Command = commands[id]
    // An existing project has a valid id.
    if (project !== undefined && !options.store.projects.has(project)) rejectInvalidId(project)
    const schema = (project === undefined ? command.bodyForAll : undefined) ?? command.body
    const parsed: unknown = {
      project,
      params,
      query: parseQuery(command.query ?? noQuery, query),
      body: schema === undefined ? rejectBody(body) : parseBody(schema, body),
      ...context,
    }
    handlers ??= {
      ...createStateHandlers(options),
      ...createRecordHandlers(options),
      ...createTrafficHandlers(options),
    }
    // The schemas of the command have parsed these values, which the compiler cannot see.
    return handlers[id](parsed as ParsedCall<C> & CallContext)
  }
}

const noQuery = z.object({})

const parseQuery = (schema: z.ZodMiniObject, query: object): unknown => {
  const parsed = parseStrict(schema, query)
  if (parsed.ok) return parsed.value
  const problems = simplifyQueryProblems(schema, query, parsed.problems)
  throw invalidControlQuery({ what: 'The query', problems })
}

/** Rejects unknown fields, because a call with a misspelled field would seem to succeed. */
const parseBody = (schema: z.ZodMiniType, body: unknown): unknown => {
  const parsed = parseStrict(schema, body)
  if (parsed.ok) return parsed.value
  if (body === undefined) throw errors.malformedBody('empty')
  throw errors.invalidBody({ what: 'The request body', problems: parsed.problems })
}

const rejectBody = (body: unknown): undefined => {
  if (body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0)) return
  throw errors.invalidBody({ message: 'This command has no request body.' })
}

const rejectInvalidId = (project: string) => {
  const parsed = parse(ProjectId, project, ['project'])
  if (!parsed.ok) throw errors.projectNotFound({ invalid: parsed.problems })
}
