import * as z from 'zod'
import { type Call, type Command, type CommandId, commands } from '../schema/commands.ts'
import { type Problem, MockError } from '../schema/error.ts'
import { parse, problemsText, queryProblems } from '../schema/problem.ts'
import { ProjectId } from '../schema/seed.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import { emptyBody } from '../wire/body.ts'
import type { CallContext, ControlOptions, Handlers } from './types.ts'
import { recordHandlers } from './records.ts'
import { stateHandlers } from './state.ts'
import { trafficHandlers } from './traffic.ts'

export type RunCommand = (id: CommandId, call: Call, context: CallContext) => unknown

/** Returns the function that validates the call of a command and runs the command. */
export const createControl = (options: ControlOptions): RunCommand => {
  // Created with the first call: it takes longer than the rest of the mock, and many mocks are never called.
  let handlers: Handlers<CommandId> | undefined
  return (id, { params: { project, ...params } = {}, query = {}, body }, context) => {
    const command: Command = commands[id]
    // An existing project has a valid name.
    if (project !== undefined && !options.store.has(project)) rejectInvalidName(project)
    const schema = (project === undefined ? command.bodyForAll : undefined) ?? command.body
    const call = {
      project,
      params,
      query: parseQuery(command.query ?? noQuery, query),
      body: schema === undefined ? rejectBody(body) : parseBody(schema, body),
      ...context,
    }
    handlers ??= { ...stateHandlers(options), ...recordHandlers(options), ...trafficHandlers(options) }
    // The type of the call depends on the id, which the compiler cannot follow here.
    return (handlers[id] as (parsed: object) => unknown)(call)
  }
}

const noQuery = z.object({})

const parseQuery = (schema: z.ZodObject, query: object): unknown => {
  if (schema === noQuery && Object.keys(query).length === 0) return {}
  const parsed = parseStrict(schema, query)
  if (parsed.ok) return parsed.value
  throw invalid('invalidQuery', 'The query', queryProblems(schema, query, parsed.problems))
}

/** Rejects unknown fields too: otherwise a call with a misspelled field would seem to succeed. */
const parseBody = (schema: z.ZodType, body: unknown): unknown => {
  const parsed = parseStrict(schema, body)
  if (parsed.ok) return parsed.value
  if (body === undefined) throw emptyBody()
  throw invalid('invalidBody', 'The request body', parsed.problems)
}

const invalid = (code: 'invalidQuery' | 'invalidBody', what: string, problems: Problem[]): MockError =>
  new MockError(code, problemsText(what, problems), { details: problems, status: 422 })

const rejectBody = (body: unknown): undefined => {
  if (body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0)) return
  throw new MockError('invalidBody', 'The request body must be left out here.')
}

const rejectInvalidName = (project: string) => {
  const parsed = parse(ProjectId, project, ['project'])
  if (!parsed.ok) throw new MockError('projectNotFound', parsed.problems[0]!.message)
}
