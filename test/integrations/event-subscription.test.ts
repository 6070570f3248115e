import { expect, it } from 'vitest'
import { lazyIterable } from '../../src/client/event-subscription.ts'

/** A reading of 1, 2 and so on, and what was done with it. */
const counting = () => {
  const done: string[] = []
  let end = () => {}
  const events = lazyIterable<number>(() => {
    done.push('begin')
    let count = 0
    return {
      next: async () => ({ done: false, value: ++count }),
      return: () => {
        done.push('return')
        return new Promise<void>((resolve) => (end = resolve))
      },
    }
  })
  return { done, events, end: () => end() }
}

it('begins with the first read, and anew for each reader', async () => {
  const { done, events } = counting()
  const [one, other] = [events[Symbol.asyncIterator](), events[Symbol.asyncIterator]()]
  expect(done).toEqual([])
  expect([await one.next(), await one.next(), await other.next()].map(({ value }) => value)).toEqual([1, 2, 1])
  expect(done).toEqual(['begin', 'begin'])
})

it('is over once it was ended, and does not begin again', async () => {
  const { done, events, end } = counting()
  const reader = events[Symbol.asyncIterator]()
  await reader.next()
  const ended = reader.return?.()
  end()
  expect(await ended).toEqual({ done: true, value: undefined })
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(done).toEqual(['begin', 'return'])
})

it('never begins when it is ended before its first read', async () => {
  const { done, events } = counting()
  const reader = events[Symbol.asyncIterator]()
  expect(await reader.return?.()).toEqual({ done: true, value: undefined })
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(done).toEqual([])
})

it('has ended when what it reads has', async () => {
  const { events, end } = counting()
  const reader = events[Symbol.asyncIterator]()
  await reader.next()
  const order: string[] = []
  const ended = reader.return?.().then(() => order.push('reader'))
  await reader.next()
  order.push('reading')
  end()
  await ended
  expect(order).toEqual(['reading', 'reader'])
})

it('fails with its first read when it cannot begin', async () => {
  const events = lazyIterable(() => {
    throw new Error('no')
  })
  await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow('no')
})
