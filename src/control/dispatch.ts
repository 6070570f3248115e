import * as z from 'zod/mini'
import type { Snapshots } from '../domain/snapshots.ts'
import type { Store } from '../domain/store.ts'
import type { Tokens } from '../domain/tokens.ts'
import type { Call, ParsedCall, CommandResponse } from '../schema/command.ts'
import type { Command } from '../schema/command-definition.ts'
import type { CommandId } from '../schema/command-routes.ts'
import { type Commands, commands } from '../schema/commands.ts'
import { invalidControlQuery, MockError } from '../schema/error.ts'
import { parse, formatProblems, simplifyQueryProblems } from '../schema/problem.ts'
import { ProjectId } from '../schema/seed.ts'
import type { SandboxSummary } from '../schema/summaries.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import type { EventSubscription } from '../traffic/events.ts'
import type { OnEnd } from '../traffic/pending-delays.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { emptyBody } from '../wire/body.ts'
import { createRecordHandlers } from './records.ts'
import { createStateHandlers } from './state.ts'
import { createTrafficHandlers } from './traffic.ts'

/** The parts of a mock that commands read and change. */
export interface ControlOptions {
  readonly store: Store
  readonly snapshots: Snapshots
  readonly tokens: Tokens
  readonly traffic: Traffic
  /** Returns the address of a project's payment pages, at the origin of the call. */
  readonly payUrl: (project: string, origin?: string) => string
  /** The maximum size of a record, which is that of a request body. */
  readonly bodyLimit: number
  readonly version: string
  /** Milliseconds since 1970. */
  readonly systemNow: () => number
  /** The sandboxes of the mock. Undefined in a sandbox. */
  readonly sandboxes: SandboxDirectory | undefined
  /** When the mock was created, in `systemNow` milliseconds. */
  readonly startedAt: number
}

interface SandboxDirectory {
  list(): SandboxSummary[]
  delete(name?: string): void
}

/** The caller of a command. */
export interface CallContext {
  /** The origin of an HTTP request. */
  readonly origin: string | undefined
  /** Calls a listener when the caller stops waiting. */
  readonly onEnd: OnEnd
  /** For `events`: the id of the last event that the caller received. */
  readonly lastEvent?: number | undefined
  /** For `events`: called when the reader is too slow and would miss events. */
  readonly onBehind?: (() => void) | undefined
}

type Result<C extends CommandId> = C extends CommandId
  ? Commands[C] extends { readonly event: unknown }
    ? EventSubscription
    : Commands[C] extends { readonly response: unknown }
      ? CommandResponse<C, string | undefined> | Promise<CommandResponse<C, string | undefined>>
      : void
  : never

/** The functions that run commands. A call without a project is for all projects. */
export type Handlers<C extends CommandId> = {
  readonly [K in C]: (call: ParsedCall<K> & CallContext) => Result<K>
}

/** Validates a call, and runs its command. */
export type RunCommand = <C extends CommandId>(id: C, call: Call, context: CallContext) => Result<C>

/** Creates the function that runs commands. */
export const createControl = (options: ControlOptions): RunCommand => {
  // Created with the first call: this takes longer than the rest of a mock, and many mocks are never called.
  let handlers: Handlers<CommandId> | undefined
  return <C extends CommandId>(
    id: C,
    { params: { project, ...params } = {}, query = {}, body }: Call,
    context: CallContext,
  ) => {
    const command: Command = commands[id]
    // An existing project has a valid id.
    if (project !== undefined && !options.store.has(project)) rejectInvalidId(project)
    const schema = (project === undefined ? command.bodyForAll : undefined) ?? command.body
    const parsed = {
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
  if (schema === noQuery && Object.keys(query).length === 0) return {}
  const parsed = parseStrict(schema, query)
  if (parsed.ok) return parsed.value
  const problems = simplifyQueryProblems(schema, query, parsed.problems)
  throw invalidControlQuery(formatProblems('The query', problems), { details: problems })
}

/** Rejects unknown fields, because a call with a misspelled field would seem to succeed. */
const parseBody = (schema: z.ZodMiniType, body: unknown): unknown => {
  const parsed = parseStrict(schema, body)
  if (parsed.ok) return parsed.value
  if (body === undefined) throw emptyBody()
  throw new MockError('invalidBody', formatProblems('The request body', parsed.problems), { details: parsed.problems })
}

const rejectBody = (body: unknown): undefined => {
  if (body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0)) return
  throw new MockError('invalidBody', 'This command has no request body.')
}

const rejectInvalidId = (project: string) => {
  const parsed = parse(ProjectId, project, ['project'])
  if (!parsed.ok) throw new MockError('projectNotFound', formatProblems('The project', parsed.problems))
}
