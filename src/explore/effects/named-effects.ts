import { createFaultEffect, type ExploredEffect, type NamedEffect } from './effect.ts'

const createLinkEffect = (action: 'pay' | 'cancel'): ExploredEffect => ({
  // An action after a call would have the same result as an action before the next call.
  phases: ['before'],
  actsOnLink: true,
  act: async ({ actOnLink, send }) => {
    await actOnLink(action)
    return send()
  },
})

/** No known SDK makes more than six attempts. Limited, so that a program that retries until it succeeds still ends. */
const outageCalls = 10

export const namedEffects = {
  reset: {
    ...createFaultEffect({ connection: 'reset' }),
    isDefault: true,
    summary: 'the connection breaks',
    remedy:
      'treats a write without a response as possibly done: it sends the same idempotency key again, or creates, polls and cancels',
  },
  close: {
    ...createFaultEffect({ connection: 'close' }),
    isDefault: true,
    summary: 'the connection ends without a response',
    remedy: 'does the same as for `reset`: some HTTP libraries repeat the request on their own',
  },
  unavailable: {
    ...createFaultEffect({ status: 503 }),
    isDefault: true,
    summary: '503',
    remedy: 'treats an error after a write like a lost response, and tries again later',
  },
  malformed: {
    ...createFaultEffect({ corrupt: 'malformed' }),
    isDefault: true,
    summary: 'broken JSON',
    remedy: 'treats an unreadable response like a lost response',
  },
  rateLimited: {
    ...createFaultEffect({ status: 429, headers: { 'retry-after': '1' } }),
    isDefault: true,
    summary: '429 with `Retry-After`',
    remedy: 'waits, retries, and never mistakes an error for a result',
  },
  stale: {
    ...createFaultEffect({ stale: { changes: 1 } }),
    isDefault: true,
    summary: 'a read misses the last change',
    remedy:
      'does not treat a single read as proof that a record is missing or unchanged: it waits for its own write, or writes again',
  },
  duplicate: {
    ...createFaultEffect({ duplicate: true }),
    summary: 'the request is processed twice',
    remedy: 'sends an idempotency key, or looks for a duplicate after each create, even if nothing failed',
  },
  evolve: {
    ...createFaultEffect({ evolve: true }),
    summary: 'the response of a later release',
    remedy: 'ignores unknown fields, the order of fields and the precision of times',
  },
  outage: {
    // `after.outage` would equal `after.unavailable`, followed by `before.outage` at the next call of the operation.
    phases: ['before'],
    prolongs: 'unavailable',
    isDefault: true,
    summary: `503 for this call and the next ${outageCalls - 1} of its operation`,
    remedy:
      'does not mistake a failed search for a missing record, and fails after its last attempt instead of returning a result',
    act: async ({ operation, addFault, send }) => {
      await addFault({ match: { operation }, times: outageCalls, effect: { status: 503 } })
      return send()
    },
  },
  crash: {
    phases: ['before', 'after'],
    hidesResult: true,
    summary: 'the client is killed and restarted',
    remedy: 'finds the work that it did before the kill: see [a killed worker](killed-workers.md)',
    act: async ({ phase, send, kill }) => {
      if (phase === 'after') await send()
      await kill()
      // The killed code cannot receive this response.
      return new Response()
    },
  },
  paid: {
    ...createLinkEffect('pay'),
    // No client can stop a customer from paying two links, so a second payment would prove nothing.
    isOnce: true,
    summary: 'the customer pays a link of the client',
    remedy: 'does not treat a 409 response to a cancel as success: it retrieves the link, and keeps a paid link',
  },
  canceled: {
    ...createLinkEffect('cancel'),
    summary: 'somebody else cancels a link of the client',
    remedy: 'accepts a link that is already canceled, and does not wait for its payment',
  },
} satisfies Readonly<Record<string, NamedEffect>>
