/** A flag of the command line. The help, the variables and the reference are generated from it. */
export interface Flag {
  readonly short?: string
  /** The placeholder for its value in the help; undefined for a switch. */
  readonly value?: string
  readonly repeatable?: boolean
  /** Whether its values are added to those of its variable. Any other flag replaces them. */
  readonly merges?: boolean
  /** Whether it concerns a single run. It has no variable. */
  readonly once?: boolean
  /** The commands that accept it. @default all */
  readonly for?: readonly CommandName[]
  readonly help: string
  /** Its environment variable, which is named after it. */
  readonly env?: string | undefined
}

export const commandSummaries = {
  start: 'start the mock (the default)',
  init: 'write an example seed file: init [file]',
  validate: 'check a seed file: validate <seed>',
  health: 'check that a mock is running: health [url]',
  openapi: 'print the OpenAPI document of the mocked API',
  calibrate: 'find out which behaviors a real service has',
  drift: 'probe a real service again, and fail if a behavior has changed',
} as const

export type CommandName = keyof typeof commandSummaries

const calibration = ['calibrate', 'drift'] as const

const definitions = {
  port: { short: 'p', value: 'PORT', for: ['start', 'health'], help: 'port to listen on, 0 for a free one [4600]' },
  host: { value: 'HOST', for: ['start', 'health'], help: 'address to bind [127.0.0.1]' },
  'base-path': { value: 'PATH', for: ['start', 'openapi'], help: 'path before /projects, such as /v1 [none]' },
  provider: {
    value: 'NAME',
    for: ['start', 'openapi', ...calibration],
    help: 'wire word for the one provider [partner]',
  },
  seed: { short: 's', value: 'FILE', for: ['start'], help: 'seed file, or empty for no records [the demo seed]' },
  token: {
    value: 'TOKEN',
    repeatable: true,
    for: ['start', ...calibration],
    help: 'bearer token that clients must send [any], or that calibrate and drift send',
  },
  'admin-token': {
    value: 'TOKEN',
    for: ['start'],
    help: 'bearer token of /__admin, or none to leave it open [open on loopback, else random]',
  },
  'allowed-hosts': {
    value: 'HOST,...',
    repeatable: true,
    for: ['start'],
    help: 'other Host names that /__admin accepts',
  },
  clock: { value: 'CLOCK', for: ['start'], help: 'real, frozen, stepping, or a time to freeze at [real]' },
  'id-seed': { value: 'TEXT', for: ['start'], help: 'text that ids are derived from [paylink-mock]' },
  profile: { value: 'NAME', for: ['start', 'openapi'], help: 'set of behavior values, default or strict [default]' },
  behavior: {
    value: 'KEY=VALUE',
    repeatable: true,
    merges: true,
    for: ['start', 'openapi'],
    help: 'value of a behavior that the specification leaves open',
  },
  'public-url': {
    value: 'URL',
    for: ['start'],
    help: 'base URL of payment pages [that of the request]',
  },
  cors: {
    value: 'ORIGIN',
    repeatable: true,
    for: ['start'],
    help: 'origin whose web pages may call the mocked API, * for every one [none]',
  },
  log: { value: 'FORMAT', for: ['start'], help: 'pretty, json or silent [pretty on a terminal, else json]' },
  'journal-size': { value: 'ENTRIES', for: ['start'], help: 'recorded requests to keep for each project [1000]' },
  'max-sandboxes': { value: 'NUMBER', for: ['start'], help: 'maximum number of sandboxes, 0 for none [1000]' },
  'body-limit': { value: 'BYTES', for: ['start'], help: 'maximum size of a request body [1048576]' },
  watch: { for: ['start'], help: 'reload the seed when its file changes' },
  'base-url': { value: 'URL', for: calibration, help: 'base URL of the real service' },
  project: { value: 'ID', for: calibration, help: 'project of the real service' },
  invoice: { value: 'ID', for: calibration, help: 'invoice to create payment links for' },
  only: { value: 'KEY,...', once: true, for: calibration, help: 'behaviors to probe [all that have a probe]' },
  out: { value: 'FILE', once: true, for: ['calibrate'], help: 'seed file to write the observed behaviors to' },
  behaviors: { value: 'FILE', once: true, for: ['drift'], help: 'seed file with the expected behaviors' },
  'dry-run': { for: calibration, help: 'show the requests without sending them' },
  yes: { for: calibration, help: 'do not ask before writing to the service' },
  json: { for: calibration, help: 'print the result as JSON' },
  help: { short: 'h', help: 'show this help' },
  version: { short: 'v', help: 'show the version' },
} as const satisfies Record<string, Flag>

export type FlagName = keyof typeof definitions

const getVariable = (name: string, { value, repeatable, once }: Flag): string | undefined =>
  value === undefined || once
    ? undefined
    : `PAYLINK_MOCK_${name.toUpperCase().replaceAll('-', '_')}${repeatable && !name.endsWith('s') ? 'S' : ''}`

export const flags = Object.fromEntries(
  Object.entries<Flag>(definitions).map(([name, flag]) => [name, { ...flag, env: getVariable(name, flag) }]),
) as Readonly<Record<FlagName, Flag>>

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(commandSummaries, name)
export const isFlagName = (name: string): name is FlagName => Object.hasOwn(flags, name)
export const flagNames = Object.keys(flags).filter(isFlagName)

/** Whether a command accepts the flag. */
export const hasFlag = (command: CommandName, name: FlagName): boolean => flags[name].for?.includes(command) ?? true

/** Returns the help of a command. That of `start` covers all commands. */
export const formatHelp = (command: CommandName): string =>
  command === 'start' ? formatFullHelp() : formatCommandHelp(command)

const formatCommandHelp = (command: CommandName): string =>
  [
    `Usage: paylink-mock ${command} [flags]`,
    '',
    `  ${commandSummaries[command]}`,
    '',
    flagsHeading,
    ...flagNames.filter((name) => hasFlag(command, name)).flatMap(formatFlag),
    '',
  ].join('\n')

const formatFullHelp = (): string => {
  const commandLines = Object.entries(commandSummaries).map(([name, help]) => `  ${name.padEnd(10)} ${help}`)
  return [
    'Usage: paylink-mock [command] [flags]',
    '',
    'An in-memory mock server of a subscription-management API: users and payment links.',
    '',
    'Commands:',
    ...commandLines,
    '',
    flagsHeading,
    ...flagNames.filter((name) => hasFlag('start', name) || !isOfCalibration(name)).flatMap(formatFlag),
    '',
    'Flags of calibrate and drift, which also accept --provider and --token:',
    ...flagNames.filter((name) => isOfCalibration(name) && !hasFlag('start', name)).flatMap(formatFlag),
    '',
  ].join('\n')
}

const flagsHeading =
  'Flags (a flag overrides its variable, which overrides the seed; lists in variables are separated by commas):'

const isOfCalibration = (name: FlagName): boolean => calibration.some((command) => hasFlag(command, name))

const formatFlag = (name: FlagName): string[] => {
  const { short, value, env, help } = flags[name]
  return [
    `  ${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`.padEnd(32) + help,
    ...(env ? [`${' '.repeat(32)}$${env}`] : []),
  ]
}
