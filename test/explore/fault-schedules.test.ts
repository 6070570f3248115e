import { expect, it } from 'vitest'
import { getNamedEffects } from '../../src/explore/effects/effect-names.ts'
import type { FailedRun } from '../../src/explore/fault-schedules.ts'
import { containsFailure, createFaultSchedules, keepMinimal } from '../../src/explore/fault-schedules.ts'
import type { ActorCall, Step } from '../../src/explore/steps.ts'
import type { OperationId } from '../../src/core/schema/operation-routes.ts'

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
  const ofList = ['list.before.reset', 'list.before.stale']
  const ofCreate = ['create.before.reset', 'create.after.reset']
  expect(format(single)).toEqual([...ofList, ...ofCreate])
  expect(format(addFault(single[0]!, calls))).toEqual(ofCreate.map((second) => `list.before.reset+${second}`))
  // The same pair, in the other order.
  expect(format(addFault(single[2]!, calls))).toEqual(ofList.slice(1).map((second) => `create.before.reset+${second}`))
})

it('tries an effect at a read before it, or before and after it if that differs', () => {
  const names = ['reset', 'malformed', 'stale', 'duplicate', 'evolve']
  const addFault = createFaultSchedules(getNamedEffects('effects', names))
  expect(format(addFault(new Map(), [toCall('list', 'listUsers')]))).toEqual([
    'list.before.reset',
    'list.before.stale',
    'list.before.duplicate',
    'list.before.evolve',
    'list.after.malformed',
  ])
})

it.each<[smaller: FailedRun['steps'], contains: boolean]>([
  [[{ id: 'a', fault: { phase: 'after', effect: 'reset' } }], true],
  [[{ id: 'b', fault: undefined }], true],
  [[{ id: 'a', fault: { phase: 'before', effect: 'reset' } }], false],
  [[{ id: 'c', fault: { phase: 'after', effect: 'reset' } }], false],
  [['b', 'a'].map((id) => ({ id, fault: undefined })), false],
])('a failure contains %j: %j', (steps, contains) => {
  const first = { id: 'a', fault: { phase: 'after', effect: 'reset' } } as const
  const second = { id: 'b', fault: { phase: 'before', effect: 'stale' } } as const
  const failure: FailedRun = { message: 'two links', steps: [first, second] }
  expect(containsFailure(failure, { message: 'two links', steps })).toBe(contains)
  expect(containsFailure(failure, { message: 'no link', steps })).toBe(false)
})

it('omits failures with more faults than one that was found later', () => {
  const a = { id: 'a', fault: undefined }
  const b = { id: 'b', fault: undefined }
  const faulty = { id: 'a', fault: { phase: 'after', effect: 'reset' } } as const
  const larger = { message: 'two links', steps: [faulty, b] }
  const other = { message: 'no link', steps: [faulty, b] }
  const smaller = { message: 'two links', steps: [a, b] }
  expect(keepMinimal([larger, other, smaller])).toEqual([other, smaller])
})
