// Programs drawn at random: how they run in this process instead of as processes, and what they leave by brute force.
import * as fc from 'fast-check'
import type { ProgramEnd, RunningProgram } from '../../../src/command-line/running-program.ts'
import type { RecordsByProject } from '../../../src/explore/customers.ts'
import type { ProgramStarter } from '../../../src/explore/programs/program-types.ts'
import type { ProgramSearch } from '../../../src/explore/programs/search-programs.ts'
import type { MockOptions } from '../../../src/index.ts'
import { type Core, createCore } from '../../../src/core/mock/core.ts'
import { createSeed, type DrawnCall, drawnCall, readResponse, toRequest } from './drawn-calls.ts'
import { headers } from './service.ts'

/** Works on the links of an invoice, as real programs do. */
type LinkAction = typeof linkAction extends fc.Arbitrary<infer T> ? T : never

/** Sends a call of any kind, and again if it has no response. */
type SendAction = typeof sendAction extends fc.Arbitrary<infer T> ? T : never

type CallAction = LinkAction | SendAction

/**
 * `once` does its action unless the file exists, and writes the file before or after it. `lock` fails if the file exists.
 * `together` does two actions at the same time, the second one after some milliseconds. The program ends when `notAwaited` has
 * ended. `varying` sends another call in each run after some.
 */
type Action =
  | CallAction
  | { readonly do: 'together'; readonly first: CallAction; readonly second: CallAction; readonly milliseconds: number }
  | { readonly do: 'notAwaited'; readonly action: CallAction }
  | { readonly do: 'varying'; readonly from: number }
  | { readonly do: 'once'; readonly file: string; readonly write: 'before' | 'after'; readonly action: CallAction }
  | { readonly do: 'lock'; readonly file: string }
  | { readonly do: 'unlock'; readonly file: string }

export type Program = readonly Action[]

/** What a program uses: a call of the mock, files, and the number of its run. */
export interface Machine {
  readonly send: (path: string, init: RequestInit) => Promise<Response>
  readonly files: Set<string>
  readonly run: number
}

/** Runs a program. Returns its exit code. */
export const runProgram = async (program: Program, machine: Machine): Promise<number> => {
  const notAwaited: Promise<void>[] = []
  try {
    for (const action of program) {
      const done = runAction(action.do === 'notAwaited' ? action.action : action, machine)
      if (action.do !== 'notAwaited') await done
      else {
        notAwaited.push(done)
        // It may fail before it is awaited, at the end.
        done.catch(() => {})
      }
    }
    await Promise.all(notAwaited)
    return 0
  } catch {
    await Promise.allSettled(notAwaited)
    return 1
  }
}

const runAction = async (action: Exclude<Action, { do: 'notAwaited' }>, machine: Machine): Promise<void> => {
  const { files, run } = machine
  switch (action.do) {
    case 'lock':
      if (files.has(action.file)) throw new Error('locked')
      return void files.add(action.file)
    case 'unlock':
      return void files.delete(action.file)
    case 'together': {
      const { first, second, milliseconds } = action
      const later = new Promise((resolve) => setTimeout(resolve, milliseconds)).then(() => runAction(second, machine))
      await Promise.all([runAction(first, machine), later])
      return
    }
    case 'varying':
      await machine.send(`/projects/one/users?limit=${run < action.from ? 1 : run}`, { headers })
      return
    case 'once':
      if (files.has(action.file)) return
      if (action.write === 'before') files.add(action.file)
      await runAction(action.action, machine)
      return void files.add(action.file)
    default:
      for (let attempt = 1; ; attempt++) {
        if (await runAttempt(action, machine).catch(() => false)) return
        if (attempt === action.attempts) throw new Error('no attempt succeeded')
      }
  }
}

const runAttempt = async (action: CallAction, machine: Machine): Promise<boolean> => {
  if (action.do === 'send') {
    const response = await machine.send(...toRequest(action.call, ''))
    await readResponse(action.call, response)
    return true
  }
  const { do: name, invoice, hasKey } = action
  const send = (method: string, path: string, body?: object) =>
    machine.send(`/projects/later/paymentLinks${path}`, {
      method,
      headers: { ...headers, ...(hasKey && body && { 'idempotency-key': invoice }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  const list = async (): Promise<string[]> => {
    const { items } = await (await send('GET', `?invoice=${invoice}&status=active`)).json()
    return items.map(({ id }: { id: string }) => id)
  }
  if (name === 'cancel' || name === 'renew') {
    const statuses: number[] = []
    for (const id of await list()) statuses.push((await send('POST', `/${id}/cancel`)).status)
    const isCanceled = statuses.every((status) => status === 200 || status === 409)
    if (name === 'cancel' || !isCanceled) return isCanceled
  }
  if (name === 'ensure' && (await list()).length > 0) return true
  return (await send('POST', '', { invoice, type: 'partner', partner: { user: {} } })).status === 201
}

const attempts = fc.integer({ min: 1, max: 3 })
const linkAction = fc.record({
  do: fc.constantFrom('create', 'create', 'ensure', 'cancel', 'renew'),
  invoice: fc.constantFrom<string[]>('inv_1', 'inv_2'),
  attempts,
  hasKey: fc.boolean(),
})
/** Without faults and tokens of its own, which brute force does not know, and without sandboxes, which a sandbox has not. */
const isPlain = ({ path, name }: DrawnCall) =>
  /^\/(?:projects|pay|__admin\/projects\/\w+\/(?:users|paymentLinks|scheduledPayments|clock|state|reset|snapshots))/.test(
    path,
  ) && name !== 'restoreSnapshot'
const sendAction = fc.record({
  do: fc.constant('send' as const),
  call: drawnCall.filter(isPlain),
  attempts,
})
const call: fc.Arbitrary<CallAction> = fc.oneof(linkAction, sendAction)
const file = fc.constantFrom('a', 'b')
const once: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('once'),
  file,
  write: fc.constantFrom('before', 'after'),
  action: call,
})
const lock: fc.Arbitrary<Action> = fc.record({ do: fc.constantFrom('lock', 'unlock'), file })

/** Programs with calls, attempts and files. */
export const drawnProgram: fc.Arbitrary<Program> = fc.array(
  fc.oneof({ arbitrary: call, weight: 4 }, { arbitrary: once, weight: 3 }, { arbitrary: lock, weight: 1 }),
  { minLength: 1, maxLength: 3 },
)

/** Programs with files, which most of them look at after a call: only then does the order of the calls matter for the files. */
export const drawnSharer: fc.Arbitrary<Program> = fc.oneof(
  { arbitrary: drawnProgram, weight: 1 },
  {
    arbitrary: fc.tuple(
      sendAction,
      fc.oneof({ arbitrary: once, weight: 3 }, { arbitrary: lock, weight: 1 }),
      linkAction,
    ),
    weight: 1,
  },
  { arbitrary: fc.tuple(sendAction, once), weight: 2 },
)

/** Returns a program whose files no other one has. */
export const withOwnFiles = (program: Program, owner: string): Program =>
  program.map((action) => ('file' in action ? { ...action, file: `${owner} ${action.file}` } : action))

/** Programs that use the service alone. */
export const drawnCaller: fc.Arbitrary<Program> = fc
  .array(call, { minLength: 1, maxLength: 2 })
  // A search rejects a program that calls no operation.
  .filter((actions) => actions.some((action) => action.do !== 'send' || action.call.path.startsWith('/projects/')))

/** Programs that may send calls at the same time, also equal ones, and others in later runs. */
export const drawnThreads: fc.Arbitrary<Program> = fc.array(
  fc.oneof(
    { arbitrary: call, weight: 4 },
    {
      arbitrary: fc.tuple(call, fc.option(call), fc.constantFrom(0, 5)).map(([first, second, milliseconds]) => ({
        do: 'together' as const,
        first,
        second: second ?? first,
        milliseconds,
      })),
      weight: 2,
    },
    { arbitrary: fc.record({ do: fc.constant('notAwaited' as const), action: call }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant('varying' as const), from: fc.integer({ min: 1, max: 6 }) }), weight: 1 },
  ),
  { minLength: 1, maxLength: 2 },
)

/** Whether a program sends a call while another one has no response. */
export const sendsTogether = (program: Program): boolean =>
  program.some(
    (action, index) => action.do === 'together' || (action.do === 'notAwaited' && index < program.length - 1),
  )

/** The first run in which a program sends other calls than before. */
export const findVariation = (program: Program): number =>
  Math.min(...program.flatMap((action) => (action.do === 'varying' ? [action.from] : [])))

export const drawnOptions: fc.Arbitrary<MockOptions> = fc
  .constantFrom('ignore' as const, 'replay' as const)
  .map((idempotencyKey) => ({ behaviors: { idempotencyKey }, seed: createSeed() }))

const never = new Promise<never>(() => {})

const createPromise = <T>() => {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}

/** What a program written as a function uses: its address, the number of its run, and `fetch`. */
interface Process extends Machine {
  readonly url: string
  readonly run: number
  readonly fetch: (method: string, path: string, body?: object, signal?: AbortSignal) => Promise<Response>
}

/** A program as a function. It returns its exit code. */
export type Code = (process: Process) => Promise<number>

/**
 * The arguments of a search over programs that run in this process. Each run has files of its own.
 *
 * @param onEnd is called at the end of each run, with the exit codes and the records
 */
export const searchInProcess = (
  programs: Readonly<Record<string, Program | Code>>,
  options: MockOptions = {},
  onEnd?: (exitCodes: readonly number[], projects: RecordsByProject) => void,
): ProgramSearch & { readonly countRuns: () => number } => {
  const files = new Map<number, Set<string>>()
  /** The exit codes of each run, by the position of the program. */
  const exitCodes = new Map<number, number[]>()
  let core: Core | undefined
  const start =
    (program: Program | Code, onExit?: (run: number, exitCode: number) => void): ProgramStarter =>
    ({ url, run }): RunningProgram => {
      const own = files.get(run) ?? new Set<string>()
      files.set(run, own)
      let isDead = false
      const { promise: ended, resolve } = createPromise<ProgramEnd>()
      const end = (exitCode: number | null, signal: string | null) => {
        if (exitCode !== null) onExit?.(run, exitCode)
        resolve({ exitCode, signal, output: [], isTimedOut: false, escaped: [] })
      }
      const respond = async (request: Request): Promise<Response> => {
        try {
          const response = await core!.respond(request, {})
          return isDead ? never : response
        } catch (error) {
          if (isDead) return never
          throw error
        }
      }
      const send: Machine['send'] = (path, init) => respond(new Request(`${url}${path}`, init))
      const fetch: Process['fetch'] = (method, path, body, signal) =>
        respond(
          new Request(`${url}${path}`, {
            method,
            headers,
            ...(body && { body: JSON.stringify(body) }),
            ...(signal && { signal }),
          }),
        )
      const machine = { send, files: own, url, run, fetch }
      // Like a process, it calls nothing before it is known to run.
      void Promise.resolve()
        .then(() => (typeof program === 'function' ? program(machine) : runProgram(program, machine)))
        .then(
          (exitCode) => end(exitCode, null),
          () => end(1, null),
        )
      return {
        ended,
        isListening: () => undefined,
        isBusy: () => undefined,
        kill: () => {
          isDead = true
          end(null, 'SIGKILL')
        },
        stop: () => {},
      }
    }
  const startProgram = (program: Program | Code, index: number) =>
    start(program, (run, exitCode) => {
      const codes = exitCodes.get(run) ?? []
      codes[index] = exitCode
      exitCodes.set(run, codes)
    })
  const check: Code = async ({ fetch, run }) => {
    const { projects } = await (await fetch('GET', '/__admin/state')).json()
    onEnd?.(exitCodes.get(run) ?? [], projects)
    return 0
  }
  return {
    countRuns: () => files.size,
    programs: new Map(Object.entries(programs).map(([name, program], index) => [name, startProgram(program, index)])),
    check: onEnd && start(check),
    reset: undefined,
    services: new Map(),
    hasFixedAddress: false,
    basePath: '',
    payAfterReads: undefined,
    signal: new AbortController().signal,
    maxCalls: 1000,
    timeout: 60_000,
    settle: 60_000,
    switches: null,
    effects: ['crash', 'reset'],
    faults: 1,
    mustSucceed: [],
    variables: ['BASE_URL'],
    allowRest: false,
    only: undefined,
    jobs: 1,
    maxRuns: Infinity,
    onPlan: () => {},
    onHint: () => {},
    onRemark: () => {},
    onProgress: () => {},
    formatCommand: () => '',
    createCore: (core) => createCore({ ...options, clock: 'frozen' }, core),
    listen: async (created) => {
      core = created
      return 'http://127.0.0.1:1'
    },
  }
}
