/** The part of a Durable Object's storage that is used: SQLite. */
export interface ObjectStorage {
  readonly sql: {
    exec(query: string, ...bindings: (string | number)[]): { toArray(): object[] }
  }
}

/** A stored text. */
export interface StoredRow {
  /** Has no space. */
  readonly kind: string
  readonly id: string
  readonly text: string
}

/** Texts by kind and by id. */
export type Texts = ReadonlyMap<string, ReadonlyMap<string, string>>

/**
 * The rows that a Durable Object has stored, by scope. It is synchronous: the platform stores the writes between two `await`
 * all together or not at all.
 */
export interface Storage {
  read(scope: string): Texts
  write(scope: string, row: StoredRow): void
  clear(scope: string): void
}

/** The length of a text in a row, in code points. A row has at most 2 MB, a code point four bytes. */
const maxLength = 400_000

const pieces = new RegExp(`[^]{1,${maxLength}}`, 'gu')

export const createStorage = ({ sql }: ObjectStorage): Storage => {
  // The first write creates the table, so that a request to an unknown project stores nothing.
  let hasTable = sql.exec("SELECT name FROM sqlite_master WHERE name = 'texts'").toArray().length > 0
  // The names with more than one row. A shorter text must not leave the other rows.
  const long = new Set<string>()

  return {
    read: (scope) => {
      const texts = new Map<string, Map<string, string>>()
      if (!hasTable) return texts
      const rows = sql.exec('SELECT name, piece, text FROM texts WHERE scope = ? ORDER BY name, piece', scope).toArray()
      for (const { name, piece, text } of rows as { name: string; piece: number; text: string }[]) {
        const end = name.indexOf(' ')
        const [kind, id] = [name.slice(0, end), name.slice(end + 1)]
        const ofKind = texts.get(kind) ?? new Map<string, string>()
        texts.set(kind, ofKind.set(id, (ofKind.get(id) ?? '') + text))
        if (piece > 0) long.add(name)
      }
      return texts
    },
    write: (scope, row) => {
      if (!hasTable) sql.exec(createTable)
      hasTable = true
      const name = `${row.kind} ${row.id}`
      if (long.has(name)) sql.exec('DELETE FROM texts WHERE scope = ? AND name = ?', scope, name)
      for (const [piece, text] of splitText(row.text).entries()) {
        sql.exec(
          'INSERT OR REPLACE INTO texts (scope, name, piece, text) VALUES (?, ?, ?, ?)',
          scope,
          name,
          piece,
          text,
        )
        if (piece > 0) long.add(name)
      }
    },
    clear: (scope) => {
      if (hasTable) sql.exec('DELETE FROM texts WHERE scope = ?', scope)
    },
  }
}

// Without row ids the key is the table, so that a text is one row.
const createTable =
  'CREATE TABLE texts (scope TEXT, name TEXT, piece INTEGER, text TEXT, PRIMARY KEY (scope, name, piece)) WITHOUT ROWID'

// In code points: half a character cannot be stored.
const splitText = (text: string): readonly string[] => (text.length > maxLength ? text.match(pieces)! : [text])
