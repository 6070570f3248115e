// A setup file: notes what ran in the sources while a test file ran, in this process and in others.
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { hitsFile } from './coverage.js'

const root = new URL('../../../', import.meta.url).pathname
const file = join(root, hitsFile)

const take = (by: string) => {
  const hits = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  appendFileSync(`${file}.json`, `${JSON.stringify({ by, hits })}\n`)
  rmSync(file, { force: true })
  ;(globalThis as { __hits?: Set<string> }).__hits?.clear()
}

// Modules stay loaded from file to file: only the first one runs what loading them runs.
beforeAll(() => take(''))
afterAll(() => take(expect.getState().testPath!.slice(root.length)))
