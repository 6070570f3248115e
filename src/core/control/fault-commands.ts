import * as z from 'zod/mini'
import { errors } from '../schema/error.ts'
import { Fault, FaultRule } from '../schema/fault.ts'
import { buildUnpagedListSchema, createUnpagedList } from '../schema/list.ts'
import { isOperationPath } from '../schema/matcher.ts'
import { pluralize, quote } from '../schema/problem.ts'
import { described, intFrom } from '../schema/zod-helpers.ts'
import { requireHold } from '../traffic/faults.ts'
import { defineCommand } from './command.ts'
import { createBodyError, rejectOtherProject } from './request-commands.ts'

const FaultList = buildUnpagedListSchema(Fault)

export const faultCommands = {
  listFaults: defineCommand('both', 'GET', '/faults', 'List faults', { response: FaultList }).handle(
    ({ traffic }, { project }) => createUnpagedList(traffic.faults.list(project)),
  ),

  addFault: defineCommand('both', 'POST', '/faults', 'Create a fault', {
    status: 201,
    body: FaultRule,
    response: Fault,
    examples: {
      unavailable: {
        summary: 'The next create of a user fails',
        value: { match: { operation: 'createUser' }, effect: { status: 503, headers: { 'retry-after': '1' } } },
      },
      lost: {
        summary: 'The link is created, but the response is lost',
        value: { match: { operation: 'createPaymentLink' }, phase: 'after', effect: { connection: 'reset' } },
      },
      slow: {
        summary: 'Every response is late',
        value: { times: null, effect: { delay: { milliseconds: 200, jitter: 50 } } },
      },
      hold: {
        summary: 'A request that waits for its release',
        value: { match: { operation: 'createPaymentLink' }, effect: { hold: true } },
      },
      stale: { summary: 'A list that misses the newest change', value: { effect: { stale: { changes: 1 } } } },
      duplicate: { summary: 'A request that is delivered twice', value: { effect: { duplicate: true } } },
      evolve: { summary: 'A later release of the service', value: { times: null, effect: { evolve: true } } },
      rateLimit: { summary: 'A rate limit', value: { effect: { rateLimit: { limit: 5, window: 1000 } } } },
    },
  }).handle(({ store, traffic, basePath }, { project, body }) => {
    rejectOtherBase(body.match?.path, basePath)
    if (project !== undefined) {
      rejectOtherProject(body.match ?? {}, project, 'match.', createBodyError)
      store.projects.ensure(project)
    }
    return traffic.faults.add(body, project)
  }),

  removeFaults: defineCommand('both', 'DELETE', '/faults', 'Delete all faults').handle(({ traffic }, { project }) =>
    traffic.faults.removeAll(project),
  ),

  retrieveFault: defineCommand('both', 'GET', '/faults/{fault}', 'Retrieve a fault', { response: Fault }).handle(
    ({ traffic }, { project, params }) => traffic.faults.get(params.fault, project),
  ),

  removeFault: defineCommand('both', 'DELETE', '/faults/{fault}', 'Delete a fault').handle(
    ({ traffic }, { project, params }) => traffic.faults.remove(params.fault, project),
  ),

  releaseFault: defineCommand('both', 'POST', '/faults/{fault}/release', 'Release held requests', {
    body: z.optional(
      z.object({ count: described(z.optional(intFrom(1)), 'The oldest ones. Default: all that wait now.') }),
    ),
    response: Fault,
    examples: {
      all: { summary: 'All requests that wait now', value: {} },
      one: { summary: 'The oldest request', value: { count: 1 } },
    },
  }).handle(({ traffic }, { project, params, body }) => traffic.faults.release(params.fault, body?.count, project)),

  waitForHeld: defineCommand('both', 'POST', '/faults/{fault}/wait', 'Wait for held requests', {
    body: z.optional(
      z.object({
        held: described(z.optional(intFrom(1)), 'At least this many. Default 1.'),
        within: described(z.optional(intFrom(0, 3_600_000)), 'How long to wait, in milliseconds. Default 2000.'),
      }),
    ),
    response: Fault,
    errors: ['verificationFailed'],
    examples: { one: { summary: 'At least one request', value: { held: 1, within: 2000 } } },
  }).handle(async ({ traffic: { faults, waits } }, { project, params, body = {}, onEnd }) => {
    const { held: wanted = 1, within = 2000 } = body
    const { fault: id } = params
    requireHold(faults.get(id, project))
    const isEnough = () => waits.countHeld(id) >= wanted
    const isRemoved = () => !faults.list(project).some((fault) => fault.id === id)
    const until = (settle: () => void) => waits.onHeld(() => (isEnough() || isRemoved()) && settle())
    if (!isEnough() && (await waits.wait({ milliseconds: within, onEnd, until })) === 'stopped')
      throw errors.shuttingDown()
    const fault = faults.get(id, project)
    const actual = waits.countHeld(id)
    if (actual >= wanted) return fault
    const claim = `Fault '${id}' was expected to hold at least ${pluralize(wanted, 'request')} and holds ${actual}`
    throw errors.verificationFailed({ claim, expected: { atLeast: wanted }, actual, nearMisses: [] })
  }),
}

/** A fault with a path that no operation has would never apply. The schema does not know the base path. */
const rejectOtherBase = (path: string | undefined, basePath: string) => {
  if (path === undefined || isOperationPath(path, basePath)) return
  const message = `match.path must start with '${basePath}/projects/', like the paths of the operations (got ${quote(path)}).`
  throw createBodyError([{ path: 'match.path', message }])
}
