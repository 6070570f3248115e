import type { CommandId } from '../../schema/command-routes.ts'

/** A task of a test, as commands for one project with their bodies. */
export interface Recipe {
  readonly title: string
  readonly steps: readonly (readonly [command: CommandId, body?: object])[]
}

const created = { operation: 'createPaymentLink' }

export const recipes: readonly Recipe[] = [
  { title: 'Start a test from the seed', steps: [['reset']] },
  { title: 'Create a record directly, with any state', steps: [['createPaymentLink', { invoice: 'inv_1' }]] },
  { title: 'Pay a payment link', steps: [['payPaymentLink', {}]] },
  { title: 'Let an attempt to pay fail', steps: [['payPaymentLink', { outcome: 'failed' }]] },
  { title: 'Pay with the third retrieve of the link', steps: [['payPaymentLink', { when: { reads: 3 } }]] },
  {
    title: 'Control the time, and pay later',
    steps: [
      ['setClock', { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' }],
      ['payPaymentLink', { when: { in: 30_000 } }],
      ['advanceClock', { milliseconds: 60_000 }],
    ],
  },
  {
    title: 'Make the next request fail',
    steps: [['addFault', { match: created, effect: { status: 503 } }]],
  },
  {
    title: 'Lose a response: the operation runs, and the connection closes',
    steps: [['addFault', { match: created, phase: 'after', effect: { connection: 'close' } }]],
  },
  {
    title: 'Hold a request, do something else, and release it',
    steps: [
      ['addFault', { match: created, effect: { hold: true } }],
      ['waitForHeld', { held: 1, within: 2000 }],
      ['releaseFault', {}],
    ],
  },
  {
    title: 'Save a state and return to it',
    steps: [['saveSnapshot', { name: 'before' }], ['restoreSnapshot']],
  },
  { title: 'Change what the service does', steps: [['changeBehaviors', { cancelInactive: 'idempotent' }]] },
  {
    title: 'Verify which requests the client sent',
    steps: [['verifyRequests', { match: { ...created, body: { invoice: 'inv_1' } }, times: 1 }]],
  },
  { title: 'Verify that each request followed the specification', steps: [['verifyViolations']] },
  { title: 'Print what happened when a test fails', steps: [['report']] },
]
