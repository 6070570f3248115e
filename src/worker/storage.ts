// The rows that a Durable Object stores: texts, by scope, kind and id.
import type * as z from 'zod/mini'

/** The rows that a statement returned. */
interface SqlRows {
  /** Returns all rows. */
  toArray(): object[]
}

/** The part of a Durable Object's storage that is used: SQLite. */
export interface ObjectStorage {
  /** The SQL interface. */
  readonly sql: {
    /** Runs a statement, and returns a cursor over its rows. */
    exec(query: string, ...bindings: (string | number)[]): SqlRows
  }
}

export interface Row {
  /** Has no space. */
  readonly kind: string
  readonly id?: string
  /** Stored as JSON. */
  readonly value: unknown
}

/** Values by kind and by id, as JSON. */
export type Texts = ReadonlyMap<string, ReadonlyMap<string, string>>

export type Storage = ReturnType<typeof createStorage>

/** The length of a text in a row, in code points. A row has at most 2 MB, a code point four bytes. */
const maxPieceLength = 400_000

const textPieces = new RegExp(`[^]{1,${maxPieceLength}}`, 'gu')

// Without row ids the key is the table, so that a text is one row.
const createTable =
  'CREATE TABLE texts (scope TEXT, name TEXT, piece INTEGER, text TEXT, PRIMARY KEY (scope, name, piece)) WITHOUT ROWID'

/**
 * Creates the storage of rows, by scope. It is synchronous: the platform stores all writes between two `await`, or none
 * of them.
 */
export const createStorage = ({ sql }: ObjectStorage) => {
  // The first write creates the table, so that a request to an unknown project stores nothing.
  let hasTable = sql.exec("SELECT name FROM sqlite_master WHERE name = 'texts'").toArray().length > 0
  // The names with more than one row. A shorter text must not leave the other rows.
  const multiRowNames = new Set<string>()

  const read = (scope: string): Texts => {
    const texts = new Map<string, Map<string, string>>()
    if (!hasTable) return texts
    const rows = sql.exec('SELECT name, piece, text FROM texts WHERE scope = ? ORDER BY name, piece', scope).toArray()
    for (const { name, piece, text } of rows as { name: string; piece: number; text: string }[]) {
      const nameSpace = name.indexOf(' ')
      const [kind, id] = [name.slice(0, nameSpace), name.slice(nameSpace + 1)]
      const textsOfKind = texts.get(kind) ?? new Map<string, string>()
      texts.set(kind, textsOfKind.set(id, (textsOfKind.get(id) ?? '') + text))
      if (piece > 0) multiRowNames.add(name)
    }
    return texts
  }
  const write = (scope: string, rows: readonly Row[]): void => {
    if (!hasTable) sql.exec(createTable)
    hasTable = true
    for (const { kind, id = '', value } of rows) {
      const name = `${kind} ${id}`
      const valueJson = JSON.stringify(value)
      if (multiRowNames.has(name)) sql.exec('DELETE FROM texts WHERE scope = ? AND name = ?', scope, name)
      // In code points: half a character cannot be stored.
      const texts = (valueJson.length > maxPieceLength && valueJson.match(textPieces)) || [valueJson]
      for (const [piece, text] of texts.entries()) {
        const insertStatement = 'INSERT OR REPLACE INTO texts (scope, name, piece, text) VALUES (?, ?, ?, ?)'
        sql.exec(insertStatement, scope, name, piece, text)
        if (piece > 0) multiRowNames.add(name)
      }
    }
  }
  const replace = (scope: string, rows: readonly Row[]): void => {
    if (hasTable) sql.exec('DELETE FROM texts WHERE scope = ?', scope)
    if (rows.length > 0) write(scope, rows)
  }
  return { read, write, replace }
}

/** Parses the only value of a kind. */
export const parseRow = <T>(schema: z.ZodMiniType<T>, texts: Texts, kind: string): T =>
  schema.parse(JSON.parse(texts.get(kind)?.get('') ?? ''))
