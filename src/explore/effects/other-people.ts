// Other people act on a link before a call of the code under test. After the call would be before the next one.
import type { NamedEffect } from './effect.ts'

export const paid: NamedEffect = {
  phases: ['before'],
  actsOnLink: true,
  // No program can prevent that a customer pays two links.
  isOnce: true,
  summary: 'the customer pays a link of the client',
  remedy: 'takes no 409 of a cancel as done: it retrieves the link, and keeps the paid one',
  act: async ({ actOnLink, send }) => {
    await actOnLink('pay')
    return send()
  },
}

export const canceled: NamedEffect = {
  phases: ['before'],
  actsOnLink: true,
  summary: 'somebody else cancels a link of the client',
  remedy: 'accepts that a link is canceled already, and does not wait for its payment',
  act: async ({ actOnLink, send }) => {
    await actOnLink('cancel')
    return send()
  },
}
