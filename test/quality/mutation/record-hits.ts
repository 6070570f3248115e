// A setup file: notes what ran in the sources during each test, in this process and in others.
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { hitsFile } from './coverage.js'

const root = new URL('../../../', import.meta.url).pathname
const file = join(root, hitsFile)

// The runner ends a process that a mutant blocks.
writeFileSync(`${file}.pid`, String(process.pid))
// One failure is enough, and it need not be small.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })

if (process.env.HITS) {
  const global = globalThis as { __hit?: (id: string) => void; __hits?: Set<string> }
  const seen = (global.__hits ??= new Set())
  global.__hit ??= (id) => seen.add(id)

  // `load` is the import of modules, which stay loaded from file to file; `file` is what runs between tests.
  const ids = ['load', 'file']
  const hits = new Map<string, number[]>()
  const take = (id: number) => {
    const ofOthers = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    for (const hit of new Set([...seen, ...ofOthers])) {
      const users = hits.get(hit)
      if (users === undefined) hits.set(hit, [id])
      else if (users.at(-1) !== id) users.push(id)
    }
    seen.clear()
    rmSync(file, { force: true })
  }
  beforeAll(() => take(0))
  beforeEach(() => take(1))
  afterEach(({ task }) => take(ids.push(task.id) - 1))
  afterAll(() => {
    take(1)
    const by = expect.getState().testPath!.slice(root.length)
    appendFileSync(`${file}.json`, `${JSON.stringify({ by, ids, hits: [...hits] })}\n`)
  })
}
