// The client of an actor: each call and each sleep waits for its turn.
import { createControl } from '../../client/control.ts'
import { buildMock, type Core, type Mock } from '../../mock/mock.ts'
import { recordCommand, recordRequest } from './explored-request.ts'
import type { Client, ParsedSearch } from './options.ts'
import type { CallFault } from './schedule-text.ts'
import type { Turns } from './turns.ts'

/** The parts of a run that clients use. */
interface RunContext {
  readonly given: ParsedSearch
  readonly core: Core
  readonly turns: Turns
  /** The ids of the faults of the search. */
  readonly ownFaults: Set<string>
}

const clockRead = { project: '*', part: 'clock', isWrite: false } as const

/** Creates the client of an actor. */
export const createActorClient = (context: RunContext, actor: string): Client => {
  const { core, turns } = context
  const own: Core = {
    ...core,
    handleRequest: (request) => {
      const call = recordRequest(core, request, turns.note, context.ownFaults)
      return turns.wait(actor, { call }, (fault) =>
        fault === undefined ? call.send(request) : sendWithFault(context, actor, call, fault),
      )
    },
  }
  let mock: Mock | undefined
  return {
    fetch: buildPublicMock(own).fetch,
    // Built on first use: most actors only fetch.
    get mock() {
      return (mock ??= buildPublicMock({ ...own, control: createOrderedControl(context, actor) }))
    },
    sleep: (milliseconds) => sleep(context, actor, milliseconds),
    now: () => {
      turns.note(clockRead)
      return core.now()
    },
  }
}

const createOrderedControl = ({ core, turns }: RunContext, actor: string) =>
  createControl({
    ...core.client,
    call: (id, sent) => {
      const call = recordCommand(id, sent, turns.note, () => core.client.call(id, sent))
      return turns.wait(actor, { call }, call.send)
    },
  })

/** The mock of a run, as a user sees it. */
export const buildPublicMock = (core: Core): Mock => buildMock(core, { close: async () => core.stop(), listen })

const listen = () =>
  Promise.reject(
    new Error(
      'Failed to listen: calls over a socket cannot be ordered. Give the client the `fetch` of its actor. For a client that ' +
        'takes none, use paylinkHandlers({ ...mock, fetch }, baseUrl) of paylink-mock/msw.',
    ),
  )

const sleep = ({ core, turns }: RunContext, actor: string, milliseconds: number): Promise<void> => {
  turns.note(clockRead)
  // As for a timer, an invalid number means zero.
  const until = core.now() + Math.max(0, Math.ceil(milliseconds) || 0)
  return turns.wait(actor, { until }, async () => {
    await core.client.call('advanceClock', { body: { milliseconds: Math.max(0, until - core.now()) } })
  })
}

// Only a call with a fault has this header.
const header = 'mock-explored-call'

const sendWithFault = async (
  context: RunContext,
  actor: string,
  { request, send }: ReturnType<typeof recordRequest>,
  { phase, effect: name }: CallFault,
): Promise<Response> => {
  const { delay, ...effect } = context.given.effects[name]!
  const wait = async () => delay && (await sleep(context, actor, delay.milliseconds))
  if (phase === 'before') await wait()
  const marked = new Request(request)
  if (Object.keys(effect).length > 0) {
    marked.headers.set(header, '')
    // A rate limit also counts the calls that follow.
    const match = effect.rateLimit === undefined ? { headers: { [header]: '' } } : {}
    const { id } = await context.core.client.call('addFault', { body: { match, phase, effect } })
    if (effect.rateLimit === undefined) context.ownFaults.add(id)
  }
  const response = await send(marked)
  if (phase === 'after') await wait()
  return response
}
