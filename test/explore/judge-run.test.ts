import { describe, expect, it } from 'vitest'
import { getNamedEffects } from '../../src/explore/effects/effect-names.ts'
import { getSubjectKey, type RecordsByProject } from '../../src/explore/customers.ts'
import type { ProgramRun, VerdictOptions } from '../../src/explore/programs/program-types.ts'
import type { ActorCall, Step } from '../../src/explore/steps.ts'
import { compareRecords, listExcess, raisePeaks } from '../../src/explore/programs/compare-records.ts'
import { type Baseline, judgeRun } from '../../src/explore/programs/judge-run.ts'
import {
  requireCalls,
  requireEnd,
  requireSameRuns,
  requireSuccess,
} from '../../src/explore/programs/require-searchable.ts'
import { createMock } from '../../src/index.ts'

const success = { name: '', exitCode: 0, signal: null, isTimedOut: false, output: [], escaped: [] }
const finished: ProgramRun = {
  ends: [success],
  firstRequests: new Map(),
  check: undefined,
  steps: [],
  requests: [],
  events: [],
  hasTooManyCalls: false,
  arrivals: new Map(),
  touched: new Set(),
  projects: {},
  isComplete: true,
  notTried: undefined,
}
const options = {
  effects: getNamedEffects('effects', ['paid', 'reset']),
  mustSucceed: [],
  maxCalls: 10,
  timeout: 1500,
  variables: ['BASE_URL'],
  basePath: '',
  payAfterReads: undefined,
  allowRest: false,
  services: new Map(),
  reset: undefined,
} as const
const judge = (run: Partial<ProgramRun>, baseline: Partial<Baseline> = {}, given: Partial<VerdictOptions> = {}) =>
  judgeRun({ ...finished, ...run }, { states: [{}], peaks: new Map(), ...baseline }, { ...options, ...given }).error

/** The steps of a run, by their requests. */
const toSteps = (requests: readonly string[], fault?: Step['fault']): Step[] =>
  requests.map((request) => {
    const call: Partial<ActorCall> = { describe: () => request, getOperation: () => 'listUsers' }
    return { actor: '', call, fault } as Step
  })
const compare = (first: readonly string[], second: readonly string[], reset?: VerdictOptions['reset']) => () =>
  requireSameRuns({ ...finished, steps: toSteps(first) }, { ...finished, steps: toSteps(second) }, { reset })

it('judges the end of the program and that of the check, with a line each', () => {
  const late = { ...success, exitCode: null, signal: 'SIGKILL', isTimedOut: true }
  expect(judge({})).toBeNull()
  expect(judge({ ends: [late] })).toBe('The program does not end in 1.5 s.')
  const check = { ...success, exitCode: 2, output: ['no'] }
  expect(judge({ ends: [late], check })).toBe('The program does not end in 1.5 s.\nThe check exits with 2.\nno')
  expect(judge({ check: late })).toBe('The check does not end in 1.5 s.')
})

it('names all programs that failed', () => {
  const ends = ['a', 'b'].map((name) => ({ ...success, name, exitCode: 1 }))
  const link = { invoice: 'inv_7', status: 'active' as const }
  const who = 'Program a exits with 1, and program b exits with 1'
  const message = `${who}, and together they did something twice: 1 payment link of inv_7 instead of 0.`
  expect(judge({ ends, projects: { acme: { paymentLinks: [link] } } })).toBe(message)
  const steps = toSteps(['GET /users'], { phase: 'after', effect: 'reset' })
  expect(judge({ ends, steps }, {}, { mustSucceed: ['reset'] })).toBe(`${who}, but they must succeed under reset.`)
})

it('leaves ids of the mock aside, and compares those of the program', () => {
  const toUsers = (customer: string): RecordsByProject => ({
    acme: { users: [{ email: 'a@b.c', metadata: { customer } }] },
  })
  const idOfMock = `usr_${'x'.repeat(28)}`
  const judgeChange = (from: string, to: string) => judge({ projects: toUsers(to) }, { states: [toUsers(from)] })
  expect(judgeChange(idOfMock, idOfMock.replaceAll('x', 'y'))).toBeNull()
  expect(judgeChange('usr_17', 'usr_99')).toContain(`'{"customer":"usr_99"}' instead of '{"customer":"usr_17"}'`)
})

it('counts how often two undisturbed runs send the same request', () => {
  expect(compare(['GET /a', 'GET /b', 'GET /a'], ['GET /a', 'GET /a', 'GET /b'])).not.toThrow()
  expect(compare(['GET /a', 'GET /a'], ['GET /a'])).toThrow('only the first run sends GET /a.')
  expect(compare(['GET /a'], ['GET /a', 'GET /a'])).toThrow('only the second run sends GET /a.')
  const message = 'the first run sends GET /a, and the second run GET /b.'
  expect(compare(['GET /a', 'GET /a'], ['GET /a', 'GET /b'])).toThrow(message)
})

it('says that a second run calls nothing', () => {
  expect(compare(['GET /a', 'GET /b'], [])).toThrow(
    /: the second run calls nothing, and the first sends GET \/a\. What the first run did is probably kept, .* --reset 'rm -f shop\.db'/,
  )
  const start = () => {
    throw new Error('starts nothing')
  }
  const message = ': see that --reset deletes all of it, in the directory of the search.'
  expect(compare(['GET /a'], [], start)).toThrow(message)
})

it('shortens a long request', () => {
  const message = /only the first run sends GET \/x{295}\.\.\.\. What the first run did/
  expect(compare(['GET /a', `GET /${'x'.repeat(1000)}`], ['GET /a'])).toThrow(message)
})

it.each<[what: string, run: Partial<ProgramRun>, message: string]>([
  ['makes too many calls', { hasTooManyCalls: true }, 'sends more than 10 calls without a fault. Raise --max-calls.'],
  [
    'does not end',
    { ends: [{ ...success, isTimedOut: true }], isListening: false },
    'does not end in 1.5 s without a fault. Raise --timeout. If it waits for a payment, use --pay-after-reads 3.',
  ],
  ['fails', { ends: [{ ...success, exitCode: 3 }] }, 'exits with 3 without a fault.'],
  [
    'calls nothing',
    { steps: [] },
    "calls nothing. It must read the address of the service from BASE_URL or API_URL (Vitest overwrites BASE_URL). If it keeps what an earlier search did, delete that before each run, as with --reset 'rm -f shop.db'.",
  ],
  [
    'fails before its first call',
    { steps: [], ends: [{ ...success, exitCode: 3 }] },
    'exits with 3 before its first call. The address of the service is in BASE_URL or API_URL (Vitest overwrites BASE_URL).',
  ],
  [
    'calls no operation',
    { steps: [], firstRequests: new Map([['', 'GET /favicon.ico']]) },
    'calls no operation (its first request is GET /favicon.ico). It must read the address of the service from BASE_URL or API_URL (Vitest overwrites BASE_URL).',
  ],
  ['has a check that fails', { check: { ...success, exitCode: 4 } }, 'exits with 4 without a fault.'],
  ['has a check without end', { check: { ...success, isTimedOut: true } }, 'does not end in 1.5 s without a fault.'],
])('rejects a program that %s', (_, run, message) => {
  const undisturbed = { ...finished, steps: toSteps(['GET /users']) }
  const require = (given: Partial<ProgramRun>) =>
    requireSuccess({ ...undisturbed, ...given }, { ...options, variables: ['BASE_URL', 'API_URL'] })
  expect(() => require({ check: success })).not.toThrow()
  expect(() => require(run)).toThrow(`The ${run.check ? 'check' : 'program'} ${message}`)
})

it('names a request that a program sends in a later order only', () => {
  const [first, second] = [new Map(), new Map([['', 'GET /pay']])].map((firstRequests) => ({
    ...finished,
    firstRequests,
  }))
  expect(() => requireCalls([first!, second!], options)).toThrow('calls no operation (its first request is GET /pay).')
})

it('counts the calls of all programs', () => {
  const run = { ...finished, hasTooManyCalls: true, ends: ['a', 'b'].map((name) => ({ ...success, name })) }
  const message = 'The programs together send more than 10 calls when a runs first. Raise'
  expect(() => requireEnd(run, options)).toThrow(message)
})

describe('a run with a customer fails', () => {
  const link = (status: 'active' | 'completed' | 'canceled') => ({ invoice: 'inv_7', status })
  const acme = (...paymentLinks: ReturnType<typeof link>[]) => ({ acme: { paymentLinks } })
  const steps = toSteps(['GET /users'], { phase: 'before', effect: 'paid' })
  const states = [acme(link('active'))]
  const touched = new Set([getSubjectKey('acme', 'inv_7')])

  it('if a paid invoice still has a link to pay, unless that is allowed', () => {
    const run = { steps, touched, projects: acme(link('completed'), link('active')) }
    expect(judge(run, { states })).toBe('inv_7 is paid, and still has a link to pay.')
    expect(judge(run, { states }, { allowRest: true })).toBeNull()
    // Without a fault it has several links too.
    expect(judge(run, { states: [acme(link('active'), link('active'))] })).toBeNull()
  })

  it('if an invoice is paid twice', () => {
    const run = { steps, touched, projects: acme(link('completed'), link('completed')) }
    expect(judge(run, { states }, { allowRest: true })).toBe('inv_7 is paid twice.')
  })

  it('not if only the records of what the customer touched differ from those of the run without a fault', () => {
    expect(judge({ steps, touched, projects: acme(link('completed'), link('canceled')) }, { states })).toBeNull()
    expect(judge({ steps, touched, projects: {} }, { states })).toBeNull()
  })

  it('if other work is lost', () => {
    const others = new Set([getSubjectKey('acme', 'inv_8')])
    const message = 'The program exits with 0, but its records differ: 0 payment links of inv_7 instead of 1.'
    expect(judge({ steps, touched: others, projects: {} }, { states })).toBe(message)
  })

  it('if the program fails, and did something twice', () => {
    const run = { steps, projects: acme(link('active'), link('active')), ends: [{ ...success, exitCode: 1 }] }
    const error = 'The program exits with 1, and did something twice: 2 payment links of inv_7 instead of 0.'
    expect(judge(run, { states })).toBe(error)
  })
})

// Records that differ, and those that are in excess.

const createdAt = '2025-01-01T00:00:00.000Z'
const ada = { id: 'usr_1', email: 'ada@example.com', createdAt, fullName: 'Ada' }
const link = { id: 'pml_1', invoice: 'inv_7', status: 'active' as const, createdAt }
const acme = (project: RecordsByProject[string]): RecordsByProject => ({ acme: project })
const same = { differences: [], canceled: [] }

describe('records are the same', () => {
  it('in two states of the same calls with other ids and times', async () => {
    const states = await Promise.all(
      ['one', 'two'].map(async (idSeed, day) => {
        await using mock = createMock({ idSeed, clock: `2025-01-0${day + 1}T00:00:00Z` })
        const project = mock.project('acme')
        const { id } = await project.users.create({ email: 'ada@example.com' })
        const paid = await project.paymentLinks.create({ invoice: 'inv_7' })
        await project.paymentLinks.pay(paid.id)
        await project.users.patch(id, { metadata: { link: paid.id, at: new Date().toISOString() } })
        return (await mock.state.get()).projects!
      }),
    )
    expect(states[0]).not.toEqual(states[1])
    expect(compareRecords(states[0]!, states[1]!)).toEqual(same)
  })

  it('in any order, with fields in any order', () => {
    const bo = { email: 'bo@example.com', metadata: { a: 1, b: 2 } }
    const reordered = acme({ users: [{ ...bo, metadata: { b: 2, a: 1 } }, ada] })
    expect(compareRecords(acme({ users: [ada, bo] }), reordered)).toEqual(same)
  })
})

describe('a difference is', () => {
  const second = { ...link, id: 'pml_2' }
  const one = acme({ paymentLinks: [link] })
  const users = acme({ users: [ada] })
  const canceled = { ...link, status: 'canceled' as const }
  const toOtherLink = expect.stringMatching(
    /^metadata of the user with ada@example\.com is .*inv_8.* instead of .*inv_7/,
  )
  const referring = (id: string) =>
    acme({ users: [{ ...ada, metadata: { link: id } }], paymentLinks: [link, { ...second, invoice: 'inv_8' }] })
  const differing = (...differences: string[]) => ({ differences })
  it.each<[what: string, expected: RecordsByProject, actual: RecordsByProject, found: object]>([
    ['an added link', one, acme({ paymentLinks: [link, second] }), differing('2 payment links of inv_7 instead of 1')],
    ['a missing user', users, {}, differing('0 users with ada@example.com instead of 1')],
    [
      'a user with another email, who is not one more',
      users,
      acme({ users: [{ ...ada, email: 'bo@example.com' }] }),
      differing('0 users with ada@example.com instead of 1', '1 user with bo@example.com instead of 0'),
    ],
    [
      'another status',
      one,
      acme({ paymentLinks: [{ ...link, status: 'completed' }] }),
      differing("status of the payment link of inv_7 is 'completed' instead of 'active'"),
    ],
    [
      'a canceled link instead of an active one',
      one,
      acme({ paymentLinks: [canceled] }),
      {
        differences: ['0 payment links of inv_7 instead of 1'],
        canceled: ['1 canceled payment link of inv_7 instead of 0'],
      },
    ],
    [
      'a canceled link that is missing',
      acme({ paymentLinks: [canceled] }),
      acme({}),
      differing('0 canceled payment links of inv_7 instead of 1'),
    ],
    ['a reference to another record', referring('pml_1'), referring('pml_2'), differing(toOtherLink)],
    [
      'a record of another project, which is named',
      { acme: { users: [ada] }, globex: {} },
      { acme: {}, globex: { users: [ada] } },
      {
        differences: [
          '0 users with ada@example.com in acme instead of 1',
          '1 user with ada@example.com in globex instead of 0',
        ],
      },
    ],
  ])('%s', (_, expected, actual, found) => {
    expect(compareRecords(expected, actual)).toEqual({ ...same, ...found })
  })

  it('no other number of canceled links, if that is left aside', () => {
    const canceledLinks = acme({ paymentLinks: [canceled, canceled] })
    const none = acme({ paymentLinks: [] })
    expect(compareRecords(canceledLinks, none, { countsCanceled: false }).differences).toEqual([])
    expect(compareRecords(none, canceledLinks, { countsCanceled: false }).differences).toEqual([])
    expect(compareRecords(canceledLinks, none).differences).toHaveLength(1)
  })

  it('no additional canceled link, which is listed', () => {
    const found = compareRecords(one, acme({ paymentLinks: [link, { ...second, status: 'canceled' }] }))
    expect(found).toEqual({ ...same, canceled: ['1 canceled payment link of inv_7 instead of 0'] })
  })
})

describe('an excess is', () => {
  const canceled = { ...link, status: 'canceled' as const }
  const listAfter = (states: readonly RecordsByProject[], end: RecordsByProject) => {
    const peaks = new Map<string, number>()
    for (const state of states) raisePeaks(peaks, state)
    return listExcess(peaks, end)
  }

  it('a second link of an invoice, even if another one is missing', () => {
    const expected = acme({ paymentLinks: [link, { ...link, invoice: 'inv_8' }] })
    const excess = ['2 payment links of inv_7 instead of 1']
    expect(listAfter([expected], acme({ paymentLinks: [link, link] }))).toEqual(excess)
  })

  it('no link that would be canceled later, and no user that would be deleted', () => {
    const during = acme({ users: [ada], paymentLinks: [link] })
    expect(listAfter([during, acme({ paymentLinks: [canceled] })], during)).toEqual([])
  })

  it('no canceled link', () => {
    expect(listAfter([acme({ paymentLinks: [link] })], acme({ paymentLinks: [link, canceled] }))).toEqual([])
  })

  it('named with its project if there are several', () => {
    const excess = ['1 user with ada@example.com in acme instead of 0']
    expect(listAfter([acme({})], { acme: { users: [ada] }, globex: {} })).toEqual(excess)
  })
})

it('keeps texts that JSON escapes', () => {
  const other = { users: [ada], paymentLinks: [{ ...link, invoice: '"7"' }] }
  const withQuotes = acme({ ...other, users: [{ ...ada, metadata: { link: 'pml_1' } }] })
  expect(compareRecords(withQuotes, acme(other)).differences).toHaveLength(1)
})
