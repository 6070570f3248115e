// The client of an actor: each call and each sleep waits for its turn. Calls report what they read and wrote.
import { createControl } from '../../client/control.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { buildMock, type Core, type Mock } from '../../mock/mock.ts'
import { getCommandPath } from '../../schema/command-definition.ts'
import { type Call, type CommandId, commands } from '../../schema/command.ts'
import { recordCommands } from '../../schema/commands/record-definitions.ts'
import { MockError } from '../../schema/error.ts'
import { getTarget } from '../../schema/url.ts'
import type { Client, ParsedSearch } from './options.ts'
import type { CallFault } from './schedule-text.ts'
import type { Access, ActorCall, Turns } from './turns.ts'

/** The access of a call that may have read and changed anything. */
const anything: Access = { project: '*', part: '*', isWrite: true }
const clockRead: Access = { project: '*', part: 'clock', isWrite: false }

// Only a call with a fault has this header.
const header = 'mock-explored-call'

/** Returns a function that creates the client of an actor. */
export const createClients = ({ effects }: ParsedSearch, core: Core, turns: Turns): ((actor: string) => Client) => {
  /** The ids of the faults of the search. */
  const ownFaults = new Set<string>()

  /** Records a request, and reports what it reads and writes besides its transactions. */
  const recordRequest = (request: Request) => {
    let context: RequestContext | undefined
    let delivered: Response | undefined
    let effect: string | null = null
    const onContext = (created: RequestContext) => {
      context = created
      const isKeyed = request.headers.has('idempotency-key')
      turns.note({ project: created.project, part: isKeyed ? '*' : 'behaviors', isWrite: isKeyed })
      // A fault counts requests. A sandbox has faults of its own.
      const { faults } = created.options.traffic
      if (created.options.store !== core.root.store || faults.list().some(({ id }) => !ownFaults.has(id)))
        turns.note(anything)
    }
    const send = async (sent: Request): Promise<Response> => {
      try {
        return (delivered = await core.handleRequest(sent, onContext))
      } finally {
        const { fault } = context ?? {}
        if (context === undefined) turns.note(anything)
        if (fault !== undefined && !ownFaults.has(fault)) effect = describeAddedFault(core, fault)
      }
    }
    const call: ActorCall = {
      getOperation: () => context?.operation?.id,
      read: () => ({
        operation: context?.operation?.id ?? null,
        method: request.method,
        path: getTarget(request.url),
        body: context?.text ?? null,
        status: delivered?.status ?? null,
        response: delivered === undefined ? null : (context?.response?.text ?? null),
        fault: effect,
      }),
    }
    return { call, send }
  }

  /** Like `recordRequest`, for a command of the control API. */
  const recordCommand = <T>(id: CommandId, { params = {}, body }: Call = {}, run: () => Promise<T>) => {
    const { project } = params
    const path = `/__admin${getCommandPath(commands[id], project)}`
    let end: { readonly status: number; readonly value: unknown } | undefined
    const send = (): Promise<T> => {
      // The commands of records read and write only with transactions.
      const isTracked = id in recordCommands && project !== undefined
      turns.note(isTracked ? { project, part: 'behaviors', isWrite: false } : anything)
      const response = run()
      response.then(
        (value) => (end = { status: 200, value }),
        (error: unknown) => (end = error instanceof MockError ? { status: error.status, value: error } : undefined),
      )
      return response
    }
    const call: ActorCall = {
      getOperation: () => undefined,
      read: () => ({
        operation: id,
        method: commands[id].method,
        path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
        body: toText(body),
        status: end?.status ?? null,
        response: toText(end?.value),
        fault: null,
      }),
    }
    return { call, send }
  }

  const sleep = (actor: string, milliseconds: number): Promise<void> => {
    turns.note(clockRead)
    // As for a timer, an invalid number means zero.
    const until = core.now() + Math.max(0, Math.ceil(milliseconds) || 0)
    return turns.wait(actor, { until }, async () => {
      await core.client.call('advanceClock', { body: { milliseconds: Math.max(0, until - core.now()) } })
    })
  }

  const sendRequest = (actor: string, request: Request): Promise<Response> => {
    const { call, send } = recordRequest(request)
    const sendWithFault = async ({ phase, effect: name }: CallFault): Promise<Response> => {
      const { delay, ...effect } = effects[name]!
      const wait = async () => delay && (await sleep(actor, delay.milliseconds))
      if (phase === 'before') await wait()
      const marked = new Request(request)
      if (Object.keys(effect).length > 0) {
        marked.headers.set(header, '')
        // A rate limit also counts the calls that follow.
        const match = effect.rateLimit === undefined ? { headers: { [header]: '' } } : {}
        const { id } = await core.client.call('addFault', { body: { match, phase, effect } })
        if (effect.rateLimit === undefined) ownFaults.add(id)
      }
      const response = await send(marked)
      if (phase === 'after') await wait()
      return response
    }
    return turns.wait(actor, { call }, (fault) => (fault === undefined ? send(request) : sendWithFault(fault)))
  }

  return (actor) => {
    const own: Core = { ...core, handleRequest: (request) => sendRequest(actor, request) }
    const createOrderedControl = () =>
      createControl({
        ...core.client,
        call: (id, sent) => {
          const { call, send } = recordCommand(id, sent, () => core.client.call(id, sent))
          return turns.wait(actor, { call }, send)
        },
      })
    let mock: Mock | undefined
    return {
      fetch: buildPublicMock(own).fetch,
      // Built on first use: most actors only fetch.
      get mock() {
        return (mock ??= buildPublicMock({ ...own, control: createOrderedControl() }))
      },
      sleep: (milliseconds) => sleep(actor, milliseconds),
      now: () => {
        turns.note(clockRead)
        return core.now()
      },
    }
  }
}

/** Describes a fault that an actor has added. */
const describeAddedFault = (core: Core, id: string): string => {
  const { effect } = core.root.traffic.faults.list().find((fault) => fault.id === id) ?? {}
  return effect === undefined ? id : `${id}: ${JSON.stringify(effect)}`
}

const toText = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

/** The mock of a run, as a user sees it. */
export const buildPublicMock = (core: Core): Mock => buildMock(core, { close: async () => core.stop(), listen })

const listen = () =>
  Promise.reject(
    new Error(
      'Failed to listen: calls over a socket cannot be ordered. Give the client the `fetch` of its actor. For a client that ' +
        'takes none, use paylinkHandlers({ ...mock, fetch }, baseUrl) of paylink-mock/msw.',
    ),
  )
