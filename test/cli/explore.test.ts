import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { emptyFolder, fileWith, runCli } from './support/cli.ts'
import { runMain } from './support/main.ts'
import { ProgramReport } from '../../src/explore/programs/program-report.ts'
import { clearLine } from '../../src/command-line/terminal.ts'
import { clientFile, explore, exploreJson, script, interleave, interleaveJson } from './support/programs.ts'

/** A path in a folder that is deleted after the test. */
const tempFile = (): string => join(emptyFolder(), 'file')

/** The failures of a search: the schedule and the error of each. */
const failuresOf = async (text: string, flags: readonly string[] = []): Promise<string[][]> => {
  const { failures } = await exploreJson(script(text), flags)
  return failures.map(({ replay, error }) => [replay, error])
}

/** Creates a link if it finds none. */
const worker = script('test -n "$(find_links)" || create')

const second = 'The program exits with 0, but its records differ: 2 payment links of inv_77 instead of 1.'
const safeCreate = 'create || find_links | grep -q pml_ || create'

describe('a failure', () => {
  it('is printed with its calls, the end of the output and the line that repeats it', async () => {
    const { code, out } = await explore(script('create || create; echo "the end"'))
    expect(code).toBe(1)
    const stable = out
      .replace(/\d\d:\d\d:\d\d\.\d{3}/g, 'TIME')
      .replace(/pml_\w+/g, 'pml_ID')
      .replaceAll(clientFile, 'client.sh')
    expect(stable).toMatchInlineSnapshot(`
      "The program exits with 0, but its records differ: 2 payment links of inv_77 instead of 1.
      With reset after call 1, createPaymentLink:
      ! 1. TIME  POST /projects/acme/paymentLinks {"invoice":"inv_77","type":"partner","partner":{"user":{}}} -> no response (reset after the operation)
            created pml_ID
        2. TIME  POST /projects/acme/paymentLinks {"invoice":"inv_77","type":"partner","partner":{"user":{}}} -> 201 pml_ID active
      The end of its output (exit code 0):
        the end
      Repeat it:
        npx paylink-mock explore --only 1.after.reset --seed empty -- sh -c '. client.sh; create || create; echo "the end"'

      4 runs with 6 calls: 1 failure.
      "
    `)
  })

  const both = (error: string) => [
    ['1.before.reset', error],
    ['1.after.reset', error],
  ]
  const twice = 'The program exits with 3, and did something twice: 2 payment links of inv_77 instead of 1.'
  const tooMany = 'The program sends more than 4 calls. A program may poll without end, or --max-calls is too low.'
  const check = `sh -c '. ${clientFile}; find_links | grep -q pml_ || { echo "no link"; exit 5; }'`
  const unchecked = 'The check exits with 5.\nno link'
  const survived = 'The program exits with 4, but must succeed under reset.'

  it.each<[what: string, program: string, flags: string[], failures: string[][]]>([
    ['a second link although the program exits with 0', 'create || create', [], [['1.after.reset', second]]],
    ['no second link that the program avoids', safeCreate, [], []],
    ['a second link before a crash', 'create || { create; exit 3; }', [], [['1.after.reset', twice]]],
    ['a crash that must be survived', 'create || exit 4', ['--must-succeed', 'reset'], both(survived)],
    ['a loop of calls', 'create || while :; do find_links; done', ['--max-calls', '4'], both(tooMany)],
    ['a failing check', 'create || exit 1', ['--check', check], [['1.before.reset', unchecked]]],
    [
      'repeated if its effect is of a group that must be survived',
      'create || exit 4',
      ['--must-succeed', 'default', '--only', '1.after.reset'],
      [['1.after.reset', survived]],
    ],
  ])('is %s', async (_, program, flags, failures) => {
    expect(await failuresOf(program, flags)).toEqual(failures)
  })
})

it('does not count the calls of a check', async () => {
  const check = `sh -c '. ${clientFile}; find_links; true'`
  const { calls, exhausted, notTried } = await exploreJson(script('create'), ['--check', check])
  expect({ calls, exhausted, notTried }).toEqual({ calls: 4, exhausted: true, notTried: [] })
})

// What starts many processes is left to a step of CI.
describe.runIf(process.env.SLOW_TESTS)('two faults in a run', () => {
  const looksFirst = async (flags: readonly string[]) => failuresOf(safeCreate, ['--faults', '2', ...flags])

  it('are tried where one is survived, also at calls that only the first one causes', async () => {
    expect(await looksFirst([])).toEqual([['1.after.reset+2.before.reset', second]])
  })

  it('are repeated by their text', async () => {
    const only = '1.after.reset+2.before.reset'
    expect(await looksFirst(['--only', only])).toEqual([[only, second]])
  })
})

describe('the program', () => {
  it('gets the address of its sandbox, another in each run, in variables and arguments', async () => {
    const address = '"$1 $BASE_URL $API $DOCS" = "$BASE_URL $BASE_URL $BASE_URL see $BASE_URL/docs"'
    const file = tempFile()
    const program = [...script(`echo "$BASE_URL" >>${file}; test ${address} && create`), 'sh', '{url}']
    const { code, out } = await explore(program, ['--env', 'API', '--env', 'DOCS=see {url}/docs'])
    expect({ code, out }).toEqual({ code: 0, out: '4 runs with 4 calls: no failures.\n' })
    const names = readFileSync(file, 'utf8').match(/(?<=^http:\/\/127\.0\.0\.1:\d+\/@).*$/gm)
    expect(names?.toSorted()).toEqual(['run-1', 'run-2', 'run-3', 'run-4'])
  })

  it.runIf(process.env.SLOW_TESTS)('may send calls at the same time, in any order', async () => {
    const program = script('create inv_1 & first=$!; create inv_2; code=$?; wait $first && exit $code')
    const caveat =
      'The program sends calls at the same time. Their order is that of its timing, and others were not tried.\n'
    expect(await explore(program)).toMatchObject({ code: 0, out: `${caveat}\n6 runs with 12 calls: no failures.\n` })
  })

  it.runIf(process.env.SLOW_TESTS).each([
    ['ids and times', `"at":"'$(date -u +%FT%T.%NZ)'"`],
    [
      'the address of the run, also if it is encoded',
      `"url":"https://shop.example/?api='$(echo "$BASE_URL" | sed 's|:|%3A|g; s|/|%2F|g; s|@|%40|')'"`,
    ],
  ])('is compared apart from %s', async (_, field) => {
    const body = `{"email":"ada@example.com","metadata":{${field}}}`
    const { out } = await explore(script(`call "$BASE_URL/projects/acme/users" -d '${body}'`))
    expect(out).toBe('4 runs with 4 calls: no failures.\n')
  })

  it.runIf(process.env.SLOW_TESTS)('gets the flags of the mock', async () => {
    const seed = fileWith(JSON.stringify({ projects: { acme: { invoices: ['inv_77'] } } }))
    const text = 'create && test -n "$(call "$links/pml_1" | grep inv_77)"'
    const flags = ['--behavior', 'createStatus=200', '--token', 'any', '--clock', 'frozen', '--seed', seed]
    // The undisturbed run succeeds.
    const all = [...flags, '--max-runs', '1', '--incomplete']
    expect(await explore(script(text.replace('pml_1', '$(find_links)')), all)).toMatchObject({ code: 0, err: '' })
  })
})

describe('the search', () => {
  it.runIf(process.env.SLOW_TESTS).each([
    ['how many runs it needs, before the first run with a fault', '1', 'The search needs 4 runs.\n'],
    ['how many runs it needs at least, if pairs may follow', '2', 'The search needs at least 4 runs.\n'],
  ])('says %s', async (_, faults, sentence) => {
    const file = tempFile()
    const { err } = await explore(script(`echo >>${file}; create`), ['--faults', faults], {
      err: (text) => void (text.startsWith('The search') && appendFileSync(file, text)),
    })
    expect(err).toBe('')
    expect(readFileSync(file, 'utf8')).toBe(`\n\n${sentence}\n\n`)
  })

  it('tries each effect of a call in each of its phases', async () => {
    const flags = ['--effects', 'unavailable,duplicate']
    const { runs, calls, failures } = await exploreJson(script('create || create'), flags)
    expect(failures.map(({ replay }) => replay)).toEqual(['1.before.duplicate', '1.after.unavailable'])
    expect({ runs, calls }).toEqual({ runs: 5, calls: 7 })
  })

  it.runIf(process.env.SLOW_TESTS)('lists additional canceled links, which are no failure', async () => {
    const { code, out } = await explore(script('create || { cancel_links; create; }'))
    expect(code).toBe(0)
    expect(out).toContain('1.after.reset: 1 canceled payment link of inv_77 instead of 0\n')
  })

  it.runIf(process.env.SLOW_TESTS)('finds a double payment of each of two creates, whichever comes first', async () => {
    // Which of them the mock gets first differs between the runs.
    const program = script(
      'one() { create inv_1 || create inv_1; }; two() { create inv_2 || create inv_2; }; code=0; ' +
        'for next in $(test $((RUN % 2)) = 1 && echo one two || echo two one); do $next || code=1; done; test $code = 0',
    )
    const flags = ['--env', 'RUN={run}', '--jobs', '1']
    const { code, failures, notTried, exhausted, caveats, err } = await exploreJson(program, flags)
    const caveat = 'The program does not always send its calls in the same order, and other orders were not tried.'
    expect({ code, notTried, exhausted, caveats }).toEqual({
      code: 1,
      notTried: [],
      exhausted: false,
      caveats: [caveat],
    })
    expect(err).toContain(caveat)
    const invoices = failures.map(({ error }) => /inv_\d instead of 1\.$/.exec(error)?.[0])
    expect(invoices.toSorted()).toEqual(['inv_1 instead of 1.', 'inv_2 instead of 1.'])
    for (const { schedule, requests, error } of failures) {
      const faulty = requests.find(({ fault }) => fault !== null)
      // The call with the fault is the one that is sent again.
      expect(error).toContain(`of ${/inv_\d/.exec(faulty!.body!)![0]} instead`)
      expect(schedule).toHaveLength(1)
    }
  })

  it.runIf(process.env.SLOW_TESTS)('tries the effects of the library, and finds a POST that is repeated', async () => {
    // httplib2 of Python does so when the server closes without a response. After a reset it gives up.
    const program = script('create; case $? in 0) ;; 52) create;; *) exit 1;; esac')
    const { outcome, out } = await runMain(['explore', '--json', '--seed', 'empty', '--', ...program])
    const { failures, runs } = ProgramReport.parse(JSON.parse(out))
    expect({ outcome, runs }).toEqual({ outcome: { exitCode: 1 }, runs: 11 })
    expect(failures.map(({ replay, error }) => [replay, error])).toEqual([['1.after.close', second]])
  })

  it.runIf(process.env.SLOW_TESTS)('ends at the maximum number of runs', async () => {
    const { code, runs, exhausted, endedBy } = await exploreJson(script('create'), ['--max-runs', '3'])
    expect({ code, runs, exhausted, endedBy }).toEqual({ code: 1, runs: 3, exhausted: false, endedBy: 'maxRuns' })
  })

  it.runIf(process.env.SLOW_TESTS)('says which calls the program did not make again', async () => {
    const failing = () => {
      const file = tempFile()
      return script(`echo >>${file}; test $(wc -l <${file}) -lt 4 || exit 1; create`)
    }
    const result = await exploreJson(failing(), ['--jobs', '1'])
    const why = 'no call got the fault: the program took another path'
    const notTried = [{ replay: '1.after.reset', why }]
    expect(result).toMatchObject({ code: 1, exhausted: false, notTried, failures: [] })
    expect(result.err).toContain(`  1.after.reset: ${why}\n`)
    expect(result.err).toContain('The search is not complete, so the exit code is 1. To accept that, use --incomplete.')
    expect((await exploreJson(failing(), ['--jobs', '1', '--incomplete'])).code).toBe(0)
  })

  it.runIf(process.env.SLOW_TESTS)('reports no failure if the program takes another path', async () => {
    const count = tempFile()
    const program = script(`n=$(cat ${count} || echo 0); echo $((n + 1)) > ${count}; create inv_$n`)
    const { code, notTried, caveats, failures } = await exploreJson(program, ['--only', '1.after.unavailable'])
    const why = 'no call got the fault: the program took another path'
    expect({ code, caveats, failures }).toEqual({ code: 1, caveats: [], failures: [] })
    expect(notTried).toEqual([{ replay: '1.after.unavailable', why }])
  })

  it.runIf(process.env.SLOW_TESTS)('fails if a given schedule was not tried to its end, unless accepted', async () => {
    const program = script('setsid sleep 1000 >/dev/null 2>&1 & create')
    const flags = ['--effects', 'crash', '--only', '1.before.crash']
    const { code, out } = await explore(program, flags)
    expect(code).toBe(1)
    expect(out).toMatch(/2 schedules not tried\. The search is not complete, so the exit code is 1\./)
    expect((await explore(program, [...flags, '--incomplete'])).code).toBe(0)
  })

  it.runIf(process.env.SLOW_TESTS).each([
    ['2.after.reset', 'the program sends 1 call, so there is no call 2'],
    ['1.before.malformed', "'malformed' is not tried before call 1, createPaymentLink"],
    ['1.before.paid', 'no call got the fault: the program has fewer active links'],
  ])('lists the given schedule %s, which the program does not fit, and runs the others', async (replay, why) => {
    const flags = ['--only', replay, '--only', '1.after.reset']
    const { code, endedBy, notTried, failures } = await exploreJson(script('create || create'), flags)
    expect({ code, endedBy, notTried }).toEqual({ code: 1, endedBy: 'only', notTried: [{ replay, why }] })
    expect(failures.map((failure) => failure.replay)).toEqual(['1.after.reset'])
    expect((await exploreJson(script('create'), [...flags, '--incomplete'])).code).toBe(0)
  })

  it.runIf(process.env.SLOW_TESTS)('lists a given order that the programs do not fit, and runs others', async () => {
    const flags = ['--only', 'a*9', '--only', 'b,a*2,b']
    const { code, notTried, failures } = await interleaveJson([worker, worker], flags)
    const why = expect.stringMatching(/^The schedule does not fit: at step \d, .* raise --settle\.$/)
    expect({ code, notTried }).toEqual({ code: 1, notTried: [{ replay: 'a*9', why }] })
    expect(failures.map(({ replay }) => replay)).toEqual(['b,a*2,b'])
  })

  it('prints only data to stdout with --json', async () => {
    const { failures, caveats, err } = await exploreJson(script('echo hello; create || create'))
    expect(caveats).toEqual([])
    expect(failures[0]).toMatchObject({
      schedule: [{ call: 1, operation: 'createPaymentLink', occurrence: 1, phase: 'after', effect: 'reset' }],
      differences: ['2 payment links of inv_77 instead of 1'],
      exitCode: 0,
      signal: null,
      output: ['hello'],
      requests: [
        { status: null, fault: 'reset after the operation' },
        { status: 201, fault: null },
      ],
    })
    expect(err).toContain('  hello\n')
  })

  it('shows a bar on a terminal', async () => {
    const { err } = await explore(script('create'), [], { onTerminal: true })
    expect(err).toContain('[===============     ] 3 of 4 runs, 0 failures')
    expect(err.endsWith(clearLine)).toBe(true)
  })

  it.runIf(process.env.SLOW_TESTS)('prints the time left every few seconds without a terminal', async () => {
    let time = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 5000))
    onTestFinished(() => clock.mockRestore())
    const { progress, err } = await explore(script('create'), ['--jobs', '1'])
    expect(progress.join('')).toMatch(/^3 of 4 runs, 0 failures, \d+ s left$/m)
    expect(err).not.toContain('[=')
    const pairs = await explore(script('create'), ['--jobs', '1', '--faults', '2'])
    expect(pairs.progress.join('')).toMatch(/^3 runs, at least 1 other follows, 0 failures$/m)
  })

  it.runIf(process.env.SLOW_TESTS)('counts failures like the last line of the report', async () => {
    const flags = ['--jobs', '1', '--effects', 'reset,close']
    const { out, err } = await explore(script('create || create'), flags, { onTerminal: true })
    expect(err).toContain(' 6 of 6 runs, 1 failure')
    expect(out).toContain(': 1 failure, with 2 schedules.')
  })
})

describe('rejects', () => {
  const create = script('create')
  const atRoot = script('links="${BASE_URL%/@*}/projects/acme/paymentLinks"; create')
  const root =
    /^The program calls the root of the mock, POST \/projects\/acme\/paymentLinks, instead of its sandbox http:\S+/
  const failed = (why: string) =>
    new RegExp(
      `^The program exits with 3 ${why}\\.\\n(?:The calls:\\n(?: {2}.*\\n)+)?The end of its output:\\n {2}why$`,
    )
  const waits = 'without a fault\\. If .* --pay-after-reads 3'
  const notTried = /'crash', which is not tried: add it to --effects/
  const noBasePath =
    /^The program calls no .* POST \/projects\/acme\/paymentLinks\), and exits with 22\. .* with \/v1: use --env /

  it.each<[what: string, program: string[], flags: string[], code: number, message: RegExp]>([
    ['a program that cannot run', [clientFile], [], 2, /^The program '.*' is not executable\.$/],
    ['a program that fails', script('echo why; create; exit 3'), [], 1, failed(waits)],
    ['one that ends by a signal', script('create; kill -9 $$'), [], 1, /^The program is ended by SIGKILL without/],
    ['a program that calls the root', atRoot, [], 1, root],
    ['a program without a valid token', script('create; true'), ['--token', 'other'], 1, /rejects each call with 401/],
    [
      'a program that did its work before',
      ['true'],
      ['--env', 'URL', '--env', 'STATE=state-{run}.txt'],
      1,
      /calls nothing\. It must .* from BASE_URL or PAYLINK_MOCK_URL or URL \(Vitest overwrites BASE_URL\)\. If it keeps what an earlier search did, .* --reset 'rm -f shop\.db'/,
    ],
    ['random values', script('create inv_$$'), [], 1, /^The program does not repeat itself: the first run sends POST /],
    ['an unknown check', create, ['--check', 'no-such-check'], 2, /^The program 'no-such-check' was not found/],
    ['an unclosed quote', create, ['--check', "sh -c 'x"], 2, /^--check has a quote that does not end/],
    [
      'a pattern',
      create,
      ['--reset', 'rm -f *.db'],
      2,
      /^--reset has '\*', which only a shell understands: .* 'sh -c /,
    ],
    ['two commands', create, ['--check', 'test 1 && true'], 2, /^--check has '&&', which only a shell understands/],
    ['an empty check', create, ['--check', ' '], 2, /^--check needs a program/],
    ['an unknown effect', create, ['--effects', 'rest'], 2, /^--effects names .* 'rest'\..* Did you mean 'reset'\?$/],
    ['one that must succeed', create, ['--must-succeed', 'rest'], 2, /^--must-succeed names the unknown effect 'rest'/],
    ['one that is not tried', create, ['--must-succeed', 'crash'], 2, notTried],
    ['two faults at a call', create, ['--only', '1.after.reset+1.before.reset'], 2, /A call has only one fault\.$/],
    ['a link of another effect', create, ['--only', '1.before.reset:2'], 2, /^The schedule .* Only 'paid' and/],
    ['no base path', create, ['--base-path', '/v1'], 1, noBasePath],
    [
      'no call',
      script('echo why; exit 3'),
      [],
      1,
      failed(
        'before its first call\\. The address .* is in BASE_URL or PAYLINK_MOCK_URL \\(Vitest overwrites BASE_URL\\)',
      ),
    ],
    ['an empty name', create, ['--env', '=x'], 2, /^--env must be NAME or NAME=TEXT \(got '=x'\)\.$/],
    ['three faults', create, ['--faults', '3'], 2, /^--faults must be an integer from 1 to 2 \(got '3'\)\.$/],
    ['a schedule that is none', create, ['--only', '1.reset'], 2, /^The schedule '1\.reset' cannot be read\. A fault/],
    ['a group of effects', create, ['--only', '1.after.default'], 2, /^--only names the unknown effect 'default'/],
    ['no program', [], [], 2, /^explore needs a program: paylink-mock explore -- /],
  ])('%s', async (_, program, flags, code, message) => {
    const { err, ...result } = await explore(program, flags)
    expect(result).toMatchObject({ code, out: '' })
    expect(err).toMatch(/\n$/)
    expect(err.trimEnd()).toMatch(message)
  })

  it.each<[command: string, flag: string, min: number, max: number]>([
    ['explore', 'faults', 1, 2],
    ['interleave', 'faults', 0, 1],
    ['explore', 'pay-after-reads', 1, 1_000_000],
    ['explore', 'jobs', 1, 1000],
    ['explore', 'timeout', 1, 2_147_483],
    ['interleave', 'settle', 1, 2_147_483_000],
    ['explore', 'max-runs', 1, 1_000_000_000],
    ['explore', 'max-calls', 1, 1_000_000],
    ['explore', 'port', 1, 65_535],
    ['interleave', 'switches', 0, 999],
  ])('%s --%s outside of its limits', async (command, flag, min, max) => {
    for (const value of [min - 1, max + 1]) {
      const { outcome, err } = await runMain([command, `--${flag}=${value}`, '--', 'true', '--', 'true'])
      expect(outcome).toEqual({ exitCode: 2 })
      expect(err).toMatch(
        new RegExp(`^--${flag} must be an integer from ${min} to ${max}\\b.* \\(got '${value}'\\)\\.\\n$`),
      )
    }
  })

  it('a program that keeps something between its runs', async () => {
    const file = tempFile()
    const { err } = await explore(script(`test -e ${file} && find_links; touch ${file}; create`))
    expect(err).toMatch(/^The program does not repeat itself: only the second run sends GET .*\. Usual causes/)
  })

  it.runIf(process.env.SLOW_TESTS)('a program that leaves other records in its second run', async () => {
    const file = tempFile()
    const admin = '"${BASE_URL}/__admin/projects/acme/users"'
    const text = `test ! -e ${file} || curl -sf -H 'content-type: application/json' -d '{"email":"ada@example.com"}' ${admin}; touch ${file}; create`
    const { err } = await explore(script(text))
    expect(err).toContain('the second run leaves other records: 1 user with ada@example.com instead of 0.')
  })

  it.each([
    ['explore', '--', 'no-such-program'],
    ['interleave', '--', 'no-such-program', '--', 'no-such-program'],
  ])('a program that is not found, and ends: %s', async (...args) => {
    const err = "The program 'no-such-program' was not found.\n"
    expect(await runCli(args)).toMatchObject({ code: 2, out: '', err })
  })

  it('a program that cannot be started again after a crash', async () => {
    const file = tempFile()
    writeFileSync(`${file}.sh`, `#!/bin/sh\nrm ${file}; . ${clientFile}; create`, { mode: 0o755 })
    const flags = ['--effects', 'crash', '--only', '1.after.crash', '--reset', `cp ${file}.sh ${file}`]
    expect(await explore([file], flags)).toMatchObject({
      code: 1,
      err: `The program could not be started again after a crash. The program '${file}' was not found.\n`,
    })
  })
})

describe.runIf(process.env.SLOW_TESTS)('interleave', () => {
  it('finds the order in which two workers create two links', async () => {
    const { code, out } = await interleave([worker, worker])
    expect(code).toBe(1)
    const stable = out.replace(/\d\d:\d\d:\d\d\.\d{3}/g, 'TIME').replace(/pml_\w+/g, 'pml_ID')
    expect(stable.slice(0, stable.indexOf('Repeat it'))).toMatchInlineSnapshot(`
      "The programs exit with 0, but their records are those of no order in which they run one after the other: 2 payment links of inv_77 instead of 1.
      In this order:
        1. TIME  a  GET /projects/acme/paymentLinks?invoice=inv_77&status=active -> 200 items: 0
        2. TIME  b  GET /projects/acme/paymentLinks?invoice=inv_77&status=active -> 200 items: 0
        3. TIME  b  POST /projects/acme/paymentLinks {"invoice":"inv_77","type":"partner","partner":{"user":{}}} -> 201 pml_ID active
        4. TIME  a  POST /projects/acme/paymentLinks {"invoice":"inv_77","type":"partner","partner":{"user":{}}} -> 201 pml_ID active
      "
    `)
    expect(out).toMatch(/\n {2}npx paylink-mock interleave --only 'a,b\*2,a' --seed empty -- sh -c .* -- sh -c .*\n/)
  })

  it('repeats one order with --only', async () => {
    const { code, failures, endedBy } = await interleaveJson([worker, worker], ['--only', 'b,a*2,b'])
    expect(failures.map(({ replay }) => replay)).toEqual(['b,a*2,b'])
    expect({ code, endedBy }).toEqual({ code: 1, endedBy: 'only' })
    const good = await interleaveJson([worker, worker], ['--only', 'a*2,b'])
    expect({ code: good.code, failures: good.failures }).toEqual({ code: 0, failures: [] })
  })

  it('compares three programs with all six orders of them', async () => {
    const user = { id: 'usr_1', email: 'ada@example.com' }
    const seed = fileWith(JSON.stringify({ projects: { acme: { users: [user] } } }))
    // The last one decides.
    const programs = ['a', 'b', 'c'].map((name) =>
      script(`call -X PATCH "$BASE_URL/projects/acme/users/usr_1" -d '{"metadata":{"by":"${name}"}}'`),
    )
    const { failures, exhausted, calls } = await interleaveJson(programs, ['--seed', seed])
    expect({ failures, exhausted, isTried: calls >= 6 * 3 }).toEqual({ failures: [], exhausted: true, isTried: true })
  })

  it('compares with runs in which each program starts after the end of the one before', async () => {
    const file = tempFile()
    const once = script(`test ! -e ${file} || exit 0; create; touch ${file}`)
    const { failures } = await interleaveJson([once, once], ['--reset', `rm -f ${file}`])
    expect(failures[0]!.replay).toBe('a,b')
    expect(failures[0]!.error).toMatch(/: 2 payment links of inv_77 instead of 1\.$/)
  })
})

describe.runIf(process.env.SLOW_TESTS)('interleave rejects', () => {
  it('a program that keeps a file, also if another program then makes its calls', async () => {
    const file = tempFile()
    const once = script(`test -e ${file} || create; touch ${file}`)
    const { code, err } = await interleave([once, worker])
    expect(code).toBe(1)
    expect(err).toMatch(/^The programs do not repeat .*: the first run sends POST .* in program a, .* in program b\. /m)
  })

  const failing = script('create; exit 3')
  const waiting = script('until test -n "$(find_links)"; do :; done')

  it.each<[what: string, programs: string[][], flags: string[], code: number, message: RegExp]>([
    ['one program', [worker], [], 2, /^interleave needs two to four programs, each after --: .* \(got 1 program\)\.$/m],
    ['five programs', Array.from({ length: 5 }, () => worker), [], 2, /\(got 5 programs\)\.$/m],
    ['two faults', [worker, worker], ['--faults', '2'], 2, /^--faults must be an integer from 0 to 1/],
    ['failing programs', [failing, worker], [], 1, /^Not all .* one after the other.*: program a exits with 3\.$/m],
    ['random values', [script('create inv_$$'), worker], [], 1, /^The programs do not repeat themselves: /],
    ['a program that calls nothing', [['true'], worker], [], 1, /^Program a calls nothing\. It must read/],
    [
      'a program that calls another path',
      [script('curl -s "$BASE_URL/pay"; exit 3'), worker],
      [],
      1,
      /^Program a calls no operation \(its first request is GET \/pay\), and exits with 3\. It must read/,
    ],
    ['an endless wait', [waiting, worker], ['--max-calls', '5'], 1, /^Program a sends more than 5 .* let it give up/m],
    [
      'more calls at the same time than allowed',
      [script('create & create & create & wait'), worker],
      ['--max-calls', '2'],
      1,
      /^Program a sends more than 2 calls/m,
    ],
    ['an unknown name', [worker, worker], ['--only', 'c,a'], 2, /'c', which is unknown\. The names are 'a' or 'b'/],
    ['an unknown step', [worker, worker], ['--only', 'a..b'], 2, /has the form 'a', 'a:2' or 'a!after\.reset'/],
    ['an effect that no order has', [worker, worker], ['--must-succeed', 'reset'], 2, /'reset', which is not tried: /],
  ])('%s', async (_, programs, flags, code, message) => {
    const result = await interleave(programs, flags)
    expect(result).toMatchObject({ code, out: '' })
    expect(result.err).toMatch(message)
  })
})
