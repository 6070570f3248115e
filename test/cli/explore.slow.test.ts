import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { explore, exploreJson, interleave, interleaveJson, script } from './support/programs.ts'
import { cliPath, emptyFolder, run, runCli } from './support/cli.ts'

const schedules = (failures: readonly { replay: string; error: string }[]) =>
  failures.map(({ replay, error }) => [replay, error])
const second = 'The program exits with 0, but its records differ: 2 payment links of inv_77 instead of 1.'

/** A file for the ids of processes, and a function that reads them. */
const createPidFile = () => {
  const file = join(emptyFolder(), 'pids')
  return { file, read: () => readFileSync(file, 'utf8').trim().split('\n').map(Number) }
}

/** Whether a process runs. One that has ended may still wait for its parent. */
const isProcessRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Expects that the processes end. The system ends a killed process a moment after the signal. */
const expectEnded = async (pids: number[]): Promise<void> => {
  await expect.poll(() => pids.filter(isProcessRunning), { timeout: 10_000 }).toEqual([])
}

describe('crash', () => {
  it('kills the program before or after a call, and starts it again in the same sandbox', async () => {
    const { code, out } = await explore(script('echo start; create; echo end'), ['--effects', 'crash'])
    expect(code).toBe(1)
    const stable = out.replace(/\d\d:\d\d:\d\d\.\d{3}/g, 'TIME').replace(/pml_\w+/g, 'pml_ID')
    expect(stable.slice(0, stable.indexOf('Repeat it'))).toMatchInlineSnapshot(`
      "The program exits with 0, but its records differ: 2 payment links of inv_77 instead of 1.
      With crash after call 1, createPaymentLink:
      ! 1. TIME  POST /projects/acme/paymentLinks {"invoice":"inv_77","type":"partner","partner":{"user":{}}} -> no response (crash after the operation)
            created pml_ID
           TIME  the program is killed, and starts again
        2. TIME  POST /projects/acme/paymentLinks {"invoice":"inv_77","type":"partner","partner":{"user":{}}} -> 201 pml_ID active
      The end of its output (exit code 0):
        start
        (killed, and started again)
        start
        end
      "
    `)
  })

  it('has no output of a given schedule in its report', async () => {
    const { failures } = await exploreJson(script('create'), ['--only', '1.after.crash'])
    expect(failures.map(({ output }) => output)).toEqual([[]])
  })

  it('numbers the calls of both processes on', async () => {
    const flags = ['--effects', 'crash,reset', '--faults', '2']
    const { failures, notTried } = await exploreJson(script('create && find_links'), flags)
    expect(notTried).toEqual([])
    expect(failures.map(({ replay }) => replay)).toContain('1.before.crash+3.after.crash')
  })

  it('ends all processes of the program, and lists a run whose processes left the group', async () => {
    const { file, read } = createPidFile()
    const leaving = `setsid sleep 1000 >/dev/null 2>&1 & echo $! >>${file}; sleep 0.1; create`
    const { notTried, exhausted } = await exploreJson(script(leaving), ['--effects', 'crash'])
    expect(exhausted).toBe(false)
    expect(notTried.map(({ why }) => why)).toContainEqual(
      expect.stringMatching(/^a process left the group of the program, and outlived the crash: sleep$/),
    )
    await expectEnded(read())
  })

  it('has one time for both processes', async () => {
    const slow =
      'find_links >/dev/null; test -n "$(call "$BASE_URL/__admin/projects/acme/users" | grep ada)" && sleep 1000; call "$BASE_URL/projects/acme/users" -d \'{"email":"ada@example.com"}\''
    const { failures } = await exploreJson(script(slow), ['--effects', 'crash', '--timeout', '2'])
    expect(schedules(failures)).toContainEqual(['2.after.crash', 'The program does not end in 2 s.'])
  })
})

describe('--reset', () => {
  it('runs before each run, but not between a crash and the restart', async () => {
    const file = join(emptyFolder(), 'done')
    const remembers = `test -e ${file} || { create && touch ${file}; }`
    const rejected = await explore(script(`${remembers}; find_links`), ['--effects', 'crash'])
    const message = /does not repeat itself: .* delete that before each run, as with --reset 'rm -f shop\.db'/
    expect(rejected.err).toMatch(message)
    rmSync(file)
    const reset = ['--reset', `rm -f ${file}`]
    const { failures } = await exploreJson(script(remembers), ['--effects', 'crash', ...reset])
    expect(schedules(failures)).toEqual([['1.after.crash', second]])
  })

  it('gets the number and the address of the run, and its calls are not counted', async () => {
    const folder = emptyFolder()
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
    const { err: late } = await explore(script('create'), ['--reset', 'sleep 1000', '--timeout', '1'])
    expect(late).toBe('The program of --reset does not end in 1 s.\n')
  })
})

describe('paid and canceled', () => {
  it('are tried before each call, for each active link that the program has named', async () => {
    const cancels = 'create && cancel_links && create inv_78'
    const { failures, exhausted } = await exploreJson(script(cancels), ['--effects', 'paid'])
    expect({ failures: schedules(failures), exhausted }).toEqual({ failures: [], exhausted: true })
    const finds = script('find_links; create; create inv_78; find_links')
    const { runs } = await exploreJson(finds, ['--effects', 'paid,canceled'])
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
      {
        calls: 1,
        time: failures[0]!.requests[1]!.time,
        text: expect.stringMatching(/^the customer pays pml_\w+ of inv_77$/),
      },
    ])
  })
})

it('--pay-after-reads pays each new link with a retrieve of it', async () => {
  const waiting =
    'body=\'{"invoice":"inv_77","type":"partner","partner":{"user":{}}}\'; link=$(call "$links" -d "$body" | grep -o "pml_[A-Za-z0-9]*" | head -1); until call "$links/$link" | grep -q \'"completed"\'; do :; done'
  const { err } = await explore(script(waiting), ['--max-calls', '20'])
  expect(err).toMatch(/^The program sends more than 20 calls without a fault\..* --pay-after-reads 3\.$/m)
  const { failures, calls, runs } = await exploreJson(script(waiting), ['--pay-after-reads', '2', '--effects', 'stale'])
  expect({ failures, calls, runs }).toEqual({ failures: [], calls: 13, runs: 4 })
})

it.each(['default', 'all'])('%s is a list of effects', async (name) => {
  const { exhausted } = await exploreJson(script('call "$BASE_URL/projects/acme/users"'), ['--effects', name])
  expect(exhausted).toBe(true)
})

const flags = ['--effects', 'reset', '--seed', 'empty']

it('ends what a program leaves running', async () => {
  const { file, read } = createPidFile()
  const { code } = await explore(script(`sleep 1000 & echo $! >>${file}; create`))
  expect(code).toBe(1)
  expect(read()).toHaveLength(4)
  await expectEnded(read())
})

it.skipIf(process.platform !== 'linux')('ends a child that leaves the process group, with its run', async () => {
  const { file, read } = createPidFile()
  const leaving = `export up=${file}.$$; setsid sh -c 'echo $$ >>${file}; touch $up; exec sleep 1000' &`
  const { code } = await explore(script(`${leaving} until test -e $up; do sleep 0.01; done; create`))
  expect(code).toBe(1)
  expect(read()).toHaveLength(4)
  await expectEnded(read())
})

it('leaves nothing running when it is killed itself', async () => {
  const { file, read } = createPidFile()
  const leaving = process.platform === 'linux' ? 'setsid ' : ''
  const text = `sleep 1000 & echo $! >>${file}; ${leaving}sleep 1000 & echo $! >>${file}; echo $$ >>${file}; wait`
  const search = run([cliPath, 'explore', ...flags, '--', ...script(text)])
  await expect.poll(() => read().filter(isProcessRunning)).toHaveLength(3)
  search.child.kill('SIGKILL')
  await expectEnded(read())
})

it.skipIf(process.platform !== 'linux')('leaves nothing running when it is killed while a program runs', async () => {
  const variable = `KILLED_${process.pid}=yes`
  const [name = ''] = variable.split('=')
  const findProcesses = () =>
    readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && isProcessRunning(Number(pid)) && readEnvironment(pid).includes(variable),
    )
  const program = ['sh', '-c', 'kill -KILL $PPID; exec sleep 1000']
  const { signal } = await runCli(['explore', ...flags, '--jobs', '1', '--', ...program], { [name]: 'yes' })
  expect(signal).toBe('SIGKILL')
  await expect.poll(findProcesses, { timeout: 10_000 }).toEqual([])
})

const readEnvironment = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    // It has ended.
    return []
  }
}

it('ends a program that takes too long, with its children', async () => {
  const { file, read } = createPidFile()
  const program = script(`create || { sleep 1000 & echo $! >>${file}; wait; }`)
  const { failures } = await exploreJson(program, ['--timeout', '1', '--jobs', '2'])
  expect(failures.map(({ replay, error, signal }) => [replay, error, signal])).toEqual([
    ['1.before.reset', 'The program does not end in 1 s.', 'SIGTERM'],
    ['1.after.reset', 'The program does not end in 1 s.', 'SIGTERM'],
  ])
  await expectEnded(read())
})

it('passes the output of a single schedule through', async () => {
  const program = script('echo to stdout; echo to stderr >&2; create || create')
  const args = ['explore', ...flags, '--only', '1.after.reset', '--', ...program]
  const { code, out, err } = await runCli(args)
  expect(code).toBe(1)
  expect(out).toMatch(/^to stdout\nThe program exits with 0, but its records differ: 2 payment links of inv_77/)
  expect(out).toMatch(/\n2 runs with 3 calls, with the given schedule only: 1 failure\.\n$/)
  expect(err).toBe('to stderr\n')
  const json = await runCli([...args.slice(0, 3), '--json', ...args.slice(3)])
  expect(JSON.parse(json.out)).toMatchObject({ endedBy: 'only', failures: [{ replay: '1.after.reset', output: [] }] })
  expect(json.err).toMatch(/^to std(out|err)\nto std(out|err)\n/)
})

it('ends its programs when it is interrupted, and prints what it has found', async () => {
  const { file, read } = createPidFile()
  // The second schedule interrupts the search, whose process is the parent of the program.
  const text = `create && exit; test -n "$(find_links)" || exit 0; sleep 1000 & echo $! >${file}; kill -INT $PPID; wait`
  const { code, out } = await runCli(['explore', ...flags, '--jobs', '1', '--', ...script(text)])
  expect(code).toBe(130)
  expect(out).toMatch(/^The program exits with 0, but its records differ: 0 payment links of inv_77 instead of 1\./)
  expect(out).toMatch(/\n3 runs with 4 calls, interrupted: 1 failure\.\n$/)
  await expectEnded(read())
})

it('ends its programs when its terminal closes', async () => {
  const { file, read } = createPidFile()
  const text = `sleep 1000 & echo $! >${file}; kill -HUP $PPID; wait`
  const { code } = await runCli(['explore', ...flags, '--', ...script(text)])
  expect(code).toBe(129)
  await expectEnded(read())
})

it('ends a program that ignores SIGTERM', async () => {
  const { failures } = await exploreJson(script('create || { trap "" TERM; sleep 1000; }'), ['--timeout', '1'])
  expect(failures.map(({ error, signal }) => [error, signal])).toEqual([
    ['The program does not end in 1 s.', 'SIGKILL'],
    ['The program does not end in 1 s.', 'SIGKILL'],
  ])
})

it('ends at once at the second interruption, with its programs', async () => {
  // The first signal ends the program, which then sends the second one and goes on.
  const text = `trap 'kill -INT $PPID' TERM; kill -INT $PPID; while :; do sleep 0.1; done`
  expect(await runCli(['explore', '--seed', 'empty', '--', ...script(text)])).toMatchObject({ code: 130, out: '' })
})

const createUser = (email: string) => `call "$BASE_URL/projects/acme/users" -d '{"email":"${email}"}' >/dev/null`

const describeThreads = (program: string) =>
  `Program ${program} sends calls at the same time. Their order is that of its timing, and others were not tried.`

describe('interleave', () => {
  it('needs no search for programs that cannot affect each other', async () => {
    const each = (invoice: string) => script(`create ${invoice}; create ${invoice}; create ${invoice}`)
    const { runs, exhausted, failures } = await interleaveJson([each('inv_1'), script('true; create inv_2')])
    expect({ exhausted, failures, isSmall: runs < 12 }).toEqual({ exhausted: true, failures: [], isSmall: true })
  })

  it('tries each order with an effect at one call', async () => {
    const careful = script('create; true')
    const { failures } = await interleaveJson([careful, script(createUser('ada@example.com'))], ['--effects', 'reset'])
    expect(failures.map(({ replay }) => replay)).toContain('a!before.reset,b')
  })

  it('kills and starts again one of the programs', async () => {
    const { failures } = await interleaveJson([script('create'), script('find_links; true')], ['--effects', 'crash'])
    expect(failures.map(({ replay, error, events }) => [replay, error, events.map(({ text }) => text)])).toContainEqual(
      [
        'a!after.crash,a,b',
        'The programs exit with 0, but their records are those of no order in which they run one after the other: 2 payment links of inv_77 instead of 1.',
        ['the program is killed, and starts again'],
      ],
    )
  })

  it('numbers calls that wait at the same time by what they are', async () => {
    const both = script(`create inv_1 & first=$!; create inv_2; wait $first`)
    const { failures, notTried, caveats } = await interleaveJson([both, script('create inv_3')])
    expect({ failures, notTried, caveats }).toEqual({ failures: [], notTried: [], caveats: [describeThreads('a')] })
  })

  it('says how many runs it needs at least', async () => {
    const { err } = await interleave([script('create'), script('create inv_2')])
    expect(err).toBe('The search needs at least 5 runs.\n')
  })
})

describe('interleave is not exhausted', () => {
  const why = async (programs: readonly (readonly string[])[], flags: readonly string[] = []) => {
    const { exhausted, notTried, code } = await interleaveJson(programs, flags)
    expect({ exhausted, code }).toEqual({ exhausted: false, code: 1 })
    return [...new Set(notTried.map((one) => one.why))].join('\n')
  }

  /** A shell command that waits for a file, but not for ever. */
  const waitFor = (file: string) => `for try in 1 2 3 4 5 6 7 8 9 10; do test -e ${file} && break; sleep 0.1; done`

  it('if the timeout of a program is shorter than its wait', async () => {
    const file = join(emptyFolder(), 'file')
    const impatient = script(
      `curl -s -m 0.2 -H "Authorization: Bearer any" "$links" >/dev/null; touch ${file}; sleep 0.3`,
    )
    const slow = script(`${waitFor(file)}; create`)
    expect(await why([impatient, slow], ['--reset', `rm -f ${file}`])).toBe('a program gave up a call while it waited')
  })

  it('if a second thread of a program calls while a call of the first one waits, with exit code 0', async () => {
    const file = join(emptyFolder(), 'file')
    const threads = script(`{ ${waitFor(file)}; create inv_2; } & create inv_1; wait`)
    const other = script(`find_links; touch ${file}; sleep 0.5; find_links; true`)
    const flags = ['--settle', '500', '--incomplete', '--reset', `rm -f ${file}`]
    const { exhausted, caveats, code } = await interleaveJson([threads, other], flags)
    // On a slow machine, the programs also wait for longer than `--settle`.
    const expected = { exhausted: false, caveats: expect.arrayContaining([describeThreads('a')]), code: 0 }
    expect({ exhausted, caveats, code }).toEqual(expected)
  })

  it('if a thread of a program computes before its call, and another one waits', async () => {
    const compute = 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done'
    const threads = script(`{ sleep 0.05; test $RUN -lt 3 || { ${compute}; }; create inv_2; } & create inv_1; wait`)
    const { exhausted, caveats } = await interleaveJson(
      [threads, script('create inv_3')],
      ['--env', 'RUN={run}', '--faults', '0'],
    )
    expect({ exhausted, caveats }).toEqual({ exhausted: false, caveats: [describeThreads('a')] })
  })

  it('if a program is slower than --settle', async () => {
    const slow = script('create; sleep 1.5; find_links; true')
    const text = await why([script('create inv_2'), slow], ['--settle', '300'])
    expect(text).toBe('b sent no call for 0.3 s, so the others went on without it')
  })

  it('with a caveat, if a program waits for a file of another one', async () => {
    const file = join(emptyFolder(), 'file')
    const first = script(`create; touch ${file}`)
    const second = script(`until test -e ${file}; do sleep 0.05; done; find_links; true`)
    const flags = ['--settle', '300', '--reset', `rm -f ${file}`]
    expect(await interleaveJson([second, first], flags)).toMatchObject({
      code: 0,
      exhausted: false,
      notTried: [],
      caveats: [expect.stringContaining('Program a waited for another program')],
    })
  })

  it('if the calls of a program are random', async () => {
    const file = join(emptyFolder(), 'file')
    // Random from its fifth run on. Before the fourth, the search would reject it, and nothing is compared with the fourth.
    const text = `echo >>${file}; test $(wc -l <${file}) -le 4 && page=1 || page=$$; call "$links?limit=$page" >/dev/null`
    expect(await why([script(text), script('create inv_2')], ['--settle', '1000'])).toMatch(
      /^the programs took another path: a GET .*limit=\d+ waits at step 1, and in an earlier run a GET .*limit=1$/m,
    )
  })

  it('if a program leaves a daemon', async () => {
    const daemon = script('(sleep 60; find_links) >/dev/null 2>&1 & create')
    const message = /^a process outlived its program, and was ended with it: .*--service.*trap 'kill \$!' EXIT/
    expect(await why([daemon, script('create inv_2')])).toMatch(message)
  })
})
