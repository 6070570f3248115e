import { describe, it } from 'vitest'
import { command, comparePairs, requireSameOutcomes, send } from './support/pairs.ts'

describe('isolated', () => {
  it.each([
    ['by its delay', { in: 0 }],
    ['by its time', { at: '2024-01-01T00:00:00.000Z' }],
  ])('tries both orders of a read and a payment that is due at once, %s', (_, when) =>
    requireSameOutcomes({
      reader: send('GET', 'acme/paymentLinks'),
      tester: command('acme', ({ paymentLinks }) => paymentLinks.pay('pml_1', { when })),
    }),
  )

  it('tries both orders of a request and the creation of its project, with `unknownProject=notFound`', () =>
    requireSameOutcomes(
      {
        reader: send('GET', 'later/users'),
        tester: command('later', ({ paymentLinks }) => paymentLinks.create({ invoice: 'inv_1' })),
      },
      { behaviors: { unknownProject: 'notFound' } },
    ))

  it('reaches the outcomes of both orders, over 150 pairs of operations and commands', () => comparePairs(150))
})
