import { expect, it } from 'vitest'
import type { FinishedProgram } from '../../src/extensions/explore/programs/program-run.ts'
import { judgeRun, requireSameRuns, requireSuccess } from '../../src/extensions/explore/programs/program-verdict.ts'

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

it.each<[what: string, run: Partial<FinishedProgram>, message: string]>([
  ['makes too many calls', { hasTooManyCalls: true }, 'sends more than 10 calls without a fault. Raise --max-calls.'],
  [
    'does not end',
    { end: { ...success, isTimedOut: true } },
    'does not end in 1.5 s without a fault. Raise --timeout.',
  ],
  ['fails', { end: { ...success, exitCode: 3 } }, 'exits with 3 without a fault.'],
  ['calls nothing', { calls: [] }, 'calls nothing. It must read the address of the service from BASE_URL or API_URL.'],
  [
    'calls nothing and fails',
    { calls: [], end: { ...success, exitCode: 3 } },
    'calls nothing, and exits with 3. It must read the address of the service from BASE_URL or API_URL.',
  ],
  [
    'calls no operation',
    { calls: [{ operation: undefined }], firstRequest: 'GET /favicon.ico' } as never,
    'calls no operation (its first request is GET /favicon.ico). It must read the address of the service from BASE_URL or API_URL.',
  ],
  ['has a check that fails', { check: { ...success, exitCode: 4 } }, 'exits with 4 without a fault.'],
  [
    'has a check that does not end',
    { check: { ...success, isTimedOut: true } },
    'does not end in 1.5 s without a fault.',
  ],
])('rejects a program that %s', (_, run, message) => {
  const calls = [{ operation: undefined }, { operation: 'listUsers' }] as never
  const require = (given: Partial<FinishedProgram>) =>
    requireSuccess({ ...finished, calls, ...given }, { ...options, variables: ['BASE_URL', 'API_URL'] })
  expect(() => require({ check: success })).not.toThrow()
  expect(() => require(run)).toThrow(`The ${run.check ? 'check' : 'program'} ${message}`)
})
