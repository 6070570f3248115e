import * as z from 'zod'
import { type Problem, Refusal } from '../schema/error.ts'
import { parse, problemsText } from '../schema/problem.ts'
import { queryProblems } from '../schema/query.ts'
import { ProjectId } from '../schema/seed.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import type { Verb } from '../schema/verb.ts'
import { type Call, type VerbId, verbs } from '../schema/verbs.ts'
import { emptyBody } from '../wire/body.ts'
import { behaviorVerbs } from './behaviors.ts'
import { clocks } from './clocks.ts'
import { faultVerbs } from './faults.ts'
import { payments } from './payments.ts'
import { projects } from './projects.ts'
import { rows } from './rows.ts'
import { snapshotVerbs } from './snapshots.ts'
import { state } from './state.ts'
import type { Caller, ControlOptions, Handlers } from './task.ts'
import { tokenVerbs } from './tokens.ts'
import { trafficVerbs } from './traffic.ts'

interface AnyHandler {
  readonly one: (task: object) => unknown
  readonly all?: (task: object) => unknown
}

/** Runs a verb, for the project of its params or for all: parses its call, refuses what is wrong with it, and does it. */
export type RunVerb = (verb: VerbId, call: Call, caller: Caller) => unknown

export const createControl = (options: ControlOptions): RunVerb => {
  // Many a mock is never steered, and to put these together costs more than all the rest of it.
  let handlers: Handlers<VerbId> | undefined
  return (id, { params = {}, query = {}, body }, caller) => {
    const verb: Verb = verbs[id]
    const { project } = params
    const forAll = project === undefined
    const schema = forAll ? (verb.bodyForAll ?? verb.body) : verb.body
    // What is there has a name that is right.
    if (project !== undefined && !options.world.has(project)) refuseName(project)
    const task = {
      project: project ?? '',
      params,
      query: checkedQuery(verb.query ?? noQuery, query),
      body: schema === undefined ? refuseBody(body) : checkedBody(schema, body),
      ...caller,
    }
    // The row says what each handler is given; here they are all alike.
    handlers ??= handlersOf(options)
    const { one, all = one } = handlers[id] as AnyHandler
    return forAll ? all(task) : one(task)
  }
}

const handlersOf = (options: ControlOptions): Handlers<VerbId> => ({
  ...projects(options),
  ...state(options),
  ...snapshotVerbs(options),
  ...clocks(options),
  ...behaviorVerbs(options),
  ...tokenVerbs(options),
  ...rows(options),
  ...payments(options),
  ...trafficVerbs(options),
  ...faultVerbs(options),
})

const noQuery = z.object({})

const checkedQuery = (schema: z.ZodObject, query: object): unknown => {
  if (schema === noQuery && Object.keys(query).length === 0) return {}
  const parsed = parseStrict(schema, query)
  if (parsed.ok) return parsed.value
  throw refused('invalidQuery', 'The query', queryProblems(schema, query, parsed.problems))
}

/** Parsed, with unknown fields refused: a slip in a steering call must not pass for a call that did nothing. */
const checkedBody = (schema: z.ZodType, body: unknown): unknown => {
  const parsed = parseStrict(schema, body)
  if (parsed.ok) return parsed.value
  if (body === undefined) throw emptyBody()
  throw refused('invalidBody', 'The request body', parsed.problems)
}

const refused = (code: 'invalidQuery' | 'invalidBody', what: string, problems: Problem[]): Refusal =>
  new Refusal(code, problemsText(what, problems), { details: problems, status: 422 })

const refuseBody = (body: unknown): undefined => {
  if (body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0)) return
  throw new Refusal('invalidBody', 'The request body must be left out here.')
}

const refuseName = (project: string) => {
  const parsed = parse(ProjectId, project, ['project'])
  if (!parsed.ok) throw new Refusal('projectNotFound', parsed.problems[0]!.message)
}
