import { describe, expect, it } from 'vitest'
import type { Client, Flow } from '../../src/extensions/explore/index.ts'
import { interleave } from './support/searches.ts'

// Programs that read and write shared variables, from the evaluation of Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic
// Partial Order Reduction", POPL 2014. Two of their orders are equivalent if they differ only by swapping neighboring steps of
// different threads that are for different variables, or both read. A search is optimal if it runs one order of each class.
// The numbers of classes are counted here by brute force, not taken from the paper.

/** A step of a thread. Undefined as the value: it reads. */
interface Step {
  readonly variable: string
  readonly value?: number
}
/** The code of a thread. It receives the value of the variable. */
type Thread = () => Generator<Step, void, number>
type Threads = Readonly<Record<string, Thread>>

function* read(variable: string): Generator<Step, number, number> {
  return yield { variable }
}
function* write(variable: string, value: number): Generator<Step, void, number> {
  yield { variable, value }
}

/** One thread writes x. Two others read a variable of their own, and then x. */
const writerReaders: Threads = {
  p: () => write('x', 1),
  *q() {
    yield* read('y')
    yield* read('x')
  },
  *r() {
    yield* read('z')
    yield* read('x')
  },
}

/** One thread writes x, and the others read it. */
const readers = (count: number): Threads => ({
  writer: () => write('x', 1),
  ...Object.fromEntries(
    Array.from({ length: count }, (_, index): [string, Thread] => [
      `reader${index}`,
      function* () {
        yield* read('x')
      },
    ]),
  ),
})

/** One thread looks for the last variable that is zero. The others set a variable each to the one before, plus one. */
const lastZero = (count: number): Threads => ({
  *reader() {
    let index = count
    while ((yield* read(`v${index}`)) !== 0) index--
  },
  ...Object.fromEntries(
    Array.from({ length: count }, (_, index): [string, Thread] => [
      `writer${index + 1}`,
      function* () {
        yield* write(`v${index + 1}`, (yield* read(`v${index}`)) + 1)
      },
    ]),
  ),
})

/** Runs the threads in this order, each step of a thread by its name. Returns the class of the order, and who can continue. */
const simulate = (threads: Threads, order: readonly string[]) => {
  const values = new Map<string, number>()
  // For each variable the threads that write it, with those that read it before the next write, in any order.
  const histories = new Map<string, string[][]>()
  const running = new Map(Object.entries(threads).map(([name, thread]) => [name, thread()]))
  const waiting = new Map([...running].map(([name, thread]) => [name, thread.next()]))
  for (const name of order) {
    const { variable, value } = waiting.get(name)!.value as Step
    const history = histories.get(variable) ?? [[]]
    if (value === undefined) history.at(-1)!.push(name)
    else {
      history.push([`${name} writes`], [])
      values.set(variable, value)
    }
    histories.set(variable, history)
    waiting.set(name, running.get(name)!.next(values.get(variable) ?? 0))
  }
  const key = [...histories]
    .map(([variable, history]) => `${variable}: ${history.map((group) => group.toSorted().join(' ')).join()}`)
    .toSorted()
    .join('; ')
  return { key, ready: [...waiting].filter(([, { done }]) => !done).map(([name]) => name) }
}

/** Counts the classes of complete orders. Of the orders with the same class so far, one is continued. */
const countClasses = (threads: Threads): number => {
  let orders: string[][] = [[]]
  const complete = new Set<string>()
  while (orders.length > 0) {
    const longer = new Map<string, string[]>()
    for (const order of orders) {
      const { key, ready } = simulate(threads, order)
      if (ready.length === 0) complete.add(key)
      for (const name of ready) longer.set(simulate(threads, [...order, name]).key, [...order, name])
    }
    orders = [...longer.values()]
  }
  return complete.size
}

const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }

/** Runs the steps of a thread. A variable is the name of the only user of a project. */
const toActor =
  (thread: Thread): Flow =>
  async ({ fetch }: Client) => {
    const steps = thread()
    let seen = steps.next()
    while (!seen.done) {
      const { variable, value } = seen.value
      const body = value === undefined ? {} : { method: 'PATCH', body: JSON.stringify({ fullName: `${value}` }) }
      const response = await fetch(`/projects/${variable}/users/usr_1`, { headers, ...body })
      const { fullName } = (await response.json()) as { fullName: string }
      seen = steps.next(Number(fullName))
    }
  }

const countRuns = async (threads: Threads, isolated: boolean) => {
  const seed = { template: { users: [{ id: 'usr_1', email: 'a@example.com', fullName: '0' }] } }
  const actors = Object.fromEntries(Object.entries(threads).map(([name, thread]) => [name, toActor(thread)]))
  const { runs, exhausted } = await interleave({
    actors,
    options: { seed },
    invariant: () => {},
    isolated,
  })
  expect(exhausted).toBe(true)
  return runs
}

describe('isolated runs one order of each class', () => {
  it.each<[program: string, threads: Threads, classes: number]>([
    ['writer-readers', writerReaders, 4],
    ['readers(2)', readers(2), 4],
    ['readers(4)', readers(4), 16],
    ['readers(6)', readers(6), 64],
    ['lastzero(2)', lastZero(2), 5],
    ['lastzero(3)', lastZero(3), 12],
    ['lastzero(5)', lastZero(5), 64],
  ])('of %s', async (_, threads, classes) => {
    expect(countClasses(threads)).toBe(classes)
    expect(await countRuns(threads, true)).toBe(classes)
  })

  it('and more without the promise', async () => {
    expect(await countRuns(readers(3), false)).toBe(24)
  })
})
