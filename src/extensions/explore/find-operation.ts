import { type OperationId, operationIds, operationRoutes } from '../../schema/operation-routes.ts'

const patterns = operationIds.map((id) => {
  const { method, path } = operationRoutes[id]
  return { id, method, pattern: new RegExp(`${path.replace(/\{\w+\}/g, '[^/]+')}$`) }
})

/** Finds the operation of a call that the mock has not handled. The path may have a base path and a query. */
export const findOperation = (method: string, path: string): OperationId | undefined => {
  const [pathname = ''] = path.split('?')
  return patterns.find(({ method: of, pattern }) => of === method.replace('HEAD', 'GET') && pattern.test(pathname))?.id
}
