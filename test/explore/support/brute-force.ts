// What programs leave, without any code of the search: each fault at each call.
import { createMock, type Mock, type MockOptions } from '../../../src/index.ts'
import { createPromise, type Machine, never, type Program, runProgram } from './drawn-programs.ts'

/** A fault by its place in the run, from 1: `2.after.crash`. */
export interface Place {
  readonly call: number
  readonly phase: 'before' | 'after'
  readonly effect: 'crash' | 'reset'
}

/** Records by what they are, such as `one: canceled links of inv_1`: the other fields of each, without ids and times. */
export type Groups = ReadonlyMap<string, readonly string[]>

/** The end of a run. */
export interface BruteRun {
  /** Of each program. */
  readonly exitCodes: readonly number[]
  readonly records: Groups
  /** The largest groups that it had before a call and at its end. */
  readonly peaks: ReadonlyMap<string, number>
  /** Its calls that may have a fault. */
  readonly calls: readonly BruteCall[]
}

interface BruteCall {
  /** The method, the path and the body, and which of the same calls it is. Ids are left out. */
  readonly text: string
  readonly changesNothing: boolean
}

/** Runs programs one after the other, with these faults, without any code of the search. */
export const runByBruteForce = async (
  programs: readonly Program[],
  options: MockOptions,
  faults: readonly Place[] = [],
): Promise<BruteRun> => {
  await using mock = createMock({ ...options, clock: 'frozen' })
  const files = new Set<string>()
  const calls: BruteCall[] = []
  const peaks = new Map<string, number>()
  const noteGroups = async (): Promise<Groups> => {
    const groups = await groupRecords(mock)
    for (const [key, { length }] of groups) peaks.set(key, Math.max(length, peaks.get(key) ?? 0))
    return groups
  }
  const runLife = async (program: Program): Promise<number> => {
    const { promise: killed, resolve: kill } = createPromise<'killed'>()
    const send: Machine['send'] = async (path, init) => {
      if (!path.startsWith('/projects/')) return mock.fetch(path, init)
      await noteGroups()
      calls.push(describeCall(calls, path, init))
      const fault = faults.find(({ call: number }) => number === calls.length)
      const response = fault?.phase === 'before' ? undefined : await mock.fetch(path, init)
      if (fault?.effect === 'crash') {
        kill('killed')
        return never
      }
      if (fault?.effect === 'reset') throw new Error('reset')
      return response!
    }
    const end = await Promise.race([runProgram(program, { send, files, run: 1 }), killed])
    return end === 'killed' ? runLife(program) : end
  }
  const exitCodes: number[] = []
  for (const program of programs) exitCodes.push(await runLife(program))
  return { exitCodes, records: await noteGroups(), peaks, calls }
}

const withoutIds = (text: string) => text.replaceAll(/(?:usr|pml)_\w+/g, 'id')

const describeCall = (calls: readonly BruteCall[], path: string, { method = 'GET', body }: RequestInit): BruteCall => {
  const text = withoutIds(`${method} ${path} ${JSON.stringify(body)}`)
  const count = calls.filter((one) => one.text.startsWith(`${text} #`)).length
  // A customer may pay with a retrieve of the link.
  const changesNothing = /^GET (?!.*paymentLinks\/id)|users\/search/.test(text)
  return { text: `${text} #${count + 1}`, changesNothing }
}

export const groupRecords = async ({ state }: Pick<Mock, 'state'>): Promise<Groups> => {
  const groups = new Map<string, string[]>()
  const { projects = {} } = await state.get()
  const add = (key: string, { id: _, ...fields }: object & { readonly id?: string | undefined }) =>
    groups.set(key, [...(groups.get(key) ?? []), withoutIds(JSON.stringify(fields))].toSorted())
  for (const [project, { users = [], paymentLinks = [] }] of Object.entries(projects)) {
    for (const user of users) add(`${project}: users ${user.email}`, user)
    for (const link of paymentLinks)
      add(`${project}: ${link.status === 'canceled' ? 'canceled' : 'open'} links of ${link.invoice}`, link)
  }
  return groups
}

/** Whether a run is a failure, compared with runs without a fault. */
export const isFailure = (
  { exitCodes, records }: Pick<BruteRun, 'exitCodes' | 'records'>,
  undisturbed: readonly BruteRun[],
): boolean => {
  const isCanceled = (key: string) => key.includes(': canceled ')
  if (exitCodes.some((code) => code !== 0))
    return [...records].some(
      ([key, { length }]) => !isCanceled(key) && undisturbed.every(({ peaks }) => length > (peaks.get(key) ?? 0)),
    )
  const good = undisturbed.filter((one) => one.exitCodes.every((code) => code === 0))
  return good.every((one) =>
    [...new Set([...records.keys(), ...one.records.keys()])].some((key) => {
      const [is, was] = [records.get(key) ?? [], one.records.get(key) ?? []]
      if (is.length === was.length) return is.join() !== was.join()
      // A client that cleans up leaves more canceled links. How many several programs leave depends on their order.
      return !isCanceled(key) || (exitCodes.length === 1 && is.length < was.length)
    }),
  )
}
