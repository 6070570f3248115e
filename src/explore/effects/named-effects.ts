// The named effects: what a search does to a call, by name, in the order in which they are tried.
import { createFaultEffect, type ExploredEffect, type NamedEffect } from './effect.ts'

/** Somebody acts on a link before a call. After the call would be before the next one. */
const createLinkEffect = (action: 'pay' | 'cancel'): ExploredEffect => ({
  phases: ['before'],
  actsOnLink: true,
  act: async ({ actOnLink, send }) => {
    await actOnLink(action)
    return send()
  },
})

/** SDKs send a call at most six times. A program that retries forever must still come to an end. */
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
    remedy: 'treats a response that it cannot read like a lost one',
  },
  rateLimited: {
    ...createFaultEffect({ status: 429, headers: { 'retry-after': '1' } }),
    isDefault: true,
    summary: '429 with `Retry-After`',
    remedy: 'waits and tries again, and never takes an error for a result',
  },
  stale: {
    ...createFaultEffect({ stale: { changes: 1 } }),
    isDefault: true,
    summary: 'a read misses the last change',
    remedy:
      'takes no single read for a proof that a record is missing or unchanged: it waits for its own write, or writes once more',
  },
  duplicate: {
    ...createFaultEffect({ duplicate: true }),
    summary: 'the request is processed twice',
    remedy: 'sends an idempotency key, or looks for a second record after each create, also if nothing failed',
  },
  evolve: {
    ...createFaultEffect({ evolve: true }),
    summary: 'the response of a later release',
    remedy: 'ignores unknown fields, the order of fields and the length of times',
  },
  outage: {
    // After the operation it would be `unavailable`, and then an outage before the next call.
    phases: ['before'],
    prolongs: 'unavailable',
    isDefault: true,
    summary: `503 for this call and the next ${outageCalls - 1} of its operation`,
    remedy:
      'does not mistake a failed search for a missing record, and gives up without a result after its last attempt',
    act: async ({ operation, addFault, send }) => {
      await addFault({ match: { operation }, times: outageCalls, effect: { status: 503 } })
      return send()
    },
  },
  crash: {
    phases: ['before', 'after'],
    hidesResult: true,
    summary: 'the client is killed, and starts again',
    remedy: 'finds again what it has done before the kill: see [a killed worker](killed-workers.md)',
    act: async ({ phase, send, kill }) => {
      if (phase === 'after') await send()
      await kill()
      // The code is dead, so nothing receives the response.
      return new Response()
    },
  },
  paid: {
    ...createLinkEffect('pay'),
    // No program can prevent that a customer pays two links.
    isOnce: true,
    summary: 'the customer pays a link of the client',
    remedy: 'takes no 409 of a cancel as done: it retrieves the link, and keeps the paid one',
  },
  canceled: {
    ...createLinkEffect('cancel'),
    summary: 'somebody else cancels a link of the client',
    remedy: 'accepts that a link is canceled already, and does not wait for its payment',
  },
} satisfies Readonly<Record<string, NamedEffect>>
