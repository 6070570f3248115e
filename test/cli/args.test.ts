import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { readArgs, UsageError } from '../../src/command-line/args.ts'
import type { CommandName, Flag, FlagName } from '../../src/command-line/flags.ts'
import { cliCommands, flags, hasFlag } from '../../src/command-line/flags.ts'
import { version } from '../../src/core/schema/version.ts'
import { runMain } from './support/main.ts'

const secret = 's3cretS3cret'

describe('readArgs', () => {
  it('starts without arguments', () => {
    const args = { command: 'start', operands: [], values: {}, flags: {}, variables: {}, warnings: [] }
    expect(readArgs([], {})).toEqual(args)
  })

  it.each([
    ['a flag and its value', ['--port', '1']],
    ['a flag with an equals sign', ['--port=1']],
    ['a short flag and its value', ['-p', '1']],
    ['a short flag with its value attached', ['-p1']],
    ['a flag before the command', ['--port', '1', 'start']],
    ['a flag behind the command', ['start', '--port', '1']],
  ])('reads %s', (_, argv) => {
    expect(readArgs(argv, {})).toMatchObject({ command: 'start', operands: [], values: { port: ['1'] } })
  })

  it.each([
    [['-s', 'a.json'], { seed: ['a.json'] }],
    [['-h'], { help: ['true'] }],
    [['-v'], { version: ['true'] }],
    [['--id-seed=a=b'], { 'id-seed': ['a=b'] }],
    [['--token', 'a', '--token=b'], { token: ['a', 'b'] }],
    [['--token', 'a,b'], { token: ['a,b'] }],
    [['--id-seed=-1'], { 'id-seed': ['-1'] }],
    [['-p', '-1'], { port: ['-1'] }],
    [['--seed', '-'], { seed: ['-'] }],
  ])('reads %j as %j', (argv, values) => {
    expect(readArgs(argv, {}).values).toEqual(values)
  })

  it.each([
    [['validate', 'seed.json'], { command: 'validate', operands: ['seed.json'] }],
    [['health'], { command: 'health', operands: [] }],
    [['health', 'http://127.0.0.1:1'], { command: 'health', operands: ['http://127.0.0.1:1'] }],
    [['openapi', '--provider', 'acme'], { command: 'openapi', operands: [] }],
    [['validate', '--', '--odd.json'], { command: 'validate', operands: ['--odd.json'] }],
    [
      ['--jobs', '2', 'explore', '--', 'pytest', '-k', '--', '--seed'],
      { command: 'explore', operands: ['pytest', '-k', '--', '--seed'], values: { jobs: ['2'] } },
    ],
  ])('reads the command of %j', (argv, command) => {
    expect(readArgs(argv, {})).toMatchObject(command)
  })

  const variables = Object.entries<Flag>(flags).flatMap(([name, { env, for: [command = 'start'] = [] }]) =>
    env ? [[env, name, command] as const] : [],
  )

  const withOperands = (command: string) => (command === 'compare' ? [command, '--', 'true'] : [command])

  it.each(variables)('reads $%s as --%s of %s, unless it is empty or the flag is given', (variable, name, command) => {
    const argv = withOperands(command)
    expect(readArgs(argv, { [variable]: 'x' }).values).toEqual({ [name]: ['x'] })
    expect(readArgs(argv, { [variable]: '' }).values).toEqual({})
    expect(readArgs([`--${name}=flag`, ...argv], { [variable]: 'x' }).values).toEqual({ [name]: ['flag'] })
  })

  it('reads only the variables of the command', () => {
    const env = { PAYLINK_MOCK_SEED: 'a.json', PAYLINK_MOCK_BASE_URL: 'u', PAYLINK_MOCK_TOKENS: 't' }
    expect(readArgs([], env).values).toEqual({ seed: ['a.json'], token: ['t'] })
    expect(readArgs(['compare', '--', 'true'], env).values).toEqual({ seed: ['a.json'], 'base-url': ['u'] })
    expect(readArgs(['health'], env).values).toEqual({})
  })

  it('splits lists in variables at commas only', () => {
    const { values } = readArgs([], {
      PAYLINK_MOCK_TOKENS: 'a, b ,c',
      PAYLINK_MOCK_BEHAVIORS: 'createStatus=200,unknownFields=reject',
      PAYLINK_MOCK_ID_SEED: 'a,b',
    })
    expect(values).toEqual({
      token: ['a', 'b', 'c'],
      behavior: ['createStatus=200', 'unknownFields=reject'],
      'id-seed': ['a,b'],
    })
  })

  it.each([
    ['token', 'PAYLINK_MOCK_TOKENS'],
    ['cors', 'PAYLINK_MOCK_CORS'],
    ['allowed-hosts', 'PAYLINK_MOCK_ALLOWED_HOSTS'],
  ] as const)('replaces the whole list of a variable by the values of --%s, with a warning', (name, variable) => {
    const { values, warnings } = readArgs([`--${name}=x`], { [variable]: 'a,b' })
    expect(values[name]).toEqual(['x'])
    expect(warnings).toEqual([`--${name} replaces the whole list of ${variable}.`])
  })

  it.each([
    ['a flag alone', ['--token', 'x'], {}],
    ['a variable alone', [], { PAYLINK_MOCK_TOKENS: 'a,b' }],
    ['a variable of another command', ['health', '--port', '1'], { PAYLINK_MOCK_TOKENS: 'a' }],
    ['a flag that is no list', ['--port', '1'], { PAYLINK_MOCK_PORT: '2' }],
    ['a list that is merged', ['--behavior', 'createStatus=200'], { PAYLINK_MOCK_BEHAVIORS: 'createStatus=201' }],
  ])('has no warning for %s', (_, argv, env) => {
    expect(readArgs(argv, env).warnings).toEqual([])
  })

  it('ignores variables of other programs', () => {
    expect(readArgs([], { PORT: '1', HOST: 'x', PAYLINK_MOCK_HELP: '1', PAYLINK_MOCK_PORTS: '1' }).values).toEqual({})
  })

  it.each([
    [['--prot', '1'], 'Unknown flag --prot; did you mean --port?'],
    [['--prot=1'], 'Unknown flag --prot; did you mean --port?'],
    [['--admintoken', secret], 'Unknown flag --admintoken; did you mean --admin-token?'],
    [['--behaviour', 'x=y'], 'Unknown flag --behaviour; did you mean --behavior?'],
    [['compare', '--jsn', '--', 'true'], 'Unknown flag --jsn; did you mean --json?'],
    [['--pout', 'x'], 'Unknown flag --pout; did you mean --port?'],
    [['compare', '--pout=x', '--', 'true'], 'Unknown flag --pout; did you mean --out?'],
    [['--pout', 'x', 'openapi'], 'Unknown flag --pout; did you mean --port?'],
    [['--base-ulr=x'], 'Unknown flag --base-ulr; did you mean --base-url?'],
    [['--timeout', '1'], '--timeout is a flag of explore, interleave and compare, not of start.'],
    [['openapi', '--seed', 'a.json'], '--seed is a flag of start, explore, interleave and compare, not of openapi.'],
    [['health', '--watch'], '--watch is a flag of start, not of health.'],
    [['--xyzzy'], 'Unknown flag --xyzzy; see paylink-mock --help.'],
    [['--__proto__'], 'Unknown flag --__proto__; see paylink-mock --help.'],
    [['--toString'], 'Unknown flag --toString; see paylink-mock --help.'],
    [['-x'], 'Unknown flag -x; see paylink-mock --help.'],
    [['strat'], "Unknown command 'strat'; did you mean 'start'?"],
    [['valdiate', 'x.json'], "Unknown command 'valdiate'; did you mean 'validate'?"],
    [['frobnicate'], "Unknown command 'frobnicate'; see paylink-mock --help."],
    [['constructor'], "Unknown command 'constructor'; see paylink-mock --help."],
    [['0'], "Unknown command '0'; with npm, flags follow --: npm start -- --port 0."],
    [['--port'], '--port needs a value: --port PORT.'],
    [['--port='], '--port needs a value: --port PORT.'],
    [['--seed', ''], '--seed needs a value: --seed FILE.'],
    [['-s'], '-s needs a value: -s FILE.'],
    [['--help=yes'], "--help takes no value (got 'yes')."],
    [['start', 'now'], "start takes no operand (got 'now')."],
    [['openapi', 'x'], "openapi takes no operand (got 'x')."],
    [['health', 'a', 'b'], "health takes one operand (got 'a b')."],
    [['validate', 'a', 'b'], "validate takes one operand (got 'a b')."],
    [['compare', 'pytest', '-q'], 'compare needs its program after --: paylink-mock compare -- pytest -q.'],
    [['explore', 'pytest', '-k', 'x'], 'explore needs its program after --: paylink-mock explore -- pytest -k x.'],
    [['validate'], 'validate needs a seed file: paylink-mock validate seed.json.'],
  ])('rejects %j with one sentence', (argv, sentence) => {
    expect(() => readArgs(argv, {})).toThrow(new UsageError(sentence))
  })

  it.each([
    [['--token', '--log=json'], '--token'],
    [['--port', '--host', '0.0.0.0'], '--port'],
    [['--id-seed', '--log', 'json'], '--id-seed'],
    [['--seed', '-p', '1'], '--seed'],
  ])('does not read the next flag of %j as the value of %s', (argv, name) => {
    expect(() => readArgs(argv, {})).toThrow(new RegExp(`^${name} needs a value`))
  })
})

describe('main', () => {
  it.each([
    ['an unknown command', ['strat'], /did you mean 'start'\?$/],
    ['an unknown flag beside --help', ['--help', '--prot'], /did you mean --port\?$/],
  ])('ends with exit code 2 and one sentence on stderr for %s', async (_, argv, sentence) => {
    const { outcome, out, err } = await runMain(argv)
    expect(outcome).toEqual({ exitCode: 2 })
    expect(out).toBe('')
    expect(err).toMatch(/^[^\n]+\n$/)
    expect(err.trimEnd()).toMatch(sentence)
  })

  const calls = [[], ['validate', 'x'], ...Object.keys(cliCommands).map((command) => [command])]
  it.each(calls)('reserves --help, -h, --version and -v for %s', async (...argv) => {
    const said = { outcome: { exitCode: 0 }, err: '' }
    for (const flag of ['--help', '-h'])
      expect(await runMain([...argv, flag])).toEqual({ ...said, out: expect.stringMatching(/^Usage: paylink-mock /) })
    for (const flag of ['--version', '-v'])
      expect(await runMain([...argv, flag])).toEqual({ ...said, out: `${packageJson.version}\n` })
    expect(version).toBe(packageJson.version)
  })

  it.each([
    [['help'], ['--help']],
    [
      ['help', 'validate'],
      ['validate', '--help'],
    ],
    [
      ['help', '-v'],
      ['--help', '-v'],
    ],
    [
      ['help', 'explore', '--', 'x'],
      ['explore', '--help', '--', 'x'],
    ],
  ])('prints the same for %j as for %j', async (argv, same) => {
    const said = await runMain(same)
    expect(said.outcome).toEqual({ exitCode: 0 })
    expect(await runMain(argv)).toEqual(said)
  })

  it.each([
    ['validate', ['help', 'version']],
    ['compare', Object.keys(flags).filter((name) => hasFlag('compare', name as FlagName))],
  ])('describes %s in its --help, with only its own flags', async (command, names) => {
    const { out } = await runMain([command, '--help'])
    expect(out).toContain(cliCommands[command as CommandName].help)
    expect(Array.from(out.matchAll(/^ .*?--([\w-]+)/gm), ([, name]) => name)).toEqual(names)
  })

  it.each([
    ['coverage', 'coverage [flags] <folder or URL>...'],
    ['validate', 'validate [flags] <seed>'],
    ['init', 'init [flags] [file]'],
    ['health', 'health [flags] [url]'],
    ['openapi', 'openapi [flags]'],
    ['explore', 'explore [flags] -- program [arguments]'],
  ])('shows the operands of %s in its usage', async (command, usage) => {
    const { out } = await runMain([command, '--help'])
    expect(out).toMatch(`Usage: paylink-mock ${usage}\n`)
  })

  it.each([
    ['health', 'port of the mock [4600]', /listen|bind/],
    ['compare', 'seed file with the expected behaviors [none]', /demo seed|\[default\]|sandbox/],
  ])('describes the flags of %s by what they mean for it', async (command, text, others) => {
    const { out } = await runMain([command, '--help'])
    expect(out).toContain(text)
    expect(out).not.toMatch(others)
  })

  it('lists under each command only flags that it accepts', async () => {
    const { out } = await runMain(['--help'])
    const [general = '', ...sections] = out.split(/^(?=Flags of )/m)
    const listNames = (text: string) => Array.from(text.matchAll(/--([\w-]+)/g), ([, name]) => name!)
    expect(sections.map((text) => /^Flags of (\w+)/.exec(text)?.[1])).toContain('coverage')
    for (const text of [`Flags of start: ${general}`, ...sections]) {
      const [, command = ''] = /^Flags of (\w+)/.exec(text)!
      for (const name of listNames(text))
        expect(hasFlag(command as CommandName, name as FlagName), `${command} --${name}`).toBe(true)
    }
  })

  it.each(Object.keys(cliCommands) as CommandName[])('accepts each flag that the help of %s shows', async (command) => {
    const { out } = await runMain([command, '--help'])
    // That of start lists the flags of the other commands below its own.
    const [own = ''] = out.split(/^Flags of /m)
    const shown = [...own.matchAll(/^ {2,6}(?:(-\w), )?(--[\w-]+)(?: (\S+))?(?:$| {2,})/gm)]
    expect(shown.map(([, , name]) => name)).toContain('--version')
    const { needs, maxOperands = 0 } = cliCommands[command]
    const operands = needs === undefined ? [] : ['--', ...['program', 'program'].slice(0, maxOperands)]
    for (const [, short, name, value] of shown)
      for (const flag of [short, name].filter((one) => one !== undefined)) {
        const words = value === undefined ? [flag] : [flag, 'text']
        expect(() => readArgs([command, ...words, ...operands], {}), flag).not.toThrow()
      }
  })

  it('lists every command, flag and variable in the help, within 120 columns', async () => {
    const { out } = await runMain(['--help'])
    for (const name of Object.keys(cliCommands)) expect(out).toMatch(new RegExp(`^  ${name} +\\S`, 'm'))
    for (const [name, { short, env }] of Object.entries<Flag>(flags)) {
      expect(out).toMatch(new RegExp(`^ .*--${name}[ \\n]`, 'm'))
      if (short !== undefined) expect(out).toMatch(new RegExp(`-${short}, --${name}[ \\n]`))
      if (env !== undefined) expect(out).toMatch(new RegExp(`\\$${env}\\n`))
    }
    expect(out.split('\n').filter((line) => line.length > 120)).toEqual([])
  })

  it.each(Object.keys(cliCommands) as CommandName[])('aligns the flags in the help of %s', async (command) => {
    const { out } = await runMain([command, '--help'])
    const lines = out.split('\n').filter((line) => /^ {2}[ -]/.test(line))
    // A flag that reaches the column of the texts has its text below.
    expect(lines.filter((line) => !/^(?:.{31} \S.*| {2}.{4}--\S+ \S+)$/.test(line))).toEqual([])
  })

  const ofSearch = ['env', 'effects', 'faults', 'must-succeed', 'check', 'jobs', 'timeout', 'max-runs', 'max-calls']
  const ofOneRun = new Set([
    ...'only out behaviors min ignore reset pay-after-reads settle switches service ready'.split(' '),
    ...ofSearch,
  ])

  it('has a variable of the same name for every flag except switches and flags of a single run', () => {
    for (const [name, { value, env, repeatable }] of Object.entries<Flag>(flags)) {
      const stem = `PAYLINK_MOCK_${name.toUpperCase().replaceAll('-', '_')}`
      const hasNone = value === undefined || ofOneRun.has(name)
      const expected = hasNone ? undefined : repeatable && !stem.endsWith('S') ? `${stem}S` : stem
      expect(env).toBe(expected)
    }
  })
})
