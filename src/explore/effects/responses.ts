// Effects that apply a fault of the mock to one call: a lost, invalid or stale response, or a duplicate request.
import { createFaultEffect, type NamedEffect } from './effect.ts'

export const responseEffects = {
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
} satisfies Readonly<Record<string, NamedEffect>>
