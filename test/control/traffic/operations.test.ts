import { expect, it } from 'vitest'
import { createOperations } from '../../../src/api/operations.ts'
import { operationRoutes } from '../../../src/schema/operation-routes.ts'

it('faults and verifications match the same operations as the router', () => {
  const routed = createOperations('partner')
  expect(Object.fromEntries(routed.map(({ id, method, path }) => [id, { method, path }]))).toEqual(operationRoutes)
})
