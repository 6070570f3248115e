import { parseArgs } from 'node:util'
import { quote } from '../core/schema/problem.ts'
import { findNearest } from '../core/schema/text.ts'
import {
  type CommandName,
  cliCommands,
  type Flag,
  type FlagName,
  flagNames,
  flags,
  isCommandName,
  isFlagName,
  hasFlag,
} from './flags.ts'

/** An invalid command line. The message is one sentence, and the exit code is 2. */
export class UsageError extends Error {}

/** A command that fails because of its input, such as a seed file. The message is one sentence, and the exit code is 1. */
export class CommandError extends Error {
  /** Text that the command prints instead of the message, such as a list of problems. */
  readonly lines: readonly string[]

  constructor(message: string, lines: readonly string[] = [message]) {
    super(message)
    this.lines = lines
  }
}

/** A command line, merged with the environment variables. */
export interface Args {
  readonly command: CommandName
  readonly operands: readonly string[]
  /** The values of flags, and those of variables that no flag overrides. */
  readonly values: Values
  readonly flags: Values
  readonly variables: Values
  /** A sentence for each unknown variable with the prefix of the mock, and for each list that a flag replaces. */
  readonly warnings: readonly string[]
}

type Values = Readonly<Partial<Record<FlagName, readonly string[]>>>

export const getSourceName = (args: Pick<Args, 'flags'>, flag: FlagName): string =>
  (args.flags[flag] === undefined && flags[flag].env) || `--${flag}`

/** Parses a command line. A flag wins over its variable. Throws a `UsageError`. */
export const readArgs = (argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Args => {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { short, value }]) => [
      name,
      { type: value ? 'string' : 'boolean', ...(short && { short }), multiple: true } as const,
    ]),
  )
  // `help validate` is `validate --help`.
  const args = argv[0] === 'help' ? [...argv.slice(1, 2), '--help', ...argv.slice(2)] : [...argv]
  // Not strict: Node's messages contain no remedy, and differ between versions.
  const { tokens, positionals } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true })
  const [commandWord] = positionals
  if (commandWord !== undefined && isCommandName(commandWord) && cliCommands[commandWord].programs !== undefined)
    requireSeparator(commandWord, argv, tokens)
  const givenFlags = new Map<FlagName, string[]>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const name = requireFlag(token.name, token.rawName, positionals[0])
    const value = getFlagValue(flags[name], token.rawName, token.value, token.inlineValue)
    givenFlags.set(name, [...(givenFlags.get(name) ?? []), value])
  }
  const { command, operands } = readCommand(positionals)
  const { needs } = cliCommands[command]
  if (needs !== undefined && operands.length === 0 && !givenFlags.has('help') && !givenFlags.has('version'))
    throw new UsageError(`${command} needs ${needs}.`)
  for (const name of givenFlags.keys())
    if (!hasFlag(command, name))
      throw new UsageError(`--${name} is a flag of ${joinNames(flags[name].for ?? [])}, not of ${command}.`)
  const variables = readVariables(command, env)
  return {
    command,
    operands,
    values: { ...variables, ...Object.fromEntries(givenFlags) },
    flags: Object.fromEntries(givenFlags),
    variables,
    warnings: [
      ...Object.keys(env)
        .filter((variable) => isUnknownVariable(variable, env[variable]))
        .map(describeUnknownVariable),
      ...flagNames
        .filter((name) => flags[name].repeatable && givenFlags.has(name) && variables[name] !== undefined)
        .filter((name) => !flags[name].merges)
        .map((name) => `--${name} replaces the whole list of ${flags[name].env}.`),
    ],
  }
}

/** Throws unless `--` precedes the program: its flags may have the same names as those of the command. */
const requireSeparator = (
  command: string,
  argv: readonly string[],
  tokens: ReturnType<typeof parseArgs<{ strict: false; allowPositionals: true; tokens: true }>>['tokens'],
) => {
  const [, programWord] = tokens.filter(({ kind }) => kind === 'positional')
  const separator = tokens.find(({ kind }) => kind === 'option-terminator')
  if (programWord === undefined || (separator !== undefined && separator.index < programWord.index)) return
  // The word may be the value of a misspelled flag.
  for (const token of tokens)
    if (token.kind === 'option' && token.index < programWord.index) requireFlag(token.name, token.rawName, command)
  const correctedLine = `paylink-mock ${command} -- ${argv.slice(programWord.index).join(' ')}`
  throw new UsageError(`${command} needs its program after --: ${correctedLine}.`)
}

const joinNames = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((name) => name !== '').join(' and ')

const requireFlag = (name: string, rawFlag: string, command = 'start'): FlagName => {
  if (isFlagName(name)) return name
  const commandFlags = flagNames.filter((flag) => isCommandName(command) && hasFlag(command, flag))
  const suggestion = findNearest(name, commandFlags) ?? findNearest(name, flagNames)
  throw new UsageError(`Unknown flag ${rawFlag}; ${formatSuggestion(suggestion && `--${suggestion}`)}`)
}

const getFlagValue = (flag: Flag, rawName: string, value: string | undefined, followsEquals = false): string => {
  if (flag.value === undefined && value !== undefined)
    throw new UsageError(`${rawName} takes no value (got ${quote(value)}).`)
  // Without `=`, a value that begins with a dash is the next flag, unless it is a dash alone or a negative number.
  const isMissingValue = value === undefined || value === '' || (!followsEquals && /^-\D/.test(value))
  if (flag.value !== undefined && isMissingValue)
    throw new UsageError(`${rawName} needs a value: ${rawName} ${flag.value}.`)
  return value ?? 'true'
}

const readVariables = (command: CommandName, env: Readonly<Record<string, string | undefined>>): Values =>
  Object.fromEntries(
    flagNames.flatMap((name) => {
      const { env: variable, repeatable } = flags[name]
      if (variable === undefined || !hasFlag(command, name)) return []
      const variableText = env[variable] ?? ''
      // Compose files set an omitted variable to an empty text.
      if (variableText === '' || isInjectedVariable(variable, variableText)) return []
      const texts = repeatable ? variableText.split(',').map((text) => text.trim()) : [variableText]
      return [[name, texts] as const]
    }),
  )

const variablePrefix = 'PAYLINK_MOCK_'
const variableNames = Object.values(flags).flatMap(({ env: variable }) => variable?.slice(variablePrefix.length) ?? [])

/** The variable in which programs get the address of a mock. The mock itself ignores it. */
export const addressVariable = `${variablePrefix}URL`

// Kubernetes sets such variables in every container, if there is a service named paylink-mock.
const isInjectedVariable = (variable: string, text: string): boolean =>
  variable === addressVariable ||
  /^PAYLINK_MOCK_(?:SERVICE|PORT)_/.test(variable) ||
  (variable === flags.port.env && text.startsWith('tcp://'))

const isUnknownVariable = (variable: string, text = ''): boolean =>
  variable.startsWith(variablePrefix) &&
  text !== '' &&
  !variableNames.includes(variable.slice(variablePrefix.length)) &&
  !isInjectedVariable(variable, text)

const describeUnknownVariable = (variable: string): string => {
  const suggestion = findNearest(variable.slice(variablePrefix.length), variableNames)
  return `${variable} is not a variable of paylink-mock; ${formatSuggestion(suggestion && `${variablePrefix}${suggestion}`)}`
}

const formatSuggestion = (suggestion: string | undefined): string =>
  suggestion ? `did you mean ${suggestion}?` : 'see paylink-mock --help.'

const readCommand = (positionals: readonly string[]): Pick<Args, 'command' | 'operands'> => {
  const [command = 'start', ...operands] = positionals
  if (!isCommandName(command)) {
    // npm removes the name of a flag before --.
    if (/^\d+$/.test(command))
      throw new UsageError(`Unknown command '${command}'; with npm, flags follow --: npm start -- --port ${command}.`)
    const suggestion = findNearest(command, Object.keys(cliCommands))
    throw new UsageError(`Unknown command ${quote(command)}; ${formatSuggestion(suggestion && `'${suggestion}'`)}`)
  }
  const { maxOperands = 0 } = cliCommands[command]
  if (operands.length > maxOperands) {
    const allowedOperands = maxOperands === 0 ? 'no operand' : 'one operand'
    throw new UsageError(`${command} takes ${allowedOperands} (got ${quote(operands.join(' '))}).`)
  }
  return { command, operands }
}
