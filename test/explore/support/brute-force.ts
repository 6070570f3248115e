// What programs leave, without any code of the search: each fault at each call, each customer, and each order of the calls.
import type { RecordsByProject as Projects } from '../../../src/explore/customers.ts'
import { createMock, type MockOptions } from '../../../src/index.ts'
import { type Machine, type Program, runProgram } from './drawn-programs.ts'

/** A fault of a call, or what somebody else does before it to a link: the oldest that is active is 1. */
export interface BruteFault {
  readonly phase: 'before' | 'after'
  readonly effect: 'crash' | 'reset' | 'paid' | 'canceled'
  readonly link?: number
}
export type EffectName = BruteFault['effect']

/** A fault by its place in the run, from 1: `2.after.crash`. */
export interface Place extends BruteFault {
  readonly call: number
}

/** Records by what they are, such as `one: canceled links of inv_1`: the other fields of each, without ids and times. */
export type Groups = ReadonlyMap<string, readonly string[]>

/** The end of a run. */
export type BruteRun = Awaited<ReturnType<typeof runByBruteForce>>

/** A call that waits for its turn. */
interface BruteCall {
  readonly program: number
  /** The method, the path and the body, and which of the same calls it is. Ids are left out. */
  readonly text: string
  readonly isOperation: boolean
  readonly changesNothing: boolean
  /** How many active links its program knows. */
  readonly links: number
}

export interface Turn {
  readonly call: BruteCall
  readonly fault?: BruteFault | undefined
}

const nextTask = () => new Promise((resolve) => setImmediate(resolve))

/**
 * Runs programs without any code of the search.
 *
 * @param groups the positions of the programs that start together, after those of the group before have ended
 * @param choose chooses one of the calls that wait. By default, they have their turn as they come, without a fault
 */
export const runByBruteForce = async (
  programs: readonly Program[],
  options: MockOptions,
  choose: (waiting: readonly BruteCall[], calls: readonly BruteCall[]) => Turn = ([call]) => ({ call: call! }),
  groups: readonly (readonly number[])[] = programs.map((_, index) => [index]),
) => {
  await using mock = createMock({ ...options, clock: 'frozen' })
  const files = new Set<string>()
  const calls: BruteCall[] = []
  /** The largest groups that it had before a call and at its end. */
  const peaks = new Map<string, number>()
  /** The invoices and users that somebody else touched: `one ada@example.com`. */
  const touched = new Set<string>()
  const exitCodes: number[] = []
  const waiting = new Map<
    number,
    { path: string; init: RequestInit; resolve: (response: Response) => void; reject: (error: Error) => void }
  >()
  const known = programs.map(() => new Set<unknown>())
  /** How often it changed from a program that could go on to another one. */
  let [switches, last] = [0, -1]
  const readProjects = async () => {
    const { projects = {} } = await mock.state.get()
    for (const [key, { length }] of groupRecords(projects)) peaks.set(key, Math.max(length, peaks.get(key) ?? 0))
    return projects
  }
  const start = (index: number): void => {
    const send: Machine['send'] = (path, init) =>
      new Promise((resolve, reject) => waiting.set(index, { path, init, resolve, reject }))
    void Promise.resolve()
      .then(() => runProgram(programs[index]!, { send, files, run: 1 }))
      .then((code) => (exitCodes[index] = code))
  }
  const listKnown = (projects: Projects, names: ReadonlySet<unknown>) =>
    Object.entries(projects).flatMap(([project, { paymentLinks = [] }]) =>
      paymentLinks
        .filter(({ id, invoice, status }) => status === 'active' && [id, invoice].some((one) => names.has(one)))
        .map((link) => ({ project, link })),
    )
  /** Pays or cancels a link, and notes whose it is. */
  const actOnLink = async (effect: EffectName, { project, link }: ReturnType<typeof listKnown>[number]) => {
    const text = JSON.stringify(link)
    for (const { id, email } of await mock
      .project(project)
      .users.list()
      .then(({ items }) => items))
      if (text.includes(`"${id}"`) || text.includes(`"${email}"`)) touched.add(`${project} ${email}`)
    touched.add(`${project} ${link.invoice}`)
    await mock.project(project).paymentLinks[effect === 'paid' ? 'pay' : 'cancel'](link.id!)
  }
  const takeTurn = async () => {
    const projects = await readProjects()
    const choices = [...waiting].toSorted(([a], [b]) => a - b)
    const described = choices.map(([program, { path, init }]) => {
      const names = new Set([...known[program]!, ...readNames(path, init)])
      const call = describeCall(program, path, init, listKnown(projects, names).length)
      const count = calls.filter(({ text }) => text.startsWith(`${call.text} #`)).length
      return { ...call, text: `${call.text} #${count + 1}` }
    })
    const { call, fault } = choose(described, calls)
    const { program } = call
    const { path, init, resolve, reject } = waiting.get(program)!
    if (last !== program && waiting.has(last)) switches++
    last = program
    waiting.delete(program)
    for (const name of readNames(path, init)) known[program]!.add(name)
    calls.push(call)
    const isByCustomer = fault?.effect === 'paid' || fault?.effect === 'canceled'
    if (isByCustomer) await actOnLink(fault.effect, listKnown(projects, known[program]!)[(fault.link ?? 1) - 1]!)
    const response = fault?.phase === 'before' && !isByCustomer ? undefined : await mock.fetch(path, init)
    if (call.isOperation) for (const invoice of await readInvoices(response?.clone())) known[program]!.add(invoice)
    if (fault?.effect === 'crash') start(program)
    else if (fault?.effect === 'reset') reject(new Error('reset'))
    else resolve(response!)
  }
  for (const group of groups) {
    group.forEach(start)
    for (;;) {
      while (group.some((index) => exitCodes[index] === undefined && !waiting.has(index))) await nextTask()
      if (waiting.size === 0) break
      await takeTurn()
    }
  }
  const projects = await readProjects()
  const operations = calls.filter(({ isOperation }) => isOperation)
  return { exitCodes, projects, records: groupRecords(projects), peaks, calls: operations, touched, switches }
}

/** Runs programs with faults at these places. */
export const runWithFaults = (programs: readonly Program[], options: MockOptions, places: readonly Place[]) =>
  runByBruteForce(programs, options, ([call], calls) => {
    const number = calls.filter(({ isOperation }) => isOperation).length + 1
    return { call: call!, fault: call!.isOperation ? places.find((place) => place.call === number) : undefined }
  })

export const formatPlaces = (places: readonly Place[]): string =>
  places
    .map(({ call, phase, effect, link }) => `${call}.${phase}.${effect}${link === undefined ? '' : `:${link}`}`)
    .join('+')

/** Runs two programs one after the other, in both orders. */
export const runInSerialOrders = async (programs: readonly Program[], options: MockOptions): Promise<BruteRun[]> => {
  const orders = [
    [[0], [1]],
    [[1], [0]],
  ]
  return Promise.all(orders.map((groups) => runByBruteForce(programs, options, undefined, groups)))
}

/** The faults that a call may have. A pure read that has no response is the same before and after. */
export const listFaults = ({ isOperation, changesNothing, links }: BruteCall, effects: readonly EffectName[]) =>
  !isOperation
    ? []
    : effects.flatMap((effect): BruteFault[] => {
        if (effect === 'paid' || effect === 'canceled')
          return Array.from({ length: links }, (_, index) => ({
            phase: 'before',
            effect,
            ...(index > 0 && { link: index + 1 }),
          }))
        return changesNothing
          ? [{ phase: 'before', effect }]
          : [
              { phase: 'before', effect },
              { phase: 'after', effect },
            ]
      })

/** Runs programs side by side in each order of their calls, and in each with one of the effects at one call. */
export const tryOrders = async (programs: readonly Program[], options: MockOptions, effects: readonly EffectName[]) => {
  const tried: { run: BruteRun; hasFault: boolean }[] = []
  const todo: (readonly number[])[] = [[]]
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    const taken = [...path]
    let hasFault = false
    const run = await runByBruteForce(
      programs,
      options,
      (waiting, { length }) => {
        const turns = waiting.flatMap((call): Turn[] => [
          { call },
          ...(hasFault ? [] : listFaults(call, effects)).map((fault) => ({ call, fault })),
        ])
        if (length === taken.length) {
          for (let other = 1; other < turns.length; other++) todo.push([...taken, other])
          taken.push(0)
        }
        const turn = turns[taken[length]!]!
        hasFault ||= turn.fault !== undefined
        return turn
      },
      [programs.map((_, index) => index)],
    )
    tried.push({ run, hasFault })
  }
  return tried
}

/** What a program names in a request: the parts of its path, and invoices. */
const readNames = (path: string, { body }: RequestInit): unknown[] => {
  const { pathname, searchParams } = new URL(path, 'http://mock')
  return [...pathname.split('/'), searchParams.get('invoice'), typeof body === 'string' ? parse(body).invoice : null]
}

const readInvoices = async (response: Response | undefined): Promise<unknown[]> => {
  const { items, invoice } = parse((await response?.text()) ?? '')
  return Array.isArray(items) ? items.map((item) => item.invoice) : [invoice]
}

const parse = (text: string): any => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

const withoutIds = (text: string) =>
  text.replaceAll(/(?:usr|pml)_\w+/g, 'id').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')

const describeCall = (program: number, path: string, { method = 'GET', body }: RequestInit, links: number) => {
  const text = withoutIds(`${method} ${path} ${JSON.stringify(body)}`)
  return {
    program,
    text,
    isOperation: path.startsWith('/projects/'),
    // A customer may pay with a retrieve of the link.
    changesNothing: /^GET (?!.*paymentLinks\/id)|users\/search/.test(text),
    links,
  }
}

export const groupRecords = (projects: Projects): Groups => {
  const groups = new Map<string, string[]>()
  const add = (key: string, { id: _, ...fields }: object & { readonly id?: string | undefined }) =>
    groups.set(key, [...(groups.get(key) ?? []), withoutIds(JSON.stringify(fields))].toSorted())
  for (const [project, { users = [], paymentLinks = [] }] of Object.entries(projects)) {
    for (const user of users) add(`${project}: users ${user.email}`, user)
    for (const link of paymentLinks)
      add(`${project}: ${link.status === 'canceled' ? 'canceled' : 'open'} links of ${link.invoice}`, link)
  }
  return groups
}

/** What the end of a run looks like from outside. */
export const describeEnd = ({ exitCodes, records }: { exitCodes: readonly number[]; records: Groups }): string =>
  JSON.stringify([exitCodes, [...records].toSorted(([a], [b]) => (a < b ? -1 : 1))], null, 1)

/** Counts the links of each invoice that are not canceled. */
const countOpenLinks = (projects: Projects) => {
  const counts = new Map<string, { open: number; completed: number }>()
  for (const [project, { paymentLinks = [] }] of Object.entries(projects))
    for (const { invoice, status } of paymentLinks) {
      const { open, completed } = counts.get(`${project} ${invoice}`) ?? { open: 0, completed: 0 }
      const isOpen = status !== 'canceled'
      counts.set(`${project} ${invoice}`, {
        open: open + (isOpen ? 1 : 0),
        completed: completed + (status === 'completed' ? 1 : 0),
      })
    }
  return counts
}

const isCanceled = (key: string) => key.includes(': canceled ')

/** Lists what differs between the end of a run and that of one without a fault. */
const listDifferences = ({ exitCodes, records, touched }: Judged, expected: BruteRun): string[] =>
  [...new Set([...records.keys(), ...expected.records.keys()])].flatMap((key) => {
    if (touched.has(`${key.split(':')[0]} ${key.split(' ').at(-1)}`)) return []
    const [is, was] = [records.get(key) ?? [], expected.records.get(key) ?? []]
    if (is.length === was.length) return is.join() === was.join() ? [] : [`${key}: ${is.join()}`]
    // A client that cleans up leaves more canceled links. How many several programs leave depends on their order.
    const isHarmless = isCanceled(key) && (exitCodes.length > 1 || is.length > was.length)
    return isHarmless ? [] : [`${is.length} ${key}`]
  })

/** What a run is judged by. */
type Judged = Pick<BruteRun, 'exitCodes' | 'records' | 'projects' | 'touched'>

/** Describes why a run is a failure, compared with runs without a fault. Undefined: it is none. */
export const findProblem = (run: Judged, undisturbed: readonly BruteRun[]): string | undefined => {
  const { exitCodes, records, projects, touched } = run
  const good = undisturbed.filter((one) => one.exitCodes.every((code) => code === 0))
  const doublePayments = [...(touched.size === 0 ? [] : countOpenLinks(projects))].flatMap(
    ([key, { open, completed }]) => {
      const isUsual = good.some((one) => (countOpenLinks(one.projects).get(key)?.open ?? 0) > 1)
      return isUsual || completed === 0 || open < 2
        ? []
        : [`${key} is paid ${completed > 1 ? 'twice' : 'once'} of ${open}`]
    },
  )
  const excess = [...records].flatMap(([key, { length }]) =>
    isCanceled(key) || undisturbed.some(({ peaks }) => length <= (peaks.get(key) ?? 0)) ? [] : [`${length} ${key}`],
  )
  const differences = good.map((one) => listDifferences(run, one))
  const problems = exitCodes.some((code) => code !== 0)
    ? excess
    : differences.some(({ length }) => length === 0)
      ? []
      : differences[0]!
  const texts = doublePayments.length > 0 ? doublePayments : problems
  return texts.length === 0 ? undefined : `${exitCodes.join()}: ${texts.toSorted().join()}`
}
