// Reads the flags of `explore` and `interleave`, and formats the command line that repeats a run.
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { quoteForShell } from '../../core/openapi/curl.ts'
import { quote } from '../../core/schema/problem.ts'
import { type Args, UsageError } from '../../command-line/args.ts'
import { type FlagName, flagNames, flags, isFlagName } from '../../command-line/flags.ts'
import type { ProgramWords } from '../../command-line/start-program.ts'
import { readAddressVariables, readInteger, readNames } from '../../command-line/flag-values.ts'

/** The longest delay that `setTimeout` supports, in seconds. */
const maxTimeout = 2_147_483

export const readSearchFlags = (args: Args) => {
  const [check, reset] = (['check', 'reset'] as const).map((flag) => {
    const text = args.values[flag]?.at(-1)
    return text === undefined ? undefined : splitWords(flag, text)
  })
  const isOrdered = args.command === 'interleave'
  const effects = readNames(args, 'effects')
  return {
    variables: readAddressVariables(args),
    effects,
    faults:
      (isOrdered ? readInteger(args, 'faults', 0, 1) : readInteger(args, 'faults', 1, 2)) ??
      (isOrdered && effects === undefined ? 0 : 1),
    mustSucceed: readNames(args, 'must-succeed') ?? [],
    check,
    reset,
    services: args.values.service?.map((text) => (text === 'none' ? undefined : splitWords('service', text))) ?? [],
    ready: readReadyPath(args),
    port: readPort(args),
    payAfterReads: readInteger(args, 'pay-after-reads', 1, 1e6),
    allowRest: args.values['allow-rest'] !== undefined,
    isIncompleteAllowed: args.values.incomplete !== undefined,
    only: args.values.only,
    // With --reset, parallel runs could delete each other's data. With --port, they would share one address.
    jobs:
      readInteger(args, 'jobs', 1, 1000) ??
      (reset === undefined && args.flags.port === undefined ? availableParallelism() : 1),
    timeout: 1000 * (readInteger(args, 'timeout', 1, maxTimeout) ?? 60),
    settle: readInteger(args, 'settle', 1, 1000 * maxTimeout) ?? 10_000,
    switches: isOrdered ? readSwitches(args) : null,
    maxRuns: readInteger(args, 'max-runs', 1, 1e9) ?? Infinity,
    maxCalls: readInteger(args, 'max-calls', 1, 1e6) ?? 1000,
  }
}

const readSwitches = (args: Args): number | 'all' | null => {
  const { isolated, switches } = args.values
  const text = switches?.at(-1)
  if (isolated !== undefined) {
    if (text === undefined) return null
    throw new UsageError('--switches is for programs that share more than the mock, so it contradicts --isolated.')
  }
  if (text === 'all') return 'all'
  if (text === undefined || /^\d{1,3}$/.test(text)) return Number(text ?? 2)
  throw new UsageError(`--switches must be an integer from 0 to 999, or the word all (got ${quote(text)}).`)
}

/** Returns the fixed port of the mock, or 0 for any free port. */
const readPort = (args: Args): number => {
  // Ignore the environment variable for the port, because it is meant for the `start` command.
  const port = args.flags.port === undefined ? undefined : readInteger(args, 'port', 1, 65535)
  if (port === undefined) return 0
  if (args.values.service !== undefined)
    throw new UsageError('--port is for a service that runs already, so it contradicts --service.')
  if ((readInteger(args, 'jobs', 1, 1000) ?? 1) > 1)
    throw new UsageError('--port needs --jobs 1: the mock of each run has the same address.')
  const effects = [...(readNames(args, 'effects') ?? []), ...(args.values.only ?? [])]
  if (effects.some((text) => /\b(?:crash|all)\b/.test(text)))
    throw new UsageError('With --port, crash cannot kill the service: start it with --service, or leave out crash.')
  return port
}

const readReadyPath = ({ values }: Args): string | undefined => {
  const path = values.ready?.at(-1)
  if (path !== undefined && !path.startsWith('/'))
    throw new UsageError(`--ready must be a path such as /health (got ${quote(path)}).`)
  if (path !== undefined && values.service === undefined) throw new UsageError('--ready needs --service.')
  return path
}

/** Splits a command line into words, which may be quoted. Rejects other shell syntax, because no shell runs the command. */
const splitWords = (flag: 'check' | 'reset' | 'service', text: string): ProgramWords => {
  const parts = text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []
  const [program, ...args] = parts.map((part) => part.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
  const unquoted = text.replace(/"[^"]*"|'[^']*'/g, '')
  if (/["']/.test(unquoted)) throw new UsageError(`--${flag} has a quote that does not end (got ${quote(text)}).`)
  if (program === undefined) throw new UsageError(`--${flag} needs a program: --${flag} 'node ${flag}.js'.`)
  const [shellSyntax] = /[*|;<>`]|&&|\$[\w({]|(?<=^|\s)~/.exec(unquoted) ?? []
  if (shellSyntax !== undefined)
    throw new UsageError(
      `--${flag} has ${quote(shellSyntax)}, which only a shell understands: start one, or quote it within the text, as in ` +
        `--${flag} 'sh -c "rm -f *.db && node fill.js"'.`,
    )
  return [program, ...args]
}

/** The flags that are not copied to the command that repeats a run. It sets `--only` itself, and does not need the others. */
const omittedFlags = new Set<FlagName>([
  'only',
  'json',
  'jobs',
  'max-runs',
  'effects',
  'faults',
  'incomplete',
  'switches',
  'isolated',
])

export const formatCommand = (
  { command, flags: passed, variables, operands }: Args,
  invocation: string,
  replay: string,
): string => {
  const names = new Set([...Object.keys(passed).filter(isFlagName), ...flagNames])
  const settings = [...names].flatMap((name) => {
    // Do not copy the token from its environment variable, or the port, whose variable is meant for the `start` command.
    const fromVariable = (name !== 'port' && name !== 'token' && variables[name]) || []
    const values = flags[name].merges ? [...fromVariable, ...(passed[name] ?? [])] : (passed[name] ?? fromVariable)
    return omittedFlags.has(name) ? [] : values.map((value) => formatFlag(name, value))
  })
  const words = operands.map((word) => (word === '--' ? word : quoteForShell(word)))
  return [`${invocation} ${command}`, `--only ${quoteForShell(replay)}`, ...settings, '--', ...words].join(' ')
}

// Never print a token.
const formatFlag = (name: FlagName, value: string): string =>
  name === 'token'
    ? '--token "$TOKEN"'
    : `--${name}${flags[name].value === undefined ? '' : ` ${quoteForShell(value)}`}`

/** Returns the command that starts paylink-mock the way the user did: with npx, by name, or by path. */
export const getInvocation = (
  script: string,
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): string => {
  if (env.npm_command === 'exec') return 'npx paylink-mock'
  const folders = (env.PATH ?? '').split(':')
  // In a package script, npm adds folders to PATH that the user's shell does not have.
  if (env.npm_command === undefined && folders.some((entry) => join(entry, 'paylink-mock') === script))
    return 'paylink-mock'
  const path = relative(folder, script)
  const shorter = path.startsWith('..') ? script : path
  return script.endsWith('.js')
    ? `node ${quoteForShell(shorter)}`
    : quoteForShell(shorter.includes('/') ? shorter : `./${shorter}`)
}
