// Actors drawn at random, of all features that code in this process can use.
import * as fc from 'fast-check'
import { createMock } from '../../../src/index.ts'
import type { Client, Flow } from '../../../src/explore/index.ts'
import { type DrawnCall, drawnCall, readResponse, toRequest } from './drawn-calls.ts'
import { streamed } from './service.ts'

/** What an actor does. What it writes depends on what it saw last. */
export type Action =
  | { readonly do: 'call'; readonly call: DrawnCall }
  | { readonly do: 'command'; readonly method: string; readonly scope: Scope; readonly index: number }
  | { readonly do: 'sleep'; readonly milliseconds: number }
  | { readonly do: 'now' | 'hold' | 'aborted' }
  | { readonly do: SignalName; readonly milliseconds: number; readonly isRequest: boolean; readonly of: Action }
  | { readonly do: CombinatorName; readonly all: readonly Action[] }
  | { readonly do: WrapperName; readonly of: Action }

type Scope = 'one' | 'two' | 'later' | 'mock' | 'sandbox'

/** What an actor has seen, and the signal of its next request. */
interface Memory {
  readonly name: string
  readonly trace: string[]
  readonly signal?: AbortSignal
  /** When the signal is aborted at the latest. */
  readonly until?: number
  readonly isRequest?: boolean
  /** Whether its requests go to the mounted mock. */
  readonly isMounted?: boolean
}

export const lateSignal = 'a timeout is over, and its signal is not aborted'

/** Sleeps, and requires that a timeout that is over then has aborted its signal. */
const sleep = async ({ sleep, now }: Client, { signal, until = Infinity }: Memory, ms: number): Promise<void> => {
  await sleep(ms)
  if (until < now() && !signal?.aborted) throw new Error(lateSignal)
}

/** The functions of the control of a mock, by their path: `paymentLinks.pay`. */
const listMethods = (control: object, prefix = ''): string[] =>
  Object.entries(control).flatMap(([name, value]) =>
    typeof value === 'function'
      ? `${prefix}${name}`
      : typeof value === 'object' && value !== null
        ? listMethods(value, `${prefix}${name}.`)
        : [],
  )

const mock = createMock()
/** Those of the library alone: actors send requests with `fetch`, cannot listen, and do not close the mock. */
const others = new Set(['fetch', 'app.fetch', 'listen', 'close', 'project', 'sandbox', 'dispose'])
export const methods = {
  project: listMethods(mock.project('one')),
  mock: listMethods(mock).filter((name) => !others.has(name)),
}

/** The arguments of each, in several forms. A command without an entry has none. */
const methodArguments: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'state.put': [[{}]],
  'state.patch': [[{ users: [{ id: 'usr_1', email: 'patched@example.com' }] }]],
  'snapshots.save': [['here']],
  'snapshots.restore': [['here']],
  'snapshots.delete': [['here']],
  'clock.set': [[{ mode: 'stepping' }], [{ mode: 'frozen', now: '2025-01-01T00:00:01.000Z' }]],
  'clock.advance': [[700], [1500]],
  'behaviors.set': [[{ unknownProject: 'notFound', duplicateEmail: 'conflict' }]],
  'tokens.replace': [[[]], [[{ token: 'tok_other', projects: ['one'] }]]],
  'requests.get': [['req_1']],
  'requests.verify': [[{ match: { operation: 'createUser' } }]],
  'faults.add': [
    [{ match: { operation: 'listUsers' }, effect: { status: 503 } }],
    [{ match: { operation: 'listUsers' }, skip: 1, effect: { stale: { changes: 1 } } }],
    [{ match: {}, phase: 'after', effect: { connection: 'reset' } }],
    [{ match: {}, probability: 0.5, times: null, effect: { corrupt: 'malformed' } }],
    [{ match: {}, effect: { rateLimit: { limit: 1, window: 1000 } } }],
  ],
  'users.create': [[{ email: 'ada@example.com' }], [{ id: 'usr_new', email: 'new@example.com' }]],
  'users.get': [['usr_1']],
  'users.patch': [['usr_1', { fullName: 'Ada' }]],
  'users.delete': [['usr_1']],
  'paymentLinks.list': [[{ status: 'active' }]],
  'paymentLinks.create': [[{ invoice: 'inv_1' }]],
  'paymentLinks.get': [['pml_1']],
  'paymentLinks.patch': [['pml_1', { status: 'active' }]],
  'paymentLinks.delete': [['pml_1']],
  'paymentLinks.pay': [
    ['pml_1'],
    ['pml_1', { outcome: 'failed' }],
    ...[{ in: 0 }, { in: 1500 }, { reads: 1 }, { at: '2024-01-01T00:00:00.000Z' }].map((when) => ['pml_1', { when }]),
  ],
  'paymentLinks.cancel': [['pml_1']],
  patch: [[{ preferredLocale: 'de' }]],
  'sandboxes.delete': [['other'], []],
}

/** What no search compares: the order of the journal and of events. */
const unstable = /^(?:requests|violations|assumptions|coverage|clearCoverage|report|events|sandboxes)/

const runMethod = async (client: Client, method: string, scope: Scope, index: number): Promise<string> => {
  const root =
    scope === 'mock' ? client.mock : scope === 'sandbox' ? client.mock.sandbox('other') : client.mock.project(scope)
  const path = method.split('.')
  const call = path.reduce<any>((value, name) => value[name], root)
  const given = methodArguments[method] ?? [[]]
  const value = call(...given[index % given.length]!)
  // Whether there is an event does not depend on a step of its reader.
  const result = method === 'events' ? await value[Symbol.asyncIterator]().return() : await value
  return unstable.test(method) ? '' : JSON.stringify(result ?? null)
}

/** Holds the lists of users, sends one, and lets go. Calls of other actors may be held in between. */
const hold = async (client: Client): Promise<string> => {
  // A crash may have left one.
  await client.mock.faults.remove()
  const fault = await client.mock
    .project('one')
    .faults.add({ match: { operation: 'listUsers' }, times: null, effect: { hold: true } })
  const [path, init] = toRequest({ name: 'listUsers', method: 'GET', path: '/projects/one/users' }, '')
  const listing = client.fetch(path, init).then((response) => response.text())
  listing.catch(() => {})
  // Another actor may remove the fault.
  await fault.release(1).catch(() => {})
  await fault.remove().catch(() => {})
  return listing
}

/** Creates a user. The stream of the body first calls `look`. */
const createStreamed = async ({ fetch }: Client, name: string, look: () => Promise<string>): Promise<string> => {
  const readText = async () =>
    JSON.stringify({ email: `${name}@example.com`, fullName: `saw ${(await look()).length}` })
  return (await fetch('/projects/one/users', streamed(readText))).text()
}

/** Sends nothing: its signal was aborted before. */
const aborted = ({ fetch }: Client) => fetch('/projects/one/users', { signal: AbortSignal.abort() }).then(() => 'sent')

/** Signals for the requests of an action. */
const signals = {
  timeout: (_: Client, ms: number) => AbortSignal.timeout(ms),
  any: (_: Client, ms: number) => AbortSignal.any([AbortSignal.timeout(ms), new AbortController().signal]),
  controller: ({ sleep }: Client, ms: number) => {
    const controller = new AbortController()
    void sleep(ms).then(() => controller.abort())
    return controller.signal
  },
}
type SignalName = keyof typeof signals

const combinators = {
  all: (list: Promise<unknown>[]) => Promise.all(list),
  allSettled: (list: Promise<unknown>[]) => Promise.allSettled(list),
  race: (list: Promise<unknown>[]) => Promise.race(list),
  anyOf: (list: Promise<unknown>[]) => Promise.any(list),
}
type CombinatorName = keyof typeof combinators

const wrappers = ['notAwaited', 'retry', 'backOff', 'swallow', 'ifSeen', 'twice', 'mounted', 'streamed'] as const
type WrapperName = (typeof wrappers)[number]

const isIn = <T extends object>(table: T, name: PropertyKey): name is keyof T => Object.hasOwn(table, name)

const perform = async (action: Action, client: Client, memory: Memory): Promise<unknown> => {
  const { name, trace } = memory
  const note = (text: string) => trace.push(text)
  switch (action.do) {
    case 'call': {
      const [path, given] = toRequest(action.call, `${name} saw ${trace.at(-1)?.length ?? 0}`)
      const init = { ...given, ...(memory.signal && { signal: memory.signal }) }
      const request = () => new Request(`http://mock${path}`, init)
      const sent = memory.isMounted
        ? client.mock.app.fetch(request(), {})
        : memory.isRequest
          ? client.fetch(request())
          : client.fetch(path, init)
      return note(await readResponse(action.call, await sent))
    }
    case 'command':
      return note(
        await runMethod(client, action.method, action.scope, action.index).catch((error: unknown) => String(error)),
      )
    case 'sleep':
      return sleep(client, memory, action.milliseconds)
    case 'now':
      return note(`${client.now()}`)
    case 'hold':
      return note(await hold(client))
    case 'aborted':
      return note(await aborted(client))
  }
  if ('all' in action) return combinators[action.do](action.all.map((one) => perform(one, client, memory)))
  const again = () => perform(action.of, client, memory)
  if (isIn(signals, action.do)) {
    const { milliseconds, isRequest } = action as Extract<Action, { do: SignalName }>
    const until = action.do === 'controller' ? Infinity : client.now() + milliseconds
    return perform(action.of, client, { ...memory, signal: signals[action.do](client, milliseconds), until, isRequest })
  }
  switch (action.do) {
    case 'notAwaited':
      return void again().catch(() => note('failed alone'))
    case 'retry':
      return again().catch(again)
    case 'backOff':
      return again().catch(() => sleep(client, memory, 1000).then(again))
    case 'swallow':
      return again().catch((error: unknown) => note(String(error)))
    case 'ifSeen':
      return /"items": ?\[\{|"active"/.test(trace.at(-1) ?? '') ? again() : undefined
    case 'mounted':
      return perform(action.of, client, { ...memory, isMounted: true })
    case 'twice':
      return Promise.all([again(), again()])
    case 'streamed':
      return note(await createStreamed(client, name, () => again().then(() => trace.at(-1) ?? '')))
  }
}

/** What an actor has seen at its end, also if it fails. */
export const toFlow =
  (name: string, actions: readonly Action[]): Flow =>
  async (client) => {
    const trace: string[] = []
    try {
      for (const action of actions) await perform(action, client, { name, trace })
    } catch (error) {
      trace.push(String(error))
    }
    return [...trace]
  }

/** The names of what an action does: features, calls and methods. */
export const listFeatures = (action: Action): string[] => {
  if (action.do === 'call') return ['call', action.call.name, ...(action.call.path.startsWith('/@') ? ['sandbox'] : [])]
  if (action.do === 'command') return ['command', `${action.scope === 'mock' ? 'mock' : 'project'}.${action.method}`]
  const parts = 'all' in action ? action.all : 'of' in action ? [action.of] : []
  return [action.do, ...parts.flatMap(listFeatures)]
}

export const features = [
  'call',
  'command',
  'sandbox',
  'sleep',
  'now',
  'hold',
  'aborted',
  ...Object.keys(signals),
  ...Object.keys(combinators),
  ...wrappers,
]

const milliseconds = fc.constantFrom(1000, 2000)
const names = <T extends object>(table: T) => fc.constantFrom(...(Object.keys(table) as (keyof T)[]))
const call: fc.Arbitrary<Action> = fc.record({ do: fc.constant('call'), call: drawnCall })
const command: fc.Arbitrary<Action> = fc
  .oneof(
    {
      arbitrary: fc.tuple(fc.constantFrom<Scope[]>('one', 'one', 'two', 'later'), fc.constantFrom(...methods.project)),
      weight: 3,
    },
    { arbitrary: fc.tuple(fc.constantFrom<Scope[]>('mock', 'sandbox'), fc.constantFrom(...methods.mock)), weight: 1 },
  )
  .filter(([scope, method]) => scope !== 'sandbox' || !method.startsWith('sandboxes'))
  .chain(([scope, method]) => fc.nat({ max: 5 }).map((index) => ({ do: 'command' as const, scope, method, index })))

const { action: drawnAction } = fc.letrec<{ action: Action }>((tie) => ({
  action: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    { arbitrary: call, weight: 8 },
    { arbitrary: command, weight: 3 },
    { arbitrary: fc.record({ do: fc.constant('sleep' as const), milliseconds }), weight: 2 },
    { arbitrary: fc.record({ do: fc.constantFrom('now' as const, 'hold' as const, 'aborted' as const) }), weight: 1 },
    {
      arbitrary: fc.record({
        do: names(signals),
        milliseconds,
        isRequest: fc.boolean(),
        of: fc.oneof({ arbitrary: call, weight: 4 }, { arbitrary: tie('action'), weight: 1 }),
      }),
      weight: 3,
    },
    {
      arbitrary: fc.record({ do: names(combinators), all: fc.array(tie('action'), { minLength: 2, maxLength: 2 }) }),
      weight: 2,
    },
    { arbitrary: fc.record({ do: fc.constantFrom(...wrappers), of: tie('action') }), weight: 4 },
  ),
}))

/** What each actor does, by its name. */
export type Actors = Readonly<Record<string, readonly Action[]>>

/** Draws actors with these numbers of actions. */
const drawActors = (...lengths: readonly number[]): fc.Arbitrary<Actors> =>
  fc
    .tuple(...lengths.map((length) => fc.array(drawnAction, { minLength: length, maxLength: length })))
    .map((scripts) => Object.fromEntries(scripts.map((actions, index) => ['abc'[index]!, actions])))

export const drawnPairs = drawActors(1, 1)

export const drawnActors = fc.oneof(
  { arbitrary: drawnPairs, weight: 4 },
  { arbitrary: drawActors(2), weight: 1 },
  { arbitrary: drawActors(2, 1), weight: 2 },
  { arbitrary: drawActors(1, 1, 1), weight: 2 },
)
