import { fileURLToPath } from 'node:url'
import { interleaveJson } from '../../cli/support/programs.ts'
import type { SearchPrograms } from './two-ways.ts'

const file = fileURLToPath(new URL('drawn-program.js', import.meta.url))

/** Searches the orders of drawn programs that run as processes. */
export const interleaveProcesses: SearchPrograms = (programs, { behaviors = {} }) =>
  interleaveJson(
    programs.map((program) => [process.execPath, file, JSON.stringify(program)]),
    Object.entries(behaviors).flatMap(([key, value]) => ['--behavior', `${key}=${value}`]),
  )
