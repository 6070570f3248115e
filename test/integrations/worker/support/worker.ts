import { connect } from '../../../../src/client/index.ts'
import type { MockOptions } from '../../../../src/node/index.ts'
import { paylinkWorker, type ProjectObject } from '../../../../src/extensions/worker/index.ts'
import { createStorage } from './storage.ts'

export const baseUrl = 'https://mock.example.workers.dev'

/** A Worker with its objects. `sleep` forgets what is in memory, as the platform does; `deploy` also changes the options. */
export const startWorker = (options?: MockOptions, adminToken: string | undefined = 'secret') => {
  let worker = paylinkWorker(options)
  const stores = new Map<string, ReturnType<typeof createStorage>>()
  const awake = new Map<string, ProjectObject>()
  const storeOf = (name: string) => {
    if (!stores.has(name)) stores.set(name, createStorage())
    return stores.get(name)!
  }
  const objectOf = (name: string) => {
    const { storage, rollBack } = storeOf(name)
    const abort = () => {
      rollBack()
      awake.delete(name)
    }
    if (!awake.has(name)) awake.set(name, new worker.Project({ storage, abort }))
    return awake.get(name)!
  }
  const env = {
    PROJECTS: { idFromName: (name: string) => name, get: (id: never) => objectOf(id) },
    ...(adminToken !== undefined && { PAYLINK_MOCK_ADMIN_TOKEN: adminToken }),
  }
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers({ host: new URL(baseUrl).host, authorization: 'Bearer t', accept: 'application/json' })
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    return worker.fetch(new Request(new URL(path, baseUrl), { ...init, headers }), env)
  }
  const admin = connect(baseUrl, { adminToken: 'secret', fetch: (url, init) => call(url, init) })
  const sleep = () => awake.clear()
  const deploy = (next: MockOptions) => {
    worker = paylinkWorker(next)
    sleep()
  }
  return { call, admin, storeOf, stores, sleep, deploy }
}
