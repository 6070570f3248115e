import { Refusal } from '../schema/error.ts'
import { parse, problemsText } from '../schema/problem.ts'
import { unknownFields } from '../schema/unknown-fields.ts'
import { type AnswerOf, type Call, type Verb, type VerbId, verbs } from '../schema/verbs.ts'
import { payments } from './payments.ts'
import { projects } from './projects.ts'
import { rows } from './rows.ts'
import { state } from './state.ts'
import type { ControlOptions, Handlers } from './task.ts'

/** Runs a verb: parses its call, refuses what is wrong with it, and does it. */
export type RunVerb = <V extends VerbId>(verb: V, call: Call, origin?: string) => AnswerOf<V>

export const createControl = (options: ControlOptions): RunVerb => {
  const handlers: Handlers<VerbId> = {
    ...projects(options),
    ...state(options),
    ...rows(options),
    ...payments(options),
  }
  return (verb, call, origin) => {
    const { query, body }: Verb = verbs[verb]
    const params = call.params ?? {}
    const task = {
      project: params.project ?? '',
      params,
      query: query === undefined ? undefined : checked(query, call.query ?? {}, 'invalidQuery', 'The query'),
      body: body === undefined ? refuseBody(call.body) : checked(body, call.body, 'invalidBody', 'The request body'),
      origin,
    }
    return handlers[verb](task as never)
  }
}

/** Parsed, with unknown fields refused: a slip in a steering call must not pass for a call that did nothing. */
const checked = (
  schema: NonNullable<Verb['body']>,
  value: unknown,
  code: 'invalidQuery' | 'invalidBody',
  what: string,
): unknown => {
  const parsed = parse(schema, value)
  const problems = [...(parsed.ok ? [] : parsed.problems), ...unknownFields(schema, value)]
  if (!parsed.ok || problems.length > 0)
    throw new Refusal(code, problemsText(what, problems), { details: problems, status: 422 })
  return parsed.value
}

const refuseBody = (body: unknown): undefined => {
  if (body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0)) return
  throw new Refusal('invalidBody', 'The request body must be left out here.')
}
