import { type Operation } from './operation.ts'
import { createPaymentLinkOperations } from './payment-link-operations.ts'
import { userOperations } from './user-operations.ts'

/** Creates the operations of spec §4, with the name of the provider in the mocked API. */
export const createOperations = (provider: string): readonly Operation[] => [
  ...userOperations,
  ...createPaymentLinkOperations(provider),
]
