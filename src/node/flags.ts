/** A flag of the command line: the help, the variables and the README come from these rows. */
export interface Flag {
  readonly short?: string
  /** The word in the help for its value; a switch has none. */
  readonly value?: string
  readonly env?: string
  readonly repeatable?: boolean
  readonly help: string
}

export const flags = {
  port: { short: 'p', value: 'PORT', env: 'PAYLINK_MOCK_PORT', help: 'port to listen on, 0 for any free one [4600]' },
  host: { value: 'HOST', env: 'PAYLINK_MOCK_HOST', help: 'address to bind [127.0.0.1]' },
  'base-path': { value: 'PATH', env: 'PAYLINK_MOCK_BASE_PATH', help: 'path before /projects, such as /v1 [none]' },
  provider: { value: 'NAME', env: 'PAYLINK_MOCK_PROVIDER', help: 'wire word for the one provider [partner]' },
  seed: { short: 's', value: 'FILE', env: 'PAYLINK_MOCK_SEED', help: 'seed file [the demo seed]' },
  token: {
    value: 'TOKEN',
    env: 'PAYLINK_MOCK_TOKENS',
    repeatable: true,
    help: 'bearer token that clients must send [any]',
  },
  'admin-token': {
    value: 'TOKEN',
    env: 'PAYLINK_MOCK_ADMIN_TOKEN',
    help: 'bearer token of /__admin, none leaves it open [open on loopback, else random]',
  },
  'allowed-hosts': {
    value: 'HOST,...',
    env: 'PAYLINK_MOCK_ALLOWED_HOSTS',
    help: 'further Host names that /__admin answers to',
  },
  clock: {
    value: 'CLOCK',
    env: 'PAYLINK_MOCK_CLOCK',
    help: 'real, frozen, stepping, or a time to freeze at [real]',
  },
  'id-seed': { value: 'TEXT', env: 'PAYLINK_MOCK_ID_SEED', help: 'what ids are derived from [paylink-mock]' },
  profile: {
    value: 'NAME',
    env: 'PAYLINK_MOCK_PROFILE',
    help: 'named set of readings, default or strict [default]',
  },
  behavior: {
    value: 'KEY=VALUE',
    env: 'PAYLINK_MOCK_BEHAVIORS',
    repeatable: true,
    help: 'reading of an open point of the specification',
  },
  'public-url': {
    value: 'URL',
    env: 'PAYLINK_MOCK_PUBLIC_URL',
    help: 'address that payment pages are shown under [that of the request]',
  },
  log: { value: 'FORMAT', env: 'PAYLINK_MOCK_LOG', help: 'pretty, json or silent [pretty on a terminal, else json]' },
  'journal-size': {
    value: 'ENTRIES',
    env: 'PAYLINK_MOCK_JOURNAL_SIZE',
    help: 'requests that are kept of each project [1000]',
  },
  'body-limit': { value: 'BYTES', env: 'PAYLINK_MOCK_BODY_LIMIT', help: 'largest request body [1048576]' },
  watch: { help: 'reload the seed when its file changes' },
  help: { short: 'h', help: 'show this help' },
  version: { short: 'v', help: 'show the version' },
} as const satisfies Record<string, Flag>

export type FlagName = keyof typeof flags

export const commands = {
  start: 'start the mock (the default)',
  validate: 'check a seed file: validate <seed>',
  health: 'ask a running mock whether it is up: health [url]',
  openapi: 'print the OpenAPI document of the mocked API',
} as const

export type CommandName = keyof typeof commands

/** The help text: commands, flags, and the variable of each. */
export const helpText = (): string => {
  const commandLines = Object.entries(commands).map(([name, help]) => `  ${name.padEnd(10)} ${help}`)
  const flagLines = Object.entries<Flag>(flags).flatMap(([name, { short, value, env, help }]) => [
    `  ${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`.padEnd(32) + help,
    ...(env ? [`${' '.repeat(32)}$${env}`] : []),
  ])
  return [
    'Usage: paylink-mock [command] [flags]',
    '',
    'An in-memory mock server of a subscription-management API: users and payment links.',
    '',
    'Commands:',
    ...commandLines,
    '',
    'Flags (a flag beats its variable, which beats the seed; lists in variables are separated by commas):',
    ...flagLines,
    '',
  ].join('\n')
}
