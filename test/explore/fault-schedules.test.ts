import { expect, it } from 'vitest'
import {
  getNamedEffects,
  containsFailure,
  createFaultSchedules,
  type FailedRun,
  omitLarger,
} from '../../src/extensions/explore/explored-faults.ts'
import type { ActorCall, Step } from '../../src/extensions/explore/steps.ts'
import type { OperationId } from '../../src/schema/operation-routes.ts'

const format = (schedules: ReturnType<ReturnType<typeof createFaultSchedules>>) =>
  schedules.map((schedule) =>
    [...schedule].map(([id, { phase, effect, link }]) => `${id}.${phase}.${effect}${link ? `:${link}` : ''}`).join('+'),
  )

const toCall = (id: string, operation: OperationId | undefined, links = 0) => {
  const call: Partial<ActorCall> = { getOperation: () => operation, links }
  return { id, call } as Step
}

it('lists a customer for each link, before the call, and only one payment in a run', () => {
  const addFault = createFaultSchedules(getNamedEffects('effects', ['paid', 'canceled', 'crash']))
  const calls = [toCall('list', 'listPaymentLinks', 2), toCall('command', undefined, 2)]
  const single = addFault(new Map(), calls)
  expect(format(single)).toEqual([
    'list.before.paid',
    'list.before.paid:2',
    'list.before.canceled',
    'list.before.canceled:2',
    'list.before.crash',
    'list.after.crash',
  ])
  expect(format(addFault(single[0]!, [toCall('next', 'createUser', 1)]))).toEqual([
    'list.before.paid+next.before.canceled',
    'list.before.paid+next.before.crash',
    'list.before.paid+next.after.crash',
  ])
})

it('lists each effect in its phases at each operation, and reads only for stale', () => {
  const addFault = createFaultSchedules(getNamedEffects('effects', ['reset', 'stale']))
  const calls = [toCall('list', 'listUsers'), toCall('command', undefined), toCall('create', 'createUser')]
  const single = addFault(new Map(), calls)
  expect(format(single)).toEqual([
    'list.before.reset',
    'list.before.stale',
    'list.after.reset',
    'create.before.reset',
    'create.after.reset',
  ])
  expect(format(addFault(single[0]!, calls))).toEqual([
    'list.before.reset+create.before.reset',
    'list.before.reset+create.after.reset',
  ])
  // The same pair, in the other order.
  expect(format(addFault(single[3]!, calls))).toEqual([
    'create.before.reset+list.before.stale',
    'create.before.reset+list.after.reset',
  ])
})

it('tries an effect at a read before it, or before and after it if that differs', () => {
  const names = ['reset', 'malformed', 'stale', 'duplicate', 'evolve']
  const addFault = createFaultSchedules(getNamedEffects('effects', names))
  expect(format(addFault(new Map(), [toCall('list', 'listUsers')]))).toEqual([
    'list.before.reset',
    'list.before.stale',
    'list.before.duplicate',
    'list.before.evolve',
    'list.after.reset',
    'list.after.malformed',
  ])
})

it.each<[smaller: FailedRun['steps'], contains: boolean]>([
  [[{ id: 'a', fault: { phase: 'after', effect: 'reset' } }], true],
  [[{ id: 'b', fault: undefined }], true],
  [[{ id: 'a', fault: { phase: 'before', effect: 'reset' } }], false],
  [[{ id: 'c', fault: { phase: 'after', effect: 'reset' } }], false],
  [
    [
      { id: 'b', fault: undefined },
      { id: 'a', fault: undefined },
    ],
    false,
  ],
])('a failure contains %j: %j', (steps, contains) => {
  const failure: FailedRun = {
    message: 'two links',
    steps: [
      { id: 'a', fault: { phase: 'after', effect: 'reset' } },
      { id: 'b', fault: { phase: 'before', effect: 'stale' } },
    ],
  }
  expect(containsFailure(failure, { message: 'two links', steps })).toBe(contains)
  expect(containsFailure(failure, { message: 'no link', steps })).toBe(false)
})

it('omits failures with more faults than one that was found later', () => {
  const step = (id: string, effect?: string) => ({
    id,
    fault: effect === undefined ? undefined : ({ phase: 'after', effect } as const),
  })
  const larger = { message: 'two links', steps: [step('a', 'reset'), step('b')] }
  const other = { message: 'no link', steps: [step('a', 'reset'), step('b')] }
  const smaller = { message: 'two links', steps: [step('a'), step('b')] }
  expect(omitLarger([larger, other, smaller])).toEqual([other, smaller])
})
