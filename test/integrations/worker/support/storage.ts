import sqlite from 'node-sqlite3-wasm'
import { expect } from 'vitest'
import type { ObjectStorage } from '../../../../src/extensions/worker/index.ts'

interface Text {
  readonly scope: string
  readonly name: string
  readonly piece: number
  readonly text: string
}

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
    return table === undefined ? [] : (database.all('SELECT * FROM texts') as unknown as Text[])
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
