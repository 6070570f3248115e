import { expect, it } from 'vitest'
import { createPaymentLinkOperations } from '../../../src/http/payment-link-operations.ts'
import { userOperations } from '../../../src/http/user-operations.ts'
import { operationRoutes } from '../../../src/schema/operation-routes.ts'

it('faults and verifications match the same operations as the router', () => {
  const routed = [...userOperations, ...createPaymentLinkOperations('partner')]
  expect(Object.fromEntries(routed.map(({ id, method, path }) => [id, { method, path }]))).toEqual(operationRoutes)
})
