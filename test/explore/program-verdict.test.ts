import { expect, it } from 'vitest'
import type { FinishedProgram } from '../../src/extensions/explore/programs/program-run.ts'
import { judgeRun, requireSameRuns } from '../../src/extensions/explore/programs/program-verdict.ts'

const success = { exitCode: 0, signal: null, isTimedOut: false, output: [] }
const finished: FinishedProgram = {
  end: success,
  check: undefined,
  calls: [],
  requests: [],
  firstRequest: undefined,
  hasTooManyCalls: false,
  projects: {},
  schedule: new Map(),
  applied: 0,
  lastFault: -1,
}
const options = { mustSucceed: [], maxCalls: 10, timeout: 1500, variables: ['BASE_URL'] }
const judge = (run: Partial<FinishedProgram>) =>
  judgeRun({ ...finished, ...run }, { run: finished, peaks: new Map() }, options).error

/** The requests of a run, by their paths. */
const requests = (...paths: string[]) =>
  paths.map((path): FinishedProgram['requests'][number] => ({
    operation: 'listUsers',
    method: 'GET',
    path,
    body: null,
    status: 200,
    response: null,
    time: '2025-01-01T00:00:00.000Z',
    fault: null,
  }))
const compare = (first: readonly string[], second: readonly string[]) => () =>
  requireSameRuns({ ...finished, requests: requests(...first) }, { ...finished, requests: requests(...second) })

it('judges the end of the program and that of the check, with a line each', () => {
  const late = { ...success, exitCode: null, signal: 'SIGKILL', isTimedOut: true }
  expect(judge({})).toBeUndefined()
  expect(judge({ end: late })).toBe('The program does not end in 1.5 s.')
  expect(judge({ end: late, check: { ...success, exitCode: 2, output: ['no'] } })).toBe(
    'The program does not end in 1.5 s.\nThe check exits with 2.\nno',
  )
  expect(judge({ check: late })).toBe('The check does not end in 1.5 s.')
})

it('counts how often two undisturbed runs send the same request', () => {
  expect(compare(['/a', '/b', '/a'], ['/a', '/a', '/b'])).not.toThrow()
  expect(compare(['/a', '/a'], ['/a'])).toThrow('only the first run sends GET /a.')
  expect(compare(['/a'], ['/a', '/a'])).toThrow('only the second run sends GET /a.')
  expect(compare(['/a', '/a'], ['/a', '/b'])).toThrow('the first run sends GET /a, and the second run GET /b.')
})

it('shortens a long request', () => {
  expect(compare([`/${'x'.repeat(1000)}`], [])).toThrow(/only the first run sends GET \/x{295}\.\.\.\. Usual causes/)
})
