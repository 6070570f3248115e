// Proves: Model agreement.
/** A behavior that changed a response is in its `Mock-Assumed` header. */
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type BehaviorChoices,
  type BehaviorKey,
  createMock,
  type Mock,
  type SeedInput,
} from '../../../src/node/index.ts'
import { behaviorKeys } from '../../../src/schema/behavior.ts'
import { initOf } from '../model/agreement.ts'
import type { WireRequest } from '../model/model.ts'
import { othersOf, type Scene, scenes } from './scenarios.ts'

// ANNOUNCED_RUNS=20000 for a longer run.
const runs = Number(process.env.ANNOUNCED_RUNS ?? 15)

interface Answer {
  readonly status: number
  readonly body: string
  readonly assumed: ReadonlyMap<string, string>
}

// They only change the format, and would be in every response.
const dressing: readonly BehaviorKey[] = ['errorFormat', 'timestampPrecision']

it(`every effect of another behavior value is announced, over ${runs} states`, async () => {
  const tally = createTally()
  const property = fc.asyncProperty(scenes, (scene) => announces(scene, tally))
  await fc.assert(property, { numRuns: runs })
  if (runs < 1000) return
  console.log(tally.text())
  // Otherwise the states and requests would prove nothing.
  expect(tally.withoutEffect()).toEqual([])
})

/** Sends each request with the behavior values of the scene, and with each other value of one key. */
const announces = async (scene: Scene, tally: Tally): Promise<void> => {
  const mock = createMock({ seed: await stateOf(scene) })
  for (const request of scene.requests) {
    const base = await answerOf(mock, scene, scene.readings, request)
    for (const key of behaviorKeys) {
      let changed = false
      for (const value of othersOf(key, scene.readings[key])) {
        const other = await answerOf(mock, scene, { ...scene.readings, [key]: value }, request)
        changed = compare(key, base, other) || changed
      }
      tally.note(key, base.assumed.has(key), changed)
    }
  }
}

const compare = (key: BehaviorKey, base: Answer, other: Answer): boolean => {
  if (dressing.includes(key)) {
    expect(undressed(other), `but for its form the answer under another ${key}`).toEqual(undressed(base))
    expect(other.assumed, `what is announced under another ${key}`).toEqual(base.assumed)
    return base.body !== other.body
  }
  if (base.status === other.status && base.body === other.body) return false
  for (const { assumed } of [base, other])
    expect([...assumed.keys()], `the announced keys, for ${key} differs`).toContain(key)
  return true
}

/** The response of a reset mock. It announces only current values, and none that only change the format. */
const answerOf = async (
  mock: Mock,
  { hasEmptyKey }: Scene,
  behaviors: BehaviorChoices,
  request: WireRequest,
): Promise<Answer> => {
  await mock.reset()
  await mock.behaviors.set(behaviors)
  const init = initOf(request)
  const headers = new Headers(init.headers)
  if (hasEmptyKey) headers.set('idempotency-key', '')
  const response = await mock.fetch(request.path, { ...init, headers })
  const announced = (response.headers.get('mock-assumed') ?? '').split(', ').filter((entry) => entry !== '')
  const assumed = new Map(announced.map((entry) => entry.split('=') as [BehaviorKey, string]))
  for (const [key, value] of assumed) {
    expect(value, `the announced value of ${key}`).toBe(String(behaviors[key]))
    expect(dressing).not.toContain(key)
  }
  return { status: response.status, body: await response.text(), assumed }
}

/** The state of the scene as a document, after its deletions. */
const stateOf = async ({ seed, deleted }: Scene): Promise<SeedInput> => {
  const mock = createMock({ seed, clock: '2025-06-01T12:00:00.000Z' })
  const acme = mock.project('acme')
  const there = new Set(
    (await Promise.all([acme.users.list(), acme.paymentLinks.list()])).flatMap(({ items }) =>
      items.map(({ id }) => id),
    ),
  )
  const gone = deleted.filter((id) => there.has(id))
  await Promise.all(gone.map((id) => (id.startsWith('usr_') ? acme.users : acme.paymentLinks).delete(id)))
  const { behaviors: _, ...state } = await mock.state.get()
  return { ...state, tokens: seed.tokens }
}

/** The content of a response without the format of its errors and times. */
const undressed = ({ status, body }: Answer): unknown => {
  const value: unknown = body === '' ? null : JSON.parse(body.replaceAll(/(T\d\d:\d\d:\d\d)\.\d+Z"/g, '$1Z"'))
  if (status < 400 || value === null) return [status, value]
  const { message, detail = message, code, hint, details } = value as Readonly<Record<string, unknown>>
  return [status, { detail, code, hint, details }]
}

type Tally = ReturnType<typeof createTally>

/** Counts for each key how often it changed a response, and how often it was announced without an effect. */
const createTally = () => {
  const counts = new Map(behaviorKeys.map((key) => [key, { announced: 0, changed: 0, idle: 0 }]))
  return {
    note: (key: BehaviorKey, announced: boolean, changed: boolean) => {
      const count = counts.get(key)!
      if (announced) count.announced++
      if (changed) count.changed++
      if (announced && !changed) count.idle++
    },
    withoutEffect: () => behaviorKeys.filter((key) => counts.get(key)!.changed === 0),
    text: () => [...counts].map(([key, count]) => `${key.padEnd(24)}${JSON.stringify(count)}`).join('\n'),
  }
}
