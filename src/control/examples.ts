import type { Command } from '../schema/command.ts'
import type { CommandId } from '../schema/command-routes.ts'
import type { Commands } from '../schema/commands.ts'
import type { Examples } from '../wire/openapi.ts'

type WithBody = { [V in CommandId]: Commands[V] extends { readonly body: Command['body'] } ? V : never }[CommandId]
type WithBodyForAll = {
  [V in CommandId]: Commands[V] extends { readonly bodyForAll: Command['body'] } ? `${V}ForAll` : never
}[CommandId]

const project = {
  preferredLocale: 'pt-BR',
  invoices: ['inv_100'],
  users: [{ email: 'ada@example.com', fullName: 'Ada Lovelace' }],
  paymentLinks: [{ invoice: 'inv_100', status: 'completed' }],
}
const payer = { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: 'GB123456789' }

/** Example bodies of the control API, by the id of the command. If the body for all projects differs, it has its own. */
export const bodyExamples: Readonly<Record<WithBody | WithBodyForAll, Examples>> = {
  changeProject: { locale: { summary: 'Another preferred locale', value: { preferredLocale: 'pt-BR' } } },
  loadState: {
    empty: { summary: 'No records', value: {} },
    project: { summary: 'A project with one user and one link', value: project },
  },
  loadStateForAll: {
    empty: { summary: 'No projects', value: {} },
    seed: {
      summary: 'A frozen clock and one project',
      value: { clock: { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' }, projects: { acme: project } },
    },
  },
  patchState: { users: { summary: 'One more user', value: { users: [{ email: 'hedy@example.com' }] } } },
  patchStateForAll: {
    users: {
      summary: 'One more user in one project',
      value: { projects: { acme: { users: [{ email: 'hedy@example.com' }] } } },
    },
  },
  saveSnapshot: { name: { summary: 'A name', value: { name: 'paid' } } },
  setClock: {
    real: { summary: 'The real time', value: { mode: 'real' } },
    frozen: { summary: 'A frozen time', value: { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' } },
    stepping: { summary: 'One second more with each write', value: { mode: 'stepping', step: 1000 } },
  },
  advanceClock: { minute: { summary: 'One minute', value: { milliseconds: 60_000 } } },
  changeBehaviors: {
    values: { summary: 'Two behaviors', value: { cancelInactive: 'idempotent', createStatus: 200 } },
  },
  replaceTokens: {
    one: {
      summary: 'One token for one project',
      value: { tokens: [{ token: 'tok_acme', projects: ['acme'], expiresAt: '2030-01-01T00:00:00.000Z' }] },
    },
    none: { summary: 'Any token is valid', value: { tokens: [] } },
  },
  createUser: {
    minimal: { summary: 'Only required fields', value: { email: 'hedy@example.com' } },
    complete: {
      summary: 'Read-only fields too',
      value: {
        id: 'usr_katherine',
        email: 'katherine@example.com',
        emailVerified: false,
        fullName: 'Katherine Johnson',
        createdAt: '2025-01-01T00:00:00.000Z',
      },
    },
  },
  patchUser: { unverified: { summary: 'A read-only field', value: { emailVerified: false } } },
  createPaymentLink: {
    minimal: { summary: 'Only required fields', value: { invoice: 'inv_100' } },
    completed: { summary: 'A link that was paid', value: { invoice: 'inv_100', status: 'completed', payer } },
  },
  patchPaymentLink: { canceled: { summary: 'Another status', value: { status: 'canceled' } } },
  payPaymentLink: {
    now: { summary: 'Pay now', value: {} },
    failed: { summary: 'A failed attempt', value: { outcome: 'failed' } },
    reads: { summary: 'Pay with the third retrieve', value: { when: { reads: 3 } } },
    at: { summary: 'Pay at an instant of the mock clock', value: { when: { at: '2030-01-01T00:00:00.000Z' } } },
    in: { summary: 'Pay in 30 seconds of the mock clock', value: { when: { in: 30_000 } } },
  },
  verifyRequests: {
    times: { summary: 'One request', value: { match: { operation: 'createUser' }, times: { exactly: 1 } } },
    within: { summary: 'Wait for a request', value: { match: { operation: 'createPaymentLink' }, within: 2000 } },
    sequence: {
      summary: 'Two requests in this order',
      value: { sequence: [{ operation: 'createUser' }, { operation: 'createPaymentLink' }] },
    },
  },
  addFault: {
    unavailable: {
      summary: 'The next create of a user fails',
      value: { match: { operation: 'createUser' }, effect: { status: 503, headers: { 'retry-after': '1' } } },
    },
    lost: {
      summary: 'The link is created, but the response is lost',
      value: { match: { operation: 'createPaymentLink' }, phase: 'after', effect: { connection: 'reset' } },
    },
    slow: {
      summary: 'Every response is late',
      value: { times: null, effect: { delay: { milliseconds: 200, jitter: 50 } } },
    },
    hold: {
      summary: 'A request that waits for its release',
      value: { match: { operation: 'createPaymentLink' }, effect: { hold: true } },
    },
    stale: { summary: 'A list that misses the newest change', value: { effect: { stale: { changes: 1 } } } },
    duplicate: { summary: 'A request that is delivered twice', value: { effect: { duplicate: true } } },
    evolve: { summary: 'A later release of the service', value: { times: null, effect: { evolve: true } } },
    rateLimit: { summary: 'A rate limit', value: { effect: { rateLimit: { limit: 5, window: 1000 } } } },
  },
  releaseFault: {
    all: { summary: 'All requests that wait now', value: {} },
    one: { summary: 'The oldest request', value: { count: 1 } },
  },
  waitForHeld: { one: { summary: 'At least one request', value: { held: 1, within: 2000 } } },
}
