import { createInitialState } from '../domain/seeding.ts'
import { createStore } from '../domain/store.ts'
import type { Behaviors } from '../schema/behavior.ts'
import type { Examples } from '../schema/command-definition.ts'
import type { Operation, OperationExample } from './operation.ts'

interface ExampleRequest extends OperationExample {
  readonly operation: Operation
}

/** Returns the examples of all operations in the order in which they are requested: that of the registry. */
const listSteps = (operations: readonly Operation[], behaviors: Behaviors): readonly ExampleRequest[] => {
  const steps = operations.flatMap((operation) =>
    operation.listExamples(behaviors).map((example): ExampleRequest => ({ operation, ...example })),
  )
  return steps
    .filter(({ follows }) => follows === undefined)
    .flatMap((step) => [step, ...steps.filter(({ follows }) => follows === `${step.operation.id}.${step.name}`)])
}

export type OperationExamples = { [K in 'requests' | 'responses']: Record<string, Examples[string]> }

/** Returns the examples of each operation. The responses are those of a mock with these behaviors. */
export const createExamples = (operations: readonly Operation[], provider: string, behaviors: Behaviors) => {
  const clock = { mode: 'stepping', now: '2025-01-01T12:00:00.000Z', step: 60_000 } as const
  const seed = { projects: { acme: { invoices: ['inv_100', 'inv_101'] } } }
  const store = createStore({ initial: createInitialState({ seed, behaviors, clock }), systemNow: () => 0 })
  const payUrl = 'http://127.0.0.1:4600/pay/acme'
  const examples = new Map<string, OperationExamples>()
  // The last created records: the requests concern them.
  const ids = { user: '', paymentLink: '' }
  for (const { operation, name, sent, received, body, prepare } of listSteps(operations, behaviors)) {
    if (prepare !== undefined) store.update('acme', (tx) => prepare(tx, ids))
    const input = { params: ids, query: operation.query?.parse({}), body: operation.body?.parse(body) }
    const result = store.update('acme', (tx) => operation.handle(tx, { ...input, headersOnly: false }))
    const value = JSON.parse(operation.view(result, { ...behaviors, provider, payUrl }))
    if (operation.creates) ids[value.object as keyof typeof ids] = value.id
    const own = examples.get(operation.id) ?? { requests: {}, responses: {} }
    examples.set(operation.id, own)
    if (sent !== undefined) own.requests[name] = { summary: sent, value: body }
    own.responses[name] = { summary: received, value }
  }
  return examples
}
