import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { interleave, interleaveJson, script } from './support/programs.ts'

const tempFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-orders-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'file')
}

/** Creates a link if it finds none. */
const worker = script('test -n "$(find_links)" || create')
const createUser = (email: string) => `call "$BASE_URL/projects/acme/users" -d '{"email":"${email}"}' >/dev/null`

describe('interleave', () => {
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
      1 other run failed with the same error.
      "
    `)
    expect(out).toMatch(/\n {2}npx paylink-mock interleave --only 'a,b\*2,a' --seed empty -- sh -c .* -- sh -c .*\n/)
  })

  it('repeats one order with --only', async () => {
    const { code, failures, endedBy } = await interleaveJson([worker, worker], ['--only', 'b,a*2,b'])
    expect({ code, endedBy, replays: failures.map(({ replay }) => replay) }).toEqual({
      code: 1,
      endedBy: 'only',
      replays: ['b,a*2,b'],
    })
    const good = await interleaveJson([worker, worker], ['--only', 'a*2,b'])
    expect({ code: good.code, failures: good.failures }).toEqual({ code: 0, failures: [] })
  })

  it('needs no search for programs that cannot affect each other', async () => {
    const each = (invoice: string) => script(`create ${invoice}; create ${invoice}; create ${invoice}`)
    const { runs, exhausted, failures } = await interleaveJson([
      each('inv_1'),
      worker.slice(0, 2).concat('true; ' + script('create inv_2')[2]!),
    ])
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
    const { exhausted, failures, notTried } = await interleaveJson([both, script('create inv_3')])
    expect(failures).toEqual([])
    // On a busy machine the second call may come after the choice that it should have waited for, and the search says so.
    const late = 'the programs took another path: other calls wait at step 1'
    expect(notTried.filter(({ why }) => why !== late)).toEqual([])
    expect(exhausted).toBe(notTried.length === 0)
  })
})

describe('interleave is not exhausted', () => {
  const why = async (programs: readonly (readonly string[])[], flags: readonly string[] = []) => {
    const { exhausted, notTried, code } = await interleaveJson(programs, flags)
    expect({ exhausted, code }).toEqual({ exhausted: false, code: 1 })
    return [...new Set(notTried.map((one) => one.why))].join('\n')
  }

  it('if a program gives up a call while it waits', async () => {
    const impatient = script('curl -s -m 0.2 -H "Authorization: Bearer any" "$links" >/dev/null; true')
    const slow = script('sleep 0.7; create')
    expect(await why([impatient, slow])).toMatch(/gave up a call while it waited|ended while one of its calls waited/)
  })

  it('if a program waits for another one', async () => {
    const file = tempFile()
    const first = script(`create; touch ${file}`)
    const second = script(`until test -e ${file}; do sleep 0.05; done; find_links; true`)
    const text = await why([second, first], ['--settle', '300', '--reset', `rm -f ${file}`])
    expect(text).toContain('a sent no call for 0.3 s, so the others went on without it')
  })

  it('if a program takes another path', async () => {
    const file = tempFile()
    const text = `echo >>${file}; test $(wc -l <${file}) -le 3 || exit 1; create`
    expect(await why([script(text), script('create inv_2')])).toContain('the programs took another path')
  })

  it('if a program leaves a daemon that sends calls', async () => {
    const daemon = script('(sleep 0.3; find_links) & create')
    expect(await why([daemon, script('sleep 0.6; create inv_2')])).not.toBe('')
  })
})

describe('interleave rejects', () => {
  it.each<[what: string, programs: string[][], flags: string[], code: number, message: RegExp]>([
    [
      'one program',
      [script('create')],
      [],
      2,
      /^interleave needs two to four programs, each after --: .* \(got 1 program\)\.$/m,
    ],
    ['five programs', Array.from({ length: 5 }, () => script('create')), [], 2, /\(got 5 programs\)\.$/m],
    ['two faults', [worker, worker], ['--faults', '2'], 2, /^--faults must be an integer from 0 to 1/],
    [
      'programs that fail one after the other',
      [script('create; exit 3'), worker],
      [],
      1,
      /^Not all programs exit with 0 when they run one after the other, in any order: program a exits with 3\.$/m,
    ],
    ['random values', [script('create inv_$$'), worker], [], 1, /^The programs do not repeat themselves: /],
    ['a program that calls nothing', [['true'], worker], [], 1, /^Program a calls nothing\. It must read/],
    ['an unknown program', [worker, worker], ['--only', 'c,a'], 2, /names the unknown actor 'c'/],
    ['a schedule that does not fit', [worker, worker], ['--only', 'a*9'], 1, /does not fit/],
  ])('%s', async (_, programs, flags, code, message) => {
    const result = await interleave(programs, flags)
    expect(result).toMatchObject({ code, out: '' })
    expect(result.err).toMatch(message)
  })
})
