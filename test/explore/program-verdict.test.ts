import { describe, expect, it } from 'vitest'
import type { ProgramRun } from '../../src/extensions/explore/programs/program-types.ts'
import type { ActorCall, Step } from '../../src/extensions/explore/steps.ts'
import {
  type Baseline,
  judgeRun,
  requireSameRuns,
  requireSuccess,
  type VerdictOptions,
} from '../../src/extensions/explore/programs/program-verdict.ts'

const success = { name: '', exitCode: 0, signal: null, isTimedOut: false, output: [], escaped: [] }
const finished: ProgramRun = {
  ends: [success],
  check: undefined,
  steps: [],
  requests: [],
  events: [],
  firstRequest: undefined,
  hasTooManyCalls: false,
  projects: {},
  isComplete: true,
  notTried: undefined,
  isWorthRepeating: false,
}
const options = {
  effects: { paid: 'paid', reset: { connection: 'reset' } },
  mustSucceed: [],
  maxCalls: 10,
  timeout: 1500,
  variables: ['BASE_URL'],
  allowRest: false,
} as const
const judge = (run: Partial<ProgramRun>, baseline: Partial<Baseline> = {}, given: Partial<VerdictOptions> = {}) =>
  judgeRun({ ...finished, ...run }, { states: [{}], peaks: new Map(), ...baseline }, { ...options, ...given }).error

/** The steps of a run, by their requests. */
const toSteps = (requests: readonly string[], fault?: Step['fault']): Step[] =>
  requests.map((request) => {
    const call: Partial<ActorCall> = { describe: () => request, getOperation: () => 'listUsers' }
    return { actor: '', call, fault } as Step
  })
const compare = (first: readonly string[], second: readonly string[]) => () =>
  requireSameRuns({ ...finished, steps: toSteps(first) }, { ...finished, steps: toSteps(second) })

it('judges the end of the program and that of the check, with a line each', () => {
  const late = { ...success, exitCode: null, signal: 'SIGKILL', isTimedOut: true }
  expect(judge({})).toBeNull()
  expect(judge({ ends: [late] })).toBe('The program does not end in 1.5 s.')
  expect(judge({ ends: [late], check: { ...success, exitCode: 2, output: ['no'] } })).toBe(
    'The program does not end in 1.5 s.\nThe check exits with 2.\nno',
  )
  expect(judge({ check: late })).toBe('The check does not end in 1.5 s.')
})

it('counts how often two undisturbed runs send the same request', () => {
  expect(compare(['GET /a', 'GET /b', 'GET /a'], ['GET /a', 'GET /a', 'GET /b'])).not.toThrow()
  expect(compare(['GET /a', 'GET /a'], ['GET /a'])).toThrow('only the first run sends GET /a.')
  expect(compare(['GET /a'], ['GET /a', 'GET /a'])).toThrow('only the second run sends GET /a.')
  expect(compare(['GET /a', 'GET /a'], ['GET /a', 'GET /b'])).toThrow(
    'the first run sends GET /a, and the second run GET /b.',
  )
})

it('shortens a long request', () => {
  expect(compare([`GET /${'x'.repeat(1000)}`], [])).toThrow(
    /only the first run sends GET \/x{295}\.\.\.\. Usual causes/,
  )
})

it.each<[what: string, run: Partial<ProgramRun>, message: string]>([
  ['makes too many calls', { hasTooManyCalls: true }, 'sends more than 10 calls without a fault. Raise --max-calls.'],
  [
    'does not end',
    { ends: [{ ...success, isTimedOut: true }] },
    'does not end in 1.5 s without a fault. Raise --timeout. If a program waits for a payment, use --pay-after-reads.',
  ],
  ['fails', { ends: [{ ...success, exitCode: 3 }] }, 'exits with 3 without a fault.'],
  ['calls nothing', { steps: [] }, 'calls nothing. It must read the address of the service from BASE_URL or API_URL.'],
  [
    'calls nothing and fails',
    { steps: [], ends: [{ ...success, exitCode: 3 }] },
    'calls nothing, and exits with 3. It must read the address of the service from BASE_URL or API_URL.',
  ],
  [
    'calls no operation',
    { steps: [], firstRequest: 'GET /favicon.ico' },
    'calls no operation (its first request is GET /favicon.ico). It must read the address of the service from BASE_URL or API_URL.',
  ],
  ['has a check that fails', { check: { ...success, exitCode: 4 } }, 'exits with 4 without a fault.'],
  [
    'has a check that does not end',
    { check: { ...success, isTimedOut: true } },
    'does not end in 1.5 s without a fault.',
  ],
])('rejects a program that %s', (_, run, message) => {
  const require = (given: Partial<ProgramRun>) =>
    requireSuccess(
      { ...finished, steps: toSteps(['GET /users']), ...given },
      { ...options, variables: ['BASE_URL', 'API_URL'] },
    )
  expect(() => require({ check: success })).not.toThrow()
  expect(() => require(run)).toThrow(`The ${run.check ? 'check' : 'program'} ${message}`)
})

describe('a run with a customer fails', () => {
  const link = (status: 'active' | 'completed' | 'canceled') => ({ invoice: 'inv_7', status })
  const acme = (...paymentLinks: ReturnType<typeof link>[]) => ({ acme: { paymentLinks } })
  const steps = toSteps(['GET /users'], { phase: 'before', effect: 'paid' })
  const states = [acme(link('active'))]

  it('if a paid invoice still has a link to pay, unless that is allowed', () => {
    const run = { steps, projects: acme(link('completed'), link('active')) }
    expect(judge(run, { states })).toBe('inv_7 is paid, and still has a link to pay.')
    expect(judge(run, { states }, { allowRest: true })).toBeNull()
    // Without a fault it has several links too.
    expect(judge(run, { states: [acme(link('active'), link('active'))] })).toBeNull()
  })

  it('if an invoice is paid twice', () => {
    const run = { steps, projects: acme(link('completed'), link('completed')) }
    expect(judge(run, { states }, { allowRest: true })).toBe('inv_7 is paid twice.')
  })

  it('not if its records only differ from those of the run without a fault', () => {
    expect(judge({ steps, projects: acme(link('completed'), link('canceled')) }, { states })).toBeNull()
    expect(judge({ steps, projects: {} }, { states })).toBeNull()
  })

  it('if the program fails, and did something twice', () => {
    const run = { steps, projects: acme(link('active'), link('active')), ends: [{ ...success, exitCode: 1 }] }
    expect(judge(run, { states })).toBe(
      'The program exits with 1, and did something twice: 2 payment links of inv_7 instead of 0.',
    )
  })
})
