import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { explore, exploreJson, script } from './support/programs.ts'

const tempFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-crash-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const schedules = (failures: readonly { replay: string; error: string }[]) =>
  failures.map(({ replay, error }) => [replay, error])
const second = 'The program exits with 0, but its records differ: 2 payment links of inv_77 instead of 1.'

describe('crash', () => {
  it('kills the program before or after a call, and starts it again in the same sandbox', async () => {
    const { code, out } = await explore(script('echo start; create; echo end'), ['--effects', 'crash'])
    expect(code).toBe(1)
    const stable = out.replace(/\d\d:\d\d:\d\d\.\d{3}/g, 'TIME').replace(/pml_\w+/g, 'pml_ID')
    expect(stable.slice(0, stable.indexOf('Repeat it'))).toMatchInlineSnapshot(`
      "The program exits with 0, but its records differ: 2 payment links of inv_77 instead of 1.
      With crash after call 1, createPaymentLink:
      ! 1. TIME  POST /projects/acme/paymentLinks {"invoice":"inv_77","type":"partner","partner":{"user":{}}} -> no response (crash after the operation)
           TIME  the program is killed, and starts again
        2. TIME  POST /projects/acme/paymentLinks {"invoice":"inv_77","type":"partner","partner":{"user":{}}} -> 201 pml_ID active
      The end of its output (exit code 0):
        start
        (killed at call 1, and started again)
        start
        end
      "
    `)
  })

  it('numbers the calls of both processes on', async () => {
    const { failures, notTried } = await exploreJson(script('create && find_links'), [
      '--effects',
      'crash,reset',
      '--faults',
      '2',
    ])
    expect(notTried).toEqual([])
    expect(failures.map(({ replay }) => replay)).toContain('1.before.crash+3.after.crash')
  })

  it('ends all processes of the program, and lists a run whose processes left the group', async () => {
    const file = join(tempFolder(), 'pids')
    const leaving = `setsid sleep 1000 >/dev/null 2>&1 & echo $! >>${file}; sleep 0.1; create`
    const { notTried, exhausted } = await exploreJson(script(leaving), ['--effects', 'crash'])
    expect(exhausted).toBe(false)
    expect(notTried.map(({ why }) => why)).toContainEqual(
      expect.stringMatching(/^a process left the group of the program, and outlived the crash: sleep \(\d+\)$/),
    )
    const pids = readFileSync(file, 'utf8').trim().split('\n').map(Number)
    const isRunning = (pid: number) => readFile(`/proc/${pid}/stat`).match(/^\d+ \(.*\) [^ZX]/s) !== null
    await expect.poll(() => pids.filter(isRunning), { timeout: 10_000 }).toEqual([])
  })

  it('has one time for both processes', async () => {
    const slow =
      'find_links >/dev/null; test -n "$(call "$BASE_URL/__admin/projects/acme/users" | grep ada)" && sleep 1000; call "$BASE_URL/projects/acme/users" -d \'{"email":"ada@example.com"}\''
    const { failures } = await exploreJson(script(slow), ['--effects', 'crash', '--timeout', '2'])
    expect(schedules(failures)).toContainEqual(['2.after.crash', 'The program does not end in 2 s.'])
  })

  it('may be required to be survived', async () => {
    const careless = 'test -z "$(find_links)" || exit 5; create'
    const { failures } = await exploreJson(script(careless), ['--effects', 'crash', '--must-succeed', 'crash'])
    expect(schedules(failures)).toEqual([['2.after.crash', 'The program exits with 5, but must succeed under crash.']])
  })
})

const readFile = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

describe('--reset', () => {
  it('runs before each run, but not between a crash and the restart', async () => {
    const file = join(tempFolder(), 'done')
    const remembers = `test -e ${file} || { create && touch ${file}; }`
    const rejected = await explore(script(`${remembers}; find_links`), ['--effects', 'crash'])
    expect(rejected.err).toMatch(/does not repeat itself: .*--reset 'program' runs before each run/)
    rmSync(file)
    const reset = ['--reset', `rm -f ${file}`]
    const { failures } = await exploreJson(script(remembers), ['--effects', 'crash', ...reset])
    expect(schedules(failures)).toEqual([['1.after.crash', second]])
  })

  it('gets the number and the address of the run, and its calls are not counted', async () => {
    const folder = tempFolder()
    const file = `${folder}/{run}`
    const reset = `sh -c 'echo {url} $BASE_URL >${file}; curl -sf -H "authorization: Bearer any" $BASE_URL/projects/acme/users'`
    const { calls, runs } = await exploreJson(script('create'), ['--reset', reset, '--env', `FILE=${file}`])
    expect({ calls, runs }).toEqual({ calls: 4, runs: 4 })
    expect(readFileSync(join(folder, '4'), 'utf8')).toMatch(/^(http:\S+\/@run-4) \1\n$/)
  })

  it('ends the search if it fails', async () => {
    const { code, err } = await explore(script('create'), ['--reset', "sh -c 'echo no; exit 3'"])
    expect({ code, err }).toEqual({
      code: 1,
      err: 'The program of --reset exits with 3.\nThe end of its output:\n  no\n',
    })
  })
})

describe('paid and canceled', () => {
  const replace = 'create && old=$(find_links) && sleep 0 && create && cancel_links'

  it('are tried before each call, for each active link that the program has named', async () => {
    const cancels = 'create && cancel_links && create inv_78'
    const { failures, exhausted } = await exploreJson(script(cancels), ['--effects', 'paid'])
    expect({ failures: schedules(failures), exhausted }).toEqual({ failures: [], exhausted: true })
    const { runs } = await exploreJson(script('find_links; create; create inv_78; find_links'), [
      '--effects',
      'paid,canceled',
    ])
    // One link before the third call, and two before the fourth.
    expect(runs).toBe(2 + 2 + 4)
  })

  it('show the action of the customer between the calls', async () => {
    const twice = 'create; find_links >/dev/null; create'
    const { out } = await explore(script(`${twice}; test -n "$(find_links)"`), ['--effects', 'paid', '--allow-rest'])
    expect(out).toContain('no failures')
    const recreate = 'create; count=$(find_links | grep -c .); test $count = 1 || create'
    const { failures } = await exploreJson(script(recreate), ['--effects', 'paid'])
    expect(schedules(failures)).toEqual([['2.before.paid', 'inv_77 is paid, and still has a link to pay.']])
    expect(failures[0]!.events).toEqual([
      { calls: 1, time: expect.any(String), text: expect.stringMatching(/^the customer pays pml_\w+ of inv_77$/) },
    ])
  })

  it('accept a link for the rest with --allow-rest', async () => {
    const recreate = 'create; count=$(find_links | grep -c .); test $count = 1 || create'
    expect((await explore(script(recreate), ['--effects', 'paid', '--allow-rest'])).code).toBe(0)
  })

  it('are at most one payment in a run', async () => {
    const { runs } = await exploreJson(script(replace), ['--effects', 'paid', '--faults', '2'])
    const single = await exploreJson(script(replace), ['--effects', 'paid'])
    expect(runs).toBe(single.runs)
  })
})

it('--pay-after-reads pays each new link with a retrieve of it', async () => {
  const waiting =
    'body=\'{"invoice":"inv_77","type":"partner","partner":{"user":{}}}\'; link=$(call "$links" -d "$body" | grep -o "pml_[A-Za-z0-9]*" | head -1); until call "$links/$link" | grep -q \'"completed"\'; do :; done'
  const { err } = await explore(script(waiting), ['--max-calls', '20'])
  expect(err).toMatch(/^The program sends more than 20 calls without a fault\..* --pay-after-reads\.$/m)
  const { failures, calls, runs } = await exploreJson(script(waiting), ['--pay-after-reads', '2', '--effects', 'stale'])
  expect({ failures, calls, runs }).toEqual({ failures: [], calls: 13, runs: 4 })
})

it.each(['default', 'all'])('%s is a list of effects', async (name) => {
  const { exhausted } = await exploreJson(script('call "$BASE_URL/projects/acme/users"'), ['--effects', name])
  expect(exhausted).toBe(true)
})
