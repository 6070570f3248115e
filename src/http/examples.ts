import { createInitialState } from '../domain/initial-state.ts'
import { completePaymentLink } from '../domain/payment-links.ts'
import { createStore } from '../domain/store.ts'
import type { Behaviors } from '../schema/behavior.ts'
import type { OperationId } from '../schema/operation.ts'
import type { Examples } from '../schema/command-definition.ts'
import type { Operation } from './operation.ts'

/** A request of the example story. */
interface Step {
  readonly id: OperationId
  readonly name: string
  /** The summaries of the request and of its response. */
  readonly sent?: string
  readonly received: string
  readonly body?: unknown
}

// The demo seed has neither this user nor the address of the minimal example, so that both can be created.
const katherine = {
  email: 'katherine@example.com',
  birthday: '1990-12-31',
  fullName: 'Katherine Johnson',
  metadata: { customer: 'c-1918' },
  preferredLocale: 'en-GB',
}

/** The requests in their order. They are about the records that were created last. */
const listSteps = (provider: string, { payerFields }: Behaviors): readonly (Step | 'pay')[] => {
  const user = { fullName: katherine.fullName, email: katherine.email, taxNumber: 'GB123456789' }
  const link = (invoice: string, payment: object) => ({ invoice, type: provider, [provider]: payment })
  const required = { user: payerFields === 'required' ? user : {} }
  const minimal = { name: 'minimal', sent: 'Only required fields' }
  return [
    { id: 'createUser', ...minimal, received: 'The user, with defaults', body: { email: 'hedy@example.com' } },
    { id: 'createUser', name: 'complete', sent: 'All fields', received: 'The user', body: katherine },
    { id: 'listUsers', name: 'all', received: 'A batch of users' },
    {
      id: 'searchUsers',
      name: 'found',
      sent: 'An email',
      received: 'The matching users',
      body: { email: katherine.email },
    },
    { id: 'retrieveUser', name: 'found', received: 'The user' },
    {
      id: 'updateUser',
      name: 'change',
      sent: 'A new locale and another metadata key',
      received: 'The updated user',
      body: { metadata: { plan: 'family' }, preferredLocale: 'pt-BR' },
    },
    { id: 'deleteUser', name: 'deleted', received: 'The deleted user' },
    { id: 'createPaymentLink', ...minimal, received: 'The payment link', body: link('inv_100', required) },
    { id: 'cancelPaymentLink', name: 'canceled', received: 'The canceled payment link' },
    {
      id: 'createPaymentLink',
      name: 'complete',
      sent: 'With the payer and a redirect',
      received: 'The payment link, without the payer',
      body: link('inv_101', { user, redirectUrl: 'https://shop.example/done' }),
    },
    { id: 'listPaymentLinks', name: 'all', received: 'A batch of payment links' },
    { id: 'retrievePaymentLink', name: 'active', received: 'The payment link' },
    'pay',
    { id: 'retrievePaymentLink', name: 'completed', received: 'The payment link after a payment' },
  ]
}

export type OperationExamples = { [K in 'requests' | 'responses']: Record<string, Examples[string]> }

/** Returns the examples of each operation. The responses are those of a mock with these behaviors. */
export const createExamples = (operations: readonly Operation[], provider: string, behaviors: Behaviors) => {
  const clock = { mode: 'stepping', now: '2025-01-01T12:00:00.000Z', step: 60_000 } as const
  const seed = { projects: { acme: { invoices: ['inv_100', 'inv_101'] } } }
  const store = createStore({ initial: createInitialState({ seed, behaviors, clock }), systemNow: () => 0 })
  const payUrl = 'http://127.0.0.1:4600/pay/acme'
  const examples = new Map<string, OperationExamples>()
  const ids = { user: '', paymentLink: '' }
  for (const step of listSteps(provider, behaviors)) {
    if (step === 'pay') {
      store.update('acme', (tx) => completePaymentLink(tx, ids.paymentLink))
      continue
    }
    const { id, name, sent, received, body } = step
    const operation = operations.find((one) => one.id === id)!
    const input = { params: ids, query: operation.query?.parse({}), body: operation.body?.parse(body) }
    const result = store.update('acme', (tx) => operation.handle(tx, { ...input, headersOnly: false }))
    const value = JSON.parse(operation.view(result, { ...behaviors, provider, payUrl }))
    if (operation.creates) ids[value.object as keyof typeof ids] = value.id
    const own = examples.get(id) ?? { requests: {}, responses: {} }
    examples.set(id, own)
    if (sent !== undefined) own.requests[name] = { summary: sent, value: body }
    own.responses[name] = { summary: received, value }
  }
  return examples
}
