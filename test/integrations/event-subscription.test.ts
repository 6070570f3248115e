import { expect, it } from 'vitest'
import { createLazyIterable } from '../../src/client/event-subscription.ts'

/** An iterable of 1, 2 and so on, and a log of its calls. */
const counting = () => {
  const done: string[] = []
  let end = () => {}
  const events = createLazyIterable(() => {
    done.push('begin')
    let count = 0
    return {
      next: async () => ({ done: false, value: ++count as never }),
      return: () => {
        done.push('return')
        return new Promise<void>((resolve) => (end = resolve))
      },
    }
  })
  return { done, events, end: () => end() }
}

it('starts with the first read, separately for each reader', async () => {
  const { done, events } = counting()
  const [one, other] = [events[Symbol.asyncIterator](), events[Symbol.asyncIterator]()]
  expect(done).toEqual([])
  expect([await one.next(), await one.next(), await other.next()].map(({ value }) => value)).toEqual([1, 2, 1])
  expect(done).toEqual(['begin', 'begin'])
})

it('stays finished after its end', async () => {
  const { done, events, end } = counting()
  const reader = events[Symbol.asyncIterator]()
  await reader.next()
  const ended = reader.return?.()
  end()
  expect(await ended).toEqual({ done: true, value: undefined })
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(done).toEqual(['begin', 'return'])
})

it('never starts when it is ended before its first read', async () => {
  const { done, events } = counting()
  const reader = events[Symbol.asyncIterator]()
  expect(await reader.return?.()).toEqual({ done: true, value: undefined })
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(done).toEqual([])
})

it('ends with its source', async () => {
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

it('rejects the first read when it cannot start', async () => {
  const events = createLazyIterable(() => {
    throw new Error('no')
  })
  await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow('no')
})
