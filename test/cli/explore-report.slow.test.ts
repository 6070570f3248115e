import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyFolder } from './support/cli.ts'
import { clientFile, explore, exploreJson, interleave, interleaveJson, script } from './support/programs.ts'

/** Creates a link with an idempotency key, `keyed [redirect URL]`. */
const keyed =
  'keyed() { call -H "Idempotency-Key: k1" "$links" -d \'{"invoice":"inv_77","redirectUrl":"\'"${1:-https://shop.example/}"\'","type":"partner","partner":{"user":{}}}\' >/dev/null; }'
const replay = ['--behavior', 'idempotencyKey=replay']

/** Creates a link if it finds none. */
const worker = script('test -n "$(find_links)" || create')

describe('the report', () => {
  it('prints schedules with the same error after the same call as one failure', async () => {
    const { out } = await explore(script('create || create'), ['--effects', 'default'])
    expect(out.match(/^With /gm)).toHaveLength(1)
    expect(out).toMatch(
      /\nThe same failure:\n {2}--only 1\.after\.close\n {2}--only 1\.after\.unavailable\n {2}--only 1\.after\.rateLimited\n\n/,
    )
    expect(out).toMatch(/\n\d+ runs with \d+ calls: 1 failure, with 4 schedules\.\n$/)
  })

  it('prints failures at different calls apart, and lists each in JSON', async () => {
    const program = script('create inv_1 || create inv_1; create inv_2 || create inv_2')
    const { out } = await explore(program)
    expect(out.match(/^With .*$/gm)).toHaveLength(2)
    expect(out).not.toContain('The same failure')
    expect(out).toMatch(/: 2 failures\.\n$/)
    const { failures } = await exploreJson(script('create || create'), ['--effects', 'default'])
    expect(failures).toHaveLength(4)
  })

  it('says which key the mock ignores, and what a lost response had created', async () => {
    const program = script(`${keyed}; keyed || keyed`)
    const { failures } = await exploreJson(program)
    const ignored =
      'the Idempotency-Key of call 1, which the mock ignores: use --behavior idempotencyKey=replay if the service honors it'
    expect(failures[0]!.requests.map(({ note }) => note)).toEqual([expect.stringMatching(/^created pml_\w+$/), ignored])
    expect((await explore(program)).out).toContain(` active\n      ${ignored}\n`)
    expect((await exploreJson(program, replay)).failures).toEqual([])
  })

  it('fails a program that sends a key again with another body, and then fails', async () => {
    const program = script(`${keyed}; keyed https://a.example/ || keyed https://b.example/`)
    const { failures } = await exploreJson(program, replay)
    expect(failures.map(({ replay: at, error, requests }) => [at, error, requests[1]!.note])).toEqual([
      [
        '1.after.reset',
        'The program exits with 22, and call 2 sends an Idempotency-Key with another body.',
        'the Idempotency-Key of call 1, with another body',
      ],
    ])
    const careful = script(`${keyed}; keyed https://a.example/ || keyed https://b.example/ || find_links >/dev/null`)
    expect((await exploreJson(careful, replay)).failures).toEqual([])
  })

  it('mentions two links of an invoice without a fault, which are no failure', async () => {
    const { code, out } = await explore(script('create && create'))
    const message = 'Without a fault, inv_77 has 2 links that are not canceled. If that is wrong, --check can see it.\n'
    expect(out).toContain(message)
    expect(code).toBe(0)
    expect((await explore(script('create && cancel_links && create'))).out).not.toContain('Without a fault')
  })

  it('tries a lost response at a list only before it, and says so of a schedule', async () => {
    const { code, notTried } = await exploreJson(script('find_links'), ['--only', '1.after.reset'])
    expect({ code, notTried }).toEqual({
      code: 1,
      notTried: [{ replay: '1.after.reset', why: "'reset' is not tried after call 1, listPaymentLinks" }],
    })
  })

  it('announces at most as many runs as there are, because an outage may be equal to one error', async () => {
    const { err, out } = await explore(script('create || exit 1'), ['--effects', 'unavailable,outage'])
    expect(err).toContain('The search needs at most 5 runs.\n')
    expect(out).toMatch(/^4 runs with 4 calls: no failures\.\n$/)
  })
})

it('the address is also in PAYLINK_MOCK_URL, which --env can set to another text', async () => {
  const same = script('test "$PAYLINK_MOCK_URL" = "$BASE_URL" && create')
  expect((await explore(same)).code).toBe(0)
  const other = script('test "$PAYLINK_MOCK_URL" = "$BASE_URL/v1" && create')
  expect((await explore(other, ['--env', 'PAYLINK_MOCK_URL={url}/v1'])).code).toBe(0)
  expect((await interleave([same, same])).code).toBe(0)
})

describe('without a fault', () => {
  it('a program that fails shows its calls, and the first that the mock rejects with its problems', async () => {
    const { code, err } = await explore(script('create && call "$links" -d "{}"'))
    expect(code).toBe(1)
    expect(err).toMatch(
      /^The program exits with 22 without a fault\. The mock rejects call 2: invoice is required\. type is required\. /,
    )
    expect(err).toMatch(/\nThe calls:\n {2}1\. POST .* -> 201 pml_\w+ active\n {2}2\. POST .* -> 422 invalidBody\n/)
  })

  it('a second run that calls nothing is compared with the first', async () => {
    const file = join(emptyFolder(), 'done')
    const { err } = await explore(script(`test -e ${file} || create; touch ${file}`))
    expect(existsSync(file)).toBe(true)
    expect(err).toMatch(
      /: the second run calls nothing, and the first sends POST .* delete that before each run, as with --reset 'rm -f shop\.db'/,
    )
  })

  it('a program in quotes is not found, and the message says how to write it', async () => {
    expect(await explore(['python3 a.py'])).toMatchObject({
      code: 2,
      err: "The program 'python3 a.py' was not found. Write it without quotes: -- python3 a.py\n",
    })
  })
})

describe('interleave', () => {
  it('says what overlapped in an order that looks serial', async () => {
    const file = join(emptyFolder(), 'done')
    const once = script(`test ! -e ${file} || exit 0; create; touch ${file}`)
    const { out } = await interleave([once, once], ['--reset', `rm -f ${file}`, '--only', 'a,b'])
    expect(out).toContain('\nb had started before a ended.\nRepeat it:\n')
    expect((await interleave([worker, worker], ['--only', 'a,b*2,a'])).out).not.toContain('had started before')
  })

  it('says which serial orders leave other records, which is no failure', async () => {
    const programs = [worker, script('create')]
    const difference = '1 payment link of inv_77 instead of 2'
    const { serial, failures } = await interleaveJson(programs)
    expect({ serial, failures }).toEqual({ serial: [{ order: ['b', 'a'], differences: [difference] }], failures: [] })
    const { out } = await interleave(programs)
    expect(out).toMatch(
      new RegExp(`^The records depend on the order .* no failure\\. .*:\n {2}if b runs before a: ${difference}\n`),
    )
    expect((await interleaveJson([worker, worker], ['--only', 'a*2,b'])).serial).toEqual([])
  })

  it('shows the order, the calls and the line that repeats a run whose check fails', async () => {
    const check = `sh -c '. ${clientFile}; test "$(find_links | wc -l)" -lt 2'`
    const { code, err } = await interleave([worker, script('create')], ['--check', check])
    expect(code).toBe(1)
    expect(err).toMatch(
      /^The check exits with 1 if a runs before b\.\nThe calls:\n {2}1\. a {2}GET .*\n {2}2\. a {2}POST .*\n {2}3\. b {2}POST /m,
    )
    expect(err).toMatch(/\nRepeat it:\n {2}npx paylink-mock interleave --only 'a\*2,b' /)
  })
})
