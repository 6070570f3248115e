// Programs drawn at random: how they run in this process instead of as processes, and what they leave by brute force.
import * as fc from 'fast-check'
import type { ProgramEnd, RunningProgram } from '../../../src/command-line/running-program.ts'
import type { StartProgram } from '../../../src/explore/programs/program-types.ts'
import type { ProgramSearch } from '../../../src/explore/programs/program-search.ts'
import { createMock, type MockOptions } from '../../../src/index.ts'
import { type Core, createCore } from '../../../src/core/mock/core.ts'
import { headers } from './service.ts'

interface CallAction {
  readonly do: 'create' | 'ensure' | 'cancel'
  readonly invoice: string
  readonly attempts: number
  readonly hasKey: boolean
}

/**
 * `once` does its action unless the file exists, and writes the file before or after it. `lock` fails if the file exists.
 * `together` does two actions at the same time, the second one after some milliseconds.
 */
type Action =
  | CallAction
  | { readonly do: 'together'; readonly first: CallAction; readonly second: CallAction; readonly milliseconds: number }
  | { readonly do: 'once'; readonly file: string; readonly write: 'before' | 'after'; readonly action: CallAction }
  | { readonly do: 'lock'; readonly file: string }
  | { readonly do: 'unlock'; readonly file: string }

export type Program = readonly Action[]

/** What a program uses: a call of payment links, and files. */
interface Machine {
  readonly send: (method: string, path: string, body?: object, key?: string) => Promise<Response>
  readonly files: Set<string>
}

/** Runs a program. Returns its exit code. */
export const runProgram = async (program: Program, machine: Machine): Promise<number> => {
  try {
    for (const action of program) await runAction(action, machine)
    return 0
  } catch {
    return 1
  }
}

const runAction = async (action: Action, machine: Machine): Promise<void> => {
  const { files } = machine
  if (action.do === 'lock') {
    if (files.has(action.file)) throw new Error('locked')
    files.add(action.file)
  } else if (action.do === 'together') {
    const { first, second, milliseconds } = action
    const later = new Promise((resolve) => setTimeout(resolve, milliseconds)).then(() => runAction(second, machine))
    await Promise.all([runAction(first, machine), later])
  } else if (action.do === 'unlock') files.delete(action.file)
  else if (action.do === 'once') {
    if (files.has(action.file)) return
    if (action.write === 'before') files.add(action.file)
    await runAction(action.action, machine)
    files.add(action.file)
  } else
    for (let attempt = 1; ; attempt++) {
      if (await runAttempt(action, machine).catch(() => false)) return
      if (attempt === action.attempts) throw new Error('no attempt succeeded')
    }
}

const runAttempt = async ({ do: name, invoice, hasKey }: CallAction, { send }: Machine): Promise<boolean> => {
  const list = async (): Promise<string[]> => {
    const { items } = await (await send('GET', `?invoice=${invoice}&status=active`)).json()
    return items.map(({ id }: { id: string }) => id)
  }
  if (name === 'cancel') {
    const statuses: number[] = []
    for (const id of await list()) statuses.push((await send('POST', `/${id}/cancel`)).status)
    return statuses.every((status) => status === 200 || status === 409)
  }
  if (name === 'ensure' && (await list()).length > 0) return true
  const body = { invoice, type: 'partner', partner: { user: {} } }
  return (await send('POST', '', body, hasKey ? invoice : undefined)).status === 201
}

/** Creates the request of a call to the mock at this address. */
export const createRequest = (url: string, [method, path, body, key]: Parameters<Machine['send']>): Request =>
  new Request(`${url}/projects/acme/paymentLinks${path}`, {
    method,
    headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
  })

const call: fc.Arbitrary<CallAction> = fc.record({
  do: fc.constantFrom('create', 'create', 'ensure', 'cancel'),
  invoice: fc.constantFrom('inv_1', 'inv_2'),
  attempts: fc.integer({ min: 1, max: 3 }),
  hasKey: fc.boolean(),
})
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

/** Programs that use the service alone. */
export const drawnCaller: fc.Arbitrary<Program> = fc.array(call, { minLength: 1, maxLength: 2 })

export const drawnOptions: fc.Arbitrary<MockOptions> = fc
  .constantFrom('ignore' as const, 'replay' as const)
  .map((idempotencyKey) => ({ behaviors: { idempotencyKey } }))

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

/** The arguments of a search over programs that run in this process. Each run has files of its own. */
export const searchInProcess = (
  programs: Readonly<Record<string, Program | Code>>,
  options: MockOptions = {},
): ProgramSearch => {
  const files = new Map<number, Set<string>>()
  let core: Core | undefined
  const start =
    (program: Program | Code): StartProgram =>
    ({ url, run }): RunningProgram => {
      const own = files.get(run) ?? new Set<string>()
      files.set(run, own)
      let isDead = false
      const { promise: ended, resolve } = createPromise<ProgramEnd>()
      const end = (exitCode: number | null, signal: string | null) =>
        resolve({ exitCode, signal, output: [], isTimedOut: false, isListening: false, escaped: [] })
      const respond = async (request: Request): Promise<Response> => {
        try {
          const response = await core!.respond(request, {})
          return isDead ? never : response
        } catch (error) {
          if (isDead) return never
          throw error
        }
      }
      const send: Machine['send'] = (...sent) => respond(createRequest(url, sent))
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
        kill: () => {
          isDead = true
          end(null, 'SIGKILL')
        },
        stop: () => {},
      }
    }
  return {
    programs: new Map(Object.entries(programs).map(([name, program]) => [name, start(program)])),
    check: undefined,
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

/** A fault by its place in the run, from 1: `2.after.crash`. */
export interface Place {
  readonly call: number
  readonly phase: 'before' | 'after'
  readonly effect: 'crash' | 'reset'
}

/** How many links of an invoice are canceled, and how many are not: `inv_1 canceled`, `inv_1 open`. */
export type Counts = ReadonlyMap<string, number>

/** The end of a run. */
export interface BruteRun {
  /** Of each program. */
  readonly exitCodes: readonly number[]
  readonly counts: Counts
  /** The largest counts that it had before a call and at its end. */
  readonly peaks: Counts
  /** Its calls: the method, the path and the body, and which of the same calls it is. Ids are replaced by invoices. */
  readonly calls: readonly string[]
}

/** Runs programs one after the other, with these faults, without any code of the search. */
export const runByBruteForce = async (
  programs: readonly Program[],
  options: MockOptions,
  faults: readonly Place[] = [],
): Promise<BruteRun> => {
  await using mock = createMock({ ...options, clock: 'frozen' })
  const files = new Set<string>()
  const calls: string[] = []
  const peaks = new Map<string, number>()
  const count = async (): Promise<Counts> => {
    const counts = await countLinks(mock)
    for (const [key, value] of counts) peaks.set(key, Math.max(value, peaks.get(key) ?? 0))
    return counts
  }
  const runLife = async (program: Program): Promise<number> => {
    const { promise: killed, resolve: kill } = createPromise<'killed'>()
    const send: Machine['send'] = async (...sent) => {
      await count()
      const key = await describeCall(mock, sent)
      calls.push(`${key} #${calls.filter((one) => one.startsWith(`${key} #`)).length + 1}`)
      const fault = faults.find(({ call: number }) => number === calls.length)
      const response = fault?.phase === 'before' ? undefined : await mock.fetch(createRequest('http://mock', sent))
      if (fault?.effect === 'crash') {
        kill('killed')
        return never
      }
      if (fault?.effect === 'reset') throw new Error('reset')
      return response!
    }
    const end = await Promise.race([runProgram(program, { send, files }), killed])
    return end === 'killed' ? runLife(program) : end
  }
  const exitCodes: number[] = []
  for (const program of programs) exitCodes.push(await runLife(program))
  return { exitCodes, counts: await count(), peaks, calls }
}

const describeCall = async (mock: ReturnType<typeof createMock>, [method, path, body]: Parameters<Machine['send']>) => {
  const { items } = await mock.project('acme').paymentLinks.list()
  const named = path.replace(/pml_\w+/, (id) => items.find((link) => link.id === id)?.invoice ?? id)
  return `${method} ${named} ${JSON.stringify(body)}`
}

export const countLinks = async (mock: Pick<ReturnType<typeof createMock>, 'project'>): Promise<Counts> => {
  const counts = new Map<string, number>()
  const { items } = await mock.project('acme').paymentLinks.list({ limit: 200 })
  for (const { invoice, status } of items) {
    const key = `${invoice} ${status === 'canceled' ? 'canceled' : 'open'}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Whether a run is a failure, compared with runs without a fault. */
export const isFailure = (
  { exitCodes, counts }: Pick<BruteRun, 'exitCodes' | 'counts'>,
  undisturbed: readonly BruteRun[],
): boolean => {
  const isOpen = (key: string) => key.endsWith('open')
  if (exitCodes.some((code) => code !== 0))
    return [...counts].some(
      ([key, value]) => isOpen(key) && undisturbed.every(({ peaks }) => value > (peaks.get(key) ?? 0)),
    )
  const good = undisturbed.filter((one) => one.exitCodes.every((code) => code === 0))
  return good.every((one) =>
    [...new Set([...counts.keys(), ...one.counts.keys()])].some((key) => {
      const [is, was] = [counts.get(key) ?? 0, one.counts.get(key) ?? 0]
      if (isOpen(key)) return is !== was
      // A client that cleans up leaves more canceled links. How many several programs leave depends on their order.
      return exitCodes.length === 1 && is < was
    }),
  )
}
