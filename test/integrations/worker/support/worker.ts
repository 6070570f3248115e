import sqlite from 'node-sqlite3-wasm'
import { expect } from 'vitest'
import { connect } from '../../../../src/core/client/index.ts'
import type { MockOptions } from '../../../../src/node/index.ts'
import { type ObjectStorage, paylinkWorker, type ProjectObject } from '../../../../src/worker/index.ts'

export const baseUrl = 'https://mock.example.workers.dev'

/** The SQLite storage of an object: as on the platform, the writes between two `await` are one transaction. */
export const createStorage = () => {
  const database = new sqlite.Database()
  let written = 0
  let failing: { readonly query: RegExp; left: number } | undefined
  const commit = () => {
    if (database.inTransaction) database.exec('COMMIT')
  }
  const storage: ObjectStorage = {
    sql: {
      exec: (query, ...bindings) => {
        if (failing?.query.test(query) && --failing.left === 0) {
          failing = undefined
          throw new Error('The storage failed.')
        }
        if (query.startsWith('SELECT')) {
          const rows = database.all(query, bindings)
          return { toArray: () => rows }
        }
        if (!database.inTransaction) {
          database.exec('BEGIN')
          queueMicrotask(commit)
        }
        const { changes } = database.run(query, bindings)
        for (const text of bindings) expect(Buffer.byteLength(`${text}`)).toBeLessThan(2 * 1024 * 1024)
        if (!query.startsWith('CREATE')) written += changes
        return { toArray: () => [] }
      },
    },
  }
  const texts = () => {
    const [table] = database.all("SELECT name FROM sqlite_master WHERE name = 'texts'")
    return table === undefined ? [] : (database.all('SELECT * FROM texts') as any[])
  }
  return {
    storage,
    /** All stored values, by key. */
    kept: () => new Map(texts().map(({ scope, name, piece, text }) => [`${scope} ${name} ${piece}`, text])),
    /** The number of rows written so far. */
    written: () => written,
    /** Changes what is stored, as a defect or another version of the mock would. */
    spoil: (change: (value: string, scope: string) => string) => {
      const before = texts()
      for (const { scope, name, piece, text } of before)
        database.run('UPDATE texts SET text = ? WHERE scope = ? AND name = ? AND piece = ?', [
          change(text, scope),
          scope,
          name,
          piece,
        ])
      expect(texts()).not.toEqual(before)
    },
    /** Lets a statement fail: the next one that matches, or a later one. */
    fail: (query: RegExp, nth = 1) => void (failing = { query, left: nth }),
    /** Undoes the writes that were not committed yet. */
    rollBack: () => {
      if (database.inTransaction) database.exec('ROLLBACK')
    },
  }
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
  return { call, admin, acme: admin.project('acme'), storeOf, stores, sleep, deploy }
}
