import { expect } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import type { MockOptions } from '../../../../src/node/index.ts'
import { type ObjectStorage, paylinkWorker, type ProjectObject } from '../../../../src/worker/index.ts'

export const baseUrl = 'https://mock.example.workers.dev'

/** Storage as the platform has it, and what was done to it. */
export const createStorage = () => {
  const kept = new Map<string, string>()
  let written = 0
  const failing = new Set<keyof ObjectStorage>()
  const failOnce = (call: keyof ObjectStorage) => {
    if (failing.delete(call)) throw new Error(`The storage failed to ${call}.`)
  }
  const storage: ObjectStorage = {
    list: async ({ prefix }) => {
      failOnce('list')
      return new Map([...kept].filter(([key]) => key.startsWith(prefix)).toSorted())
    },
    put: async (entries) => {
      failOnce('put')
      expect(Object.keys(entries).length).toBeLessThanOrEqual(128)
      for (const [key, value] of Object.entries(entries)) {
        expect(new TextEncoder().encode(value).length).toBeLessThanOrEqual(128 * 1024)
        kept.set(key, value)
        written += value.length
      }
    },
    delete: async (keys) => {
      expect(keys.length).toBeLessThanOrEqual(128)
      return keys.filter((key) => kept.delete(key)).length
    },
  }
  /** Changes what is stored, as a defect or another version of the mock would. */
  const spoil = (change: (value: string) => string) => {
    const before = new Map(kept)
    for (const [key, value] of before) kept.set(key, change(value))
    expect(kept).not.toEqual(before)
  }
  /** How many characters are stored, and how many were written so far. */
  const sizes = () => ({ stored: [...kept.values()].join('').length, written })
  return { storage, kept, sizes, spoil, fail: (call: keyof ObjectStorage) => void failing.add(call) }
}

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
    if (!awake.has(name)) awake.set(name, new worker.Project(storeOf(name)))
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
