/** A flag of the command line: the help, the variables and the README come from these rows. */
export interface Flag {
  readonly short?: string
  /** The word in the help for its value; a switch has none. */
  readonly value?: string
  readonly env?: string
  readonly repeatable?: boolean
  /** The commands that take it; left out, all do. */
  readonly for?: readonly CommandName[]
  readonly help: string
}

export const commands = {
  start: 'start the mock (the default)',
  init: 'write a seed file to begin with: init [file]',
  validate: 'check a seed file: validate <seed>',
  health: 'ask a running mock whether it is up: health [url]',
  openapi: 'print the OpenAPI document of the mocked API',
  calibrate: 'find out which behaviors a real service has, by asking it',
  drift: 'ask a real service again, and fail when a behavior has changed',
} as const

export type CommandName = keyof typeof commands

const asking = ['calibrate', 'drift'] as const

export const flags = {
  port: {
    short: 'p',
    value: 'PORT',
    env: 'PAYLINK_MOCK_PORT',
    for: ['start', 'health'],
    help: 'port to listen on, 0 for any free one [4600]',
  },
  host: { value: 'HOST', env: 'PAYLINK_MOCK_HOST', for: ['start', 'health'], help: 'address to bind [127.0.0.1]' },
  'base-path': {
    value: 'PATH',
    env: 'PAYLINK_MOCK_BASE_PATH',
    for: ['start', 'openapi'],
    help: 'path before /projects, such as /v1 [none]',
  },
  provider: {
    value: 'NAME',
    env: 'PAYLINK_MOCK_PROVIDER',
    for: ['start', 'openapi', ...asking],
    help: 'wire word for the one provider [partner]',
  },
  seed: {
    short: 's',
    value: 'FILE',
    env: 'PAYLINK_MOCK_SEED',
    for: ['start'],
    help: 'seed file [the demo seed]',
  },
  token: {
    value: 'TOKEN',
    env: 'PAYLINK_MOCK_TOKENS',
    repeatable: true,
    for: ['start', ...asking],
    help: 'bearer token that clients must send [any], or that calibrate and drift send',
  },
  'admin-token': {
    value: 'TOKEN',
    env: 'PAYLINK_MOCK_ADMIN_TOKEN',
    for: ['start'],
    help: 'bearer token of /__admin, none leaves it open [open on loopback, else random]',
  },
  'allowed-hosts': {
    value: 'HOST,...',
    env: 'PAYLINK_MOCK_ALLOWED_HOSTS',
    for: ['start'],
    help: 'further Host names that /__admin answers to',
  },
  clock: {
    value: 'CLOCK',
    env: 'PAYLINK_MOCK_CLOCK',
    for: ['start'],
    help: 'real, frozen, stepping, or a time to freeze at [real]',
  },
  'id-seed': {
    value: 'TEXT',
    env: 'PAYLINK_MOCK_ID_SEED',
    for: ['start'],
    help: 'what ids are derived from [paylink-mock]',
  },
  profile: {
    value: 'NAME',
    env: 'PAYLINK_MOCK_PROFILE',
    for: ['start', 'openapi'],
    help: 'named set of readings, default or strict [default]',
  },
  behavior: {
    value: 'KEY=VALUE',
    env: 'PAYLINK_MOCK_BEHAVIORS',
    repeatable: true,
    for: ['start', 'openapi'],
    help: 'reading of an open point of the specification',
  },
  'public-url': {
    value: 'URL',
    env: 'PAYLINK_MOCK_PUBLIC_URL',
    for: ['start'],
    help: 'address that payment pages are shown under [that of the request]',
  },
  log: {
    value: 'FORMAT',
    env: 'PAYLINK_MOCK_LOG',
    for: ['start'],
    help: 'pretty, json or silent [pretty on a terminal, else json]',
  },
  'journal-size': {
    value: 'ENTRIES',
    env: 'PAYLINK_MOCK_JOURNAL_SIZE',
    for: ['start'],
    help: 'requests that are kept of each project [1000]',
  },
  'body-limit': {
    value: 'BYTES',
    env: 'PAYLINK_MOCK_BODY_LIMIT',
    for: ['start'],
    help: 'largest request body [1048576]',
  },
  watch: { for: ['start'], help: 'reload the seed when its file changes' },
  'base-url': { value: 'URL', env: 'PAYLINK_MOCK_BASE_URL', for: asking, help: 'address of the real service' },
  project: { value: 'ID', env: 'PAYLINK_MOCK_PROJECT', for: asking, help: 'project of the real service' },
  invoice: { value: 'ID', env: 'PAYLINK_MOCK_INVOICE', for: asking, help: 'invoice that payment links are made for' },
  only: { value: 'KEY,...', for: asking, help: 'behaviors to look for [all that can be seen]' },
  out: { value: 'FILE', for: ['calibrate'], help: 'seed file to write what was observed to' },
  behaviors: { value: 'FILE', for: ['drift'], help: 'seed file with the behaviors that are expected' },
  'dry-run': { for: asking, help: 'say what would be sent, and send nothing' },
  yes: { for: asking, help: 'do not ask before writing to the service' },
  json: { for: asking, help: 'print the result as JSON' },
  help: { short: 'h', help: 'show this help' },
  version: { short: 'v', help: 'show the version' },
} as const satisfies Record<string, Flag>

export type FlagName = keyof typeof flags

/** Whether a command takes the flag. */
export const takes = (command: CommandName, name: FlagName): boolean =>
  (flags[name] as Flag).for?.includes(command) ?? true

/** The help text of a command: its flags, and the variable of each. That of `start` is about all commands. */
export const helpText = (command: CommandName): string => (command === 'start' ? helpOfAll() : helpOf(command))

const names = Object.keys(flags) as FlagName[]

const helpOf = (command: CommandName): string =>
  [
    `Usage: paylink-mock ${command} [flags]`,
    '',
    `  ${commands[command]}`,
    '',
    flagsHeading,
    ...names.filter((name) => takes(command, name)).flatMap(flagLines),
    '',
  ].join('\n')

const helpOfAll = (): string => {
  const commandLines = Object.entries(commands).map(([name, help]) => `  ${name.padEnd(10)} ${help}`)
  return [
    'Usage: paylink-mock [command] [flags]',
    '',
    'An in-memory mock server of a subscription-management API: users and payment links.',
    '',
    'Commands:',
    ...commandLines,
    '',
    flagsHeading,
    ...names.filter((name) => takes('start', name) || !isAsking(name)).flatMap(flagLines),
    '',
    'Flags of calibrate and drift, which take --provider and --token too:',
    ...names.filter((name) => isAsking(name) && !takes('start', name)).flatMap(flagLines),
    '',
  ].join('\n')
}

const flagsHeading =
  'Flags (a flag beats its variable, which beats the seed; lists in variables are separated by commas):'

const isAsking = (name: FlagName): boolean => asking.some((command) => takes(command, name))

const flagLines = (name: FlagName): string[] => {
  const { short, value, env, help }: Flag = flags[name]
  return [
    `  ${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`.padEnd(32) + help,
    ...(env ? [`${' '.repeat(32)}$${env}`] : []),
  ]
}
