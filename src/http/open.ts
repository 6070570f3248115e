import type { Context, MiddlewareHandler } from 'hono'
import type { RowChange } from '../domain/work.ts'
import { apiFailure } from './failure.ts'
import { type ApiEnv, type ApiOptions, assumedBy, openExchange } from './exchange.ts'
import type { Operation } from './operation.ts'
import { hasBody, readBody } from './read-body.ts'
import { sightingOf } from './sighting.ts'
import { strike } from './strike.ts'

// These refusals leave a project that is not there yet unborn: the address may be a typing mistake.
const leavesUnborn = new Set([401, 403, 404, 405])

/**
 * Opens the exchange, lets a fault strike, brings an unknown project into being, and writes down what became of it.
 * Without an operation it is that of a request that no route takes.
 */
export const open = (options: ApiOptions, operation?: Operation): MiddlewareHandler<ApiEnv> =>
  async function open(c, next) {
    const project = c.req.param('project')
    const exchange = openExchange(options, project, operation)
    c.set('exchange', exchange)
    const proceed = async () => {
      await next()
      enter(c, options)
    }
    if (operation !== undefined && options.traffic.faults.concern(project!)) await struck(c, options, proceed)
    else await proceed()
    await record(c, options)
  }

const struck = async (c: Context<ApiEnv>, options: ApiOptions, next: () => Promise<void>) => {
  try {
    const response = await strike(c, options, next)
    if (response !== undefined) replace(c, response)
  } catch (error) {
    replace(c, apiFailure(error, c, options))
  }
}

const unchanged: readonly RowChange[] = []

/** Puts a response in the place of the one there is: set over it, it would inherit its headers. */
const replace = (c: Context<ApiEnv>, response: Response) => {
  c.res = undefined
  c.res = response
}

const enter = (c: Context<ApiEnv>, { world, onProjectCreated }: ApiOptions) => {
  const { project, generation } = c.var.exchange
  // What was deleted or replaced meanwhile is not brought back by a request that was begun before.
  const isCurrent = project !== undefined && world.generationOf(project) === generation
  if (isCurrent && !leavesUnborn.has(c.res.status) && world.enter(project)) onProjectCreated(project)
}

const record = async (c: Context<ApiEnv>, { traffic, systemNow, bodyLimit }: ApiOptions) => {
  const { exchange } = c.var
  // What was refused before its body was looked at was sent all the same.
  if (exchange.reading === undefined && hasBody(c)) await readBody(c, bodyLimit).catch(() => {})
  const { answer } = exchange
  const recorded = {
    ...sightingOf(c),
    id: exchange.requestId,
    status: answer?.status,
    receivedAt: exchange.receivedAt,
    duration: systemNow() - exchange.startedAt,
    answer,
    behaviors: exchange.behaviors,
    assumed: assumedBy(exchange),
    violations: exchange.violations,
    changes: exchange.changes ?? unchanged,
    fault: exchange.fault,
  }
  traffic.record(recorded, exchange.epoch)
}
