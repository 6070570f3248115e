/**
 * A flag of the command line. The help and the reference are generated from it. Its variable and its option of `createMock`
 * or `listen` are named after it.
 */
export interface Flag {
  readonly short?: string
  /** The placeholder for its value in the help; undefined for a switch. */
  readonly value?: string
  readonly repeatable?: boolean
  /** Whether its values are added to those of its variable. Any other flag replaces them. */
  readonly merges?: boolean
  /** Whether it has a variable although `start` does not accept it. Other such flags concern a single run. */
  readonly hasVariable?: boolean
  /** The commands that accept it. @default all */
  readonly for?: readonly CommandName[]
  readonly help: string
  /** The help of a command for which the flag means something else. */
  readonly helpFor?: Partial<Record<CommandName, string>>
  readonly env?: string | undefined
}

/** A command of the command line. `needs` says which operands it requires, with an example. */
interface CliCommand {
  readonly help: string
  /** @default 0 */
  readonly maxOperands?: number
  readonly needs?: string
  /** Its programs, which follow after its flags, in the help. */
  readonly programs?: string
}

const commandDefinitions = {
  start: { help: 'start the mock (the default)' },
  init: { help: 'write an example seed file: init [file]', maxOperands: 1 },
  validate: {
    help: 'check a seed file: validate <seed>',
    maxOperands: 1,
    needs: 'a seed file: paylink-mock validate seed.json',
  },
  health: { help: 'check that a mock is running: health [url]', maxOperands: 1 },
  openapi: { help: 'print the OpenAPI document of the mocked API' },
  coverage: {
    help: 'print what clients were never shown: coverage <folder or URL>...',
    maxOperands: Infinity,
    needs: 'folders or addresses: paylink-mock coverage http://127.0.0.1:4600',
  },
  compare: {
    help: 'run a program against a real service, and show where the mock differs: compare -- <program>',
    maxOperands: Infinity,
    needs: 'a program: paylink-mock compare --base-url https://api.example/v1 -- pytest tests/integration',
    programs: '-- program [arguments]',
  },
  explore: {
    help: 'run a program that calls this API again and again, each time with another fault: explore -- <program>',
    maxOperands: Infinity,
    needs: 'a program: paylink-mock explore -- pytest tests/test_checkout.py',
    programs: '-- program [arguments]',
  },
  interleave: {
    help: 'run programs side by side, each time in another order of their calls: interleave -- <program> -- <program>',
    maxOperands: Infinity,
    needs: 'programs: paylink-mock interleave -- python worker.py -- node cron.js',
    programs: '-- program [arguments] -- program [arguments]',
  },
} as const satisfies Record<string, CliCommand>

export type CommandName = keyof typeof commandDefinitions

export const cliCommands: Readonly<Record<CommandName, CliCommand>> = commandDefinitions

const searchCommands = ['explore', 'interleave'] as const
/** The commands that create a mock with records. */
const mockCommands = ['start', ...searchCommands] as const
/** The commands that create a mock. */
const allMockCommands = ['start', 'openapi', ...searchCommands] as const

/** Defines flags that the same commands accept. */
const defineFlags = <N extends string>(
  commands: readonly CommandName[],
  ownFlags: Record<N, Flag>,
): Record<N, Flag> => {
  const entries = Object.entries<Flag>(ownFlags).map(([name, flag]) => [name, { ...flag, for: commands }])
  return Object.fromEntries(entries)
}

const flagDefinitions = {
  port: {
    short: 'p',
    value: 'PORT',
    for: ['start', 'health', 'explore'],
    help: 'port to listen on, 0 for a free one [4600]',
    helpFor: {
      health: 'port of the mock [4600]',
      explore: 'port of the mock in each run, for a web service that runs already [a free one]',
    },
  },
  host: {
    value: 'HOST',
    for: ['start', 'health'],
    help: 'address to bind [127.0.0.1]',
    helpFor: { health: 'address of the mock [127.0.0.1]' },
  },
  'base-path': { value: 'PATH', for: allMockCommands, help: 'path before /projects, such as /v1 [none]' },
  provider: {
    value: 'NAME',
    for: ['start', 'openapi', 'compare', ...searchCommands],
    help: 'name of the payment provider in requests and responses [partner]',
  },
  seed: {
    short: 's',
    value: 'FILE',
    for: [...mockCommands, 'compare'],
    help: 'seed file, or the word empty for a mock without records [the demo seed]',
    helpFor: { compare: 'seed file with the expected behaviors [none]' },
  },
  token: {
    value: 'TOKEN',
    repeatable: true,
    for: ['start', ...searchCommands],
    help: 'bearer token that clients must send [any]',
  },
  'admin-token': {
    value: 'TOKEN',
    for: ['start', 'coverage'],
    help: 'bearer token of /__admin, none for no token [open on loopback, else random]',
    helpFor: { coverage: 'bearer token of /__admin of the mocks' },
  },
  'allowed-hosts': {
    value: 'HOST,...',
    repeatable: true,
    for: ['start'],
    help: 'other Host names that /__admin accepts',
  },
  clock: { value: 'CLOCK', for: mockCommands, help: 'real, frozen, stepping, or a time to freeze at [real]' },
  'id-seed': { value: 'TEXT', for: mockCommands, help: 'text that ids are derived from [paylink-mock]' },
  profile: {
    value: 'NAME',
    for: [...allMockCommands, 'compare'],
    help: 'set of behavior values, default or strict [default]',
    helpFor: { compare: 'set of expected behavior values, default or strict [none]' },
  },
  behavior: {
    value: 'KEY=VALUE',
    repeatable: true,
    merges: true,
    for: [...allMockCommands, 'compare'],
    help: 'value of a behavior that the specification leaves open',
    helpFor: { compare: 'expected value of a behavior' },
  },
  ...defineFlags(['start'], {
    'public-url': { value: 'URL', help: 'base URL of payment pages [that of the request]' },
    cors: {
      value: 'ORIGIN',
      repeatable: true,
      help: 'origin whose web pages may call the mocked API, * for every one [none]',
    },
    log: { value: 'FORMAT', help: 'pretty, json or silent [pretty on a terminal, else json]' },
    'journal-size': { value: 'ENTRIES', help: 'recorded requests to keep for each project [1000]' },
    'max-sandboxes': { value: 'NUMBER', help: 'maximum number of sandboxes, 0 for none [1000]' },
    'body-limit': { value: 'BYTES', help: 'maximum size of a request body [1048576]' },
    watch: { help: 'reload the seed when its file changes' },
  }),
  'base-url': { value: 'URL', hasVariable: true, for: ['compare'], help: 'base URL of the real service' },
  'allow-other-errors': {
    for: ['compare'],
    help: 'compare errors in a format that the mock does not have by their status alone',
  },
  only: { value: 'TEXT', repeatable: true, for: searchCommands, help: 'schedule to run, such as 1.after.reset [all]' },
  out: { value: 'FILE', for: ['compare'], help: 'seed file to write the observed behaviors to' },
  min: { value: 'PERCENT', for: ['coverage'], help: 'fail if clients were shown fewer situations [0]' },
  ignore: { value: 'OPERATION:SITUATION', repeatable: true, for: ['coverage'], help: 'situation that does not count' },
  json: { for: ['compare', 'coverage', ...searchCommands], help: 'print the result as JSON' },
  env: {
    value: 'NAME[=TEXT]',
    repeatable: true,
    for: [...searchCommands, 'compare'],
    help: 'variable for the address or a text with {url} [BASE_URL, PAYLINK_MOCK_URL]',
  },
  ...defineFlags(searchCommands, {
    effects: { value: 'NAME,...', help: 'effects to try: default, all, or names such as crash,paid [default]' },
    faults: { value: 'NUMBER', help: 'maximum number of faults in a run [1; 0 for interleave without --effects]' },
    'must-succeed': { value: 'NAME,...', help: 'effects under which each program must exit with 0 [none]' },
    reset: {
      value: 'PROGRAM',
      help: 'program with arguments that runs before each run, such as to delete a database [none]',
    },
    service: {
      value: 'PROGRAM',
      repeatable: true,
      help: 'web service to test, at the port in PORT; the program calls it at SERVICE_URL [none]',
    },
    ready: { value: 'PATH', help: 'path that responds with 2xx when a service is ready [it accepts connections]' },
    'pay-after-reads': {
      value: 'NUMBER',
      help: 'the retrieve of a link that pays it, for programs that wait for a payment [none]',
    },
    'allow-rest': { help: 'accept a link to pay beside a paid one of the same invoice' },
  }),
  switches: {
    value: 'NUMBER',
    for: ['interleave'],
    help: 'switches between programs in the orders that are all tried, or the word all [2]',
  },
  isolated: { for: ['interleave'], help: 'the programs share only the mock: no database and no file' },
  incomplete: { for: searchCommands, help: 'exit with 0 even if not everything was tried' },
  settle: {
    value: 'MILLISECONDS',
    for: ['interleave'],
    help: 'how long a program may send no call before the others go on [10000]',
  },
  ...defineFlags(searchCommands, {
    check: { value: 'PROGRAM', help: 'program with arguments that must exit with 0 after each run [none]' },
    jobs: { value: 'NUMBER', help: 'runs at the same time [the number of cores, or 1 with --reset]' },
  }),
  timeout: {
    value: 'SECONDS',
    for: [...searchCommands, 'compare'],
    help: 'time for one run [60, or 3600 for compare]',
  },
  'max-runs': { value: 'NUMBER', for: searchCommands, help: 'maximum number of runs [no limit]' },
  'max-calls': { value: 'NUMBER', for: searchCommands, help: 'maximum number of calls of one run [1000]' },
  help: { short: 'h', help: 'show this help' },
  version: { short: 'v', help: 'show the version' },
} as const satisfies Record<string, Flag>

export type FlagName = keyof typeof flagDefinitions

const toPlural = (name: string, { repeatable }: Flag): string => (repeatable && !name.endsWith('s') ? `${name}s` : name)

const getVariable = (name: string, flag: Flag): string | undefined =>
  flag.value !== undefined && (flag.hasVariable || flag.for?.includes('start') !== false)
    ? `PAYLINK_MOCK_${toPlural(name, flag).toUpperCase().replaceAll('-', '_')}`
    : undefined

export const flags = Object.fromEntries(
  Object.entries<Flag>(flagDefinitions).map(([name, flag]) => [name, { ...flag, env: getVariable(name, flag) }]),
) as Readonly<Record<FlagName, Flag>>

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(cliCommands, name)
export const isFlagName = (name: string): name is FlagName => Object.hasOwn(flags, name)
export const flagNames = Object.keys(flags).filter(isFlagName)

/** Returns the name that the option of a flag has: `allowedHosts`, or `tokens` for `token`. */
export const getOptionName = (name: FlagName): string =>
  toPlural(name, flags[name]).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

export const hasFlag = (command: CommandName, name: FlagName): boolean => flags[name].for?.includes(command) ?? true

/** Returns the help of a command. That of `start` covers all commands. */
export const formatHelp = (command: CommandName): string =>
  command === 'start' ? formatFullHelp() : formatCommandHelp(command)

const formatCommandHelp = (command: CommandName): string => {
  const { help, programs } = cliCommands[command]
  // Its operands are at the end of its help.
  const operands = programs === undefined ? help.split(`: ${command} `)[1] : programs
  return [
    `Usage: paylink-mock ${command} [flags]${operands === undefined ? '' : ` ${operands}`}`,
    '',
    `  ${help}`,
    '',
    flagsHeading,
    ...flagNames.filter((name) => hasFlag(command, name)).flatMap((name) => formatFlag(name, command)),
    '',
  ].join('\n')
}

const formatFullHelp = (): string => {
  const commandLines = Object.entries(cliCommands).map(([name, { help }]) => `  ${name.padEnd(10)} ${help}`)
  return [
    'Usage: paylink-mock [command] [flags]',
    '',
    'An in-memory mock server of a subscription-management API: users and payment links.',
    '',
    'Commands:',
    ...commandLines,
    '',
    flagsHeading,
    ...flagNames.filter((name) => hasFlag('start', name)).flatMap((name) => formatFlag(name, 'start')),
    '',
    ...Object.keys(cliCommands).filter(isCommandName).flatMap(formatOwnFlags),
  ].join('\n')
}

/** Formats the flags of a command that no command before it has, and the names of its other flags. Empty if it has none. */
const formatOwnFlags = (command: CommandName, index: number, commands: readonly CommandName[]): string[] => {
  const accepted = flagNames.filter((name) => flags[name].for !== undefined && hasFlag(command, name))
  const own = accepted.filter((name) => !commands.slice(0, index).some((earlier) => hasFlag(earlier, name)))
  if (own.length === 0 || command === 'start') return []
  const others = accepted.filter((name) => !own.includes(name)).map((name) => `--${name}`)
  const also = others.length === 0 ? '' : ` (also ${others.join(', ')})`
  const heading = `Flags of ${command}${also}:`.replace(/(.{1,110})(?: |$)/g, '$1\n').trimEnd()
  return [heading, ...own.flatMap((name) => formatFlag(name, command)), '']
}

const flagsHeading =
  'Flags (a flag overrides its variable, which overrides the seed; lists in variables are separated by commas):'

const helpColumn = 32

const formatFlag = (name: FlagName, command: CommandName): string[] => {
  const { short, value, env, helpFor } = flags[name]
  const help = helpFor?.[command] ?? flags[name].help
  const usage = `  ${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`
  const indent = ' '.repeat(helpColumn)
  const lines = usage.length < helpColumn ? [usage.padEnd(helpColumn) + help] : [usage, indent + help]
  return [...lines, ...(env ? [`${indent}$${env}`] : [])]
}
