// Proves: Tokens.
import { expect } from 'vitest'
import type { MockEvent } from '../../../../src/node/index.ts'
import { findLeaks } from '../../../support/canary.ts'
import { buildControlContract } from '../../../support/control-contract.ts'

/** The first `count` events, or fewer if they end. */
export const take = async (events: AsyncIterable<MockEvent>, count: number): Promise<MockEvent[]> => {
  const taken: MockEvent[] = []
  if (count === 0) return taken
  for await (const event of events) if (taken.push(event) === count) break
  expect(findLeaks(JSON.stringify(taken)), 'a token in an event').toEqual([])
  const { problems } = await buildControlContract()
  const wrong = taken
    .map((event) => problems(['components', 'schemas', 'MockEvent'], event))
    .filter((one) => one !== '')
  expect(wrong, 'events that the document does not allow').toEqual([])
  return taken
}

export const typesOf = (events: readonly MockEvent[]): string[] => events.map(({ type }) => type)
