import * as z from 'zod/mini'
import {
  type BehaviorChoices,
  behaviorKeys,
  behaviorRegistry,
  parseBehaviorValue,
  explainUnknownKey,
} from '../core/schema/behavior.ts'
import { ListenOptions, MockOptions } from '../core/schema/mock-options.ts'
import { formatList, parse, quote } from '../core/schema/problem.ts'
import { Token } from '../core/schema/seed.ts'
import { hideCredentials, isBaseUrl } from '../core/schema/url.ts'
import { addressVariable, type Args, getSourceName, UsageError } from './args.ts'
import { type FlagName, flagNames, flags, getOptionName } from './flags.ts'

const LogFormat = z.enum(['pretty', 'json', 'silent'])
export type LogFormat = z.infer<typeof LogFormat>

export type Settings = ReturnType<typeof readSettings>

/** The options of `createMock` that flags set. A token is only a string here. */
const FlagOptions = z.extend(
  z.omit(MockOptions, { seed: true, behaviors: true, adminToken: true, now: true, log: true }),
  { tokens: z.optional(z.array(Token.shape.token)) },
)

export const readSettings = (args: Args, onTerminal: boolean) => ({
  mock: { ...readOptions(args, FlagOptions), ...readBehaviorChoices(args) },
  listen: { port: 4600, ...readOptions(args, ListenOptions) },
  /** The seed file, or the short name of a seed. */
  seed: args.values.seed?.at(-1) ?? 'demo',
  watch: args.values.watch !== undefined,
  log: readLast(args, 'log', LogFormat) ?? (onTerminal ? 'pretty' : 'json'),
})

/** Returns the behaviors that flags and variables set. Omits an empty object, whose schema would slow down each start. */
export const readBehaviorChoices = (args: Args): { behaviors?: BehaviorChoices } => {
  const behaviors = {
    ...parseBehaviors(flags.behavior.env!, args.variables.behavior),
    ...parseBehaviors('--behavior', args.flags.behavior),
  }
  return Object.keys(behaviors).length === 0 ? {} : { behaviors }
}

const readOptions = <S extends z.ZodMiniObject<Record<string, z.ZodMiniType>>>(
  args: Args,
  { shape }: S,
): Partial<z.output<S>> => {
  const options: Record<string, unknown> = {}
  for (const flag of flagNames) {
    const schema = shape[getOptionName(flag)]
    if (schema !== undefined && args.values[flag] !== undefined)
      options[getOptionName(flag)] = readOption(args, flag, schema)
  }
  return options as Partial<z.output<S>>
}

const readOption = (args: Args, flag: FlagName, option: z.ZodMiniType): unknown => {
  if (option instanceof z.ZodMiniOptional) return readOption(args, flag, option.def.innerType as z.ZodMiniType)
  if (option instanceof z.ZodMiniNumber)
    return readInteger(args, flag, findBound(option, 'greater_than') ?? 0, findBound(option, 'less_than') ?? maxInteger)
  if (!(option instanceof z.ZodMiniArray)) return readLast(args, flag, option)
  const flagTexts = flags[flag].value?.includes(',') ? readNames(args, flag) : args.values[flag]
  rejectEmptyEntries(getSourceName(args, flag), flagTexts)
  return flagTexts?.map((text) => parseText(args, flag, option.def.element as z.ZodMiniType, text))
}

/** The maximum of an integer without one: a text of a gigabyte does not fit into memory twice. */
const maxInteger = 1024 ** 3

const findBound = (option: z.ZodMiniNumber, kind: 'greater_than' | 'less_than') => {
  const check = option.def.checks?.find(({ _zod }) => _zod.def.check === kind)
  return (check?._zod.def as { readonly value?: number } | undefined)?.value
}

/** Returns the last value of a flag, parsed by its schema. Throws a `UsageError` if it is invalid. */
export const readLast = <S extends z.ZodMiniType>(args: Args, flag: FlagName, schema: S): z.output<S> | undefined => {
  const text = args.values[flag]?.at(-1)
  return text === undefined ? undefined : parseText(args, flag, schema, text)
}

const parseText = <S extends z.ZodMiniType>(args: Args, flag: FlagName, schema: S, text: string): z.output<S> => {
  const parsedText = parse(schema, text, [getSourceName(args, flag)])
  if (!parsedText.ok) throw new UsageError(parsedText.problems.map(({ message }) => message).join(' '))
  return parsedText.value
}

export const readNames = ({ values }: Args, flag: FlagName): string[] | undefined =>
  values[flag]?.flatMap((names) => names.split(',').map((name) => name.trim()))

/** Returns the last value of a flag as an integer. Throws a `UsageError` for other text, or out of range. */
export const readInteger = (args: Args, flag: FlagName, min: number, max: number): number | undefined => {
  const text = args.values[flag]?.at(-1)
  if (text === undefined) return undefined
  const integer = /^\d{1,10}$/.test(text) ? Number(text) : NaN
  if (integer >= min && integer <= max) return integer
  throw new UsageError(`${getSourceName(args, flag)} must be an integer from ${min} to ${max} (got ${quote(text)}).`)
}

export const requireAddress = ({ command }: Args, operand: string): void => {
  if (isBaseUrl(operand)) return
  const neededAddress = 'an address such as http://127.0.0.1:4600, without a password or a query'
  throw new UsageError(`${command} needs ${neededAddress} (got ${quote(hideCredentials(operand))}).`)
}

const rejectEmptyEntries = (name: string, flagTexts: readonly string[] = []) => {
  if (flagTexts.includes('')) throw new UsageError(`${name} has an empty entry.`)
}

const parseBehaviors = (name: string, behaviorTexts: readonly string[] = []): BehaviorChoices => {
  rejectEmptyEntries(name, behaviorTexts)
  const parsedChoices = behaviorTexts.map((behaviorText) => parseBehavior(name, behaviorText))
  for (const [key, value] of parsedChoices) {
    const otherChoice = parsedChoices.find((one) => one[0] === key && one[1] !== value)
    if (otherChoice !== undefined) throw new UsageError(`${name} sets ${key} to both ${value} and ${otherChoice[1]}.`)
  }
  return Object.fromEntries(parsedChoices)
}

const parseBehavior = (name: string, behaviorText: string) => {
  if (!behaviorText.includes('=')) throw new UsageError(`${name} must be KEY=VALUE (got ${quote(behaviorText)}).`)
  const [keyText = '', valueText = ''] = behaviorText.split(/=(.*)/s)
  const key = behaviorKeys.find((behavior) => behavior === keyText)
  if (key === undefined) throw new UsageError(`${name}: ${explainUnknownKey(keyText)}`)
  const behaviorValue = parseBehaviorValue(key, valueText)
  if (behaviorValue !== undefined) return [key, behaviorValue] as const
  throw new UsageError(`${name} ${key} must be ${formatList(behaviorRegistry[key].values)} (got ${quote(valueText)}).`)
}

/** Returns the names and the texts of `--env`, in which `{url}` is the address that a program gets. */
export const readAddressVariables = ({ values }: Args): readonly (readonly [name: string, text: string])[] =>
  // Vitest sets `BASE_URL` itself.
  ['BASE_URL', addressVariable, ...(values.env ?? [])].map((given) => {
    const [, name, text = '{url}'] = /^([^=]+)(?:=(.*))?$/s.exec(given) ?? []
    if (name === undefined) throw new UsageError(`--env must be NAME or NAME=TEXT (got ${quote(given)}).`)
    return [name, text]
  })
