import * as z from 'zod/mini'
import {
  type BehaviorChoices,
  type BehaviorKey,
  behaviorKeys,
  Profile,
  behaviorRegistry,
  parseBehaviorValue,
  explainUnknownKey,
} from '../schema/behavior.ts'
import {
  AllowedHost,
  BasePath,
  ClockChoice,
  CorsOrigin,
  ListenOptions,
  MockOptions,
  PublicUrl,
} from '../schema/mock-options.ts'
import { Provider } from '../schema/payment-link.ts'
import { formatList, parse, quote } from '../schema/problem.ts'
import { Token } from '../schema/token.ts'
import { type Args, getSourceName, UsageError } from './args.ts'
import { type FlagName, flags } from './flags.ts'

const LogFormat = z.enum(['pretty', 'json', 'silent'])
export type LogFormat = z.infer<typeof LogFormat>

export type Settings = ReturnType<typeof readSettings>

/** Returns the settings of `start`. Throws a `UsageError` for an invalid value. */
export const readSettings = (args: Args, onTerminal: boolean) => {
  const { values } = args
  return {
    mock: {
      clock: readLast(args, 'clock', ClockChoice),
      idSeed: values['id-seed']?.at(-1),
      profile: readLast(args, 'profile', Profile),
      behaviors: {
        ...parseBehaviors(flags.behavior.env, args.variables.behavior),
        ...parseBehaviors(getSourceName(args, 'behavior'), values.behavior),
      },
      tokens: values.token?.map((token) => parseFlag(getSourceName(args, 'token'), Token.shape.token, token)),
      basePath: readLast(args, 'base-path', BasePath),
      provider: readLast(args, 'provider', Provider),
      publicUrl: readLast(args, 'public-url', PublicUrl),
      cors: values.cors?.map((origin) => parseFlag(getSourceName(args, 'cors'), CorsOrigin, origin)),
      journalSize: readBounded(args, 'journal-size', MockOptions.shape.journalSize),
      maxSandboxes: readBounded(args, 'max-sandboxes', MockOptions.shape.maxSandboxes),
      bodyLimit: readBounded(args, 'body-limit', MockOptions.shape.bodyLimit),
    },
    listen: {
      port: readBounded(args, 'port', ListenOptions.shape.port) ?? 4600,
      host: values.host?.at(-1),
      adminToken: readLast(args, 'admin-token', Token.shape.token),
      allowedHosts: values['allowed-hosts']
        ?.flatMap((hosts) => hosts.split(','))
        .map((host) => parseFlag(getSourceName(args, 'allowed-hosts'), AllowedHost, host.trim())),
    },
    /** The seed file, or the short name of a seed. */
    seed: values.seed?.at(-1) ?? 'demo',
    /** Whether to reload the seed when its file changes. */
    watch: values.watch !== undefined,
    log: readLast(args, 'log', LogFormat) ?? (onTerminal ? 'pretty' : 'json'),
  }
}

/** Returns the last value of a flag, parsed by its schema. Throws a `UsageError` if it is invalid. */
export const readLast = <S extends z.ZodMiniType>(args: Args, flag: FlagName, schema: S): z.output<S> | undefined => {
  const value = args.values[flag]?.at(-1)
  return value === undefined ? undefined : parseFlag(getSourceName(args, flag), schema, value)
}

const parseFlag = <S extends z.ZodMiniType>(name: string, schema: S, value: string): z.output<S> => {
  const parsed = parse(schema, value, [name])
  if (!parsed.ok) throw new UsageError(parsed.problems.map(({ message }) => message).join(' '))
  return parsed.value
}

/** The maximum of an integer without one: a text of a gigabyte does not fit into memory twice. */
const maxInteger = 1024 ** 3

/** Returns the last value of a flag as an integer in the range of its option. Throws a `UsageError`. */
const readBounded = (args: Args, flag: FlagName, option: z.ZodMiniOptional<z.ZodMiniNumber>): number | undefined => {
  return readInteger(args, flag, findBound(option, 'greater_than') ?? 0, findBound(option, 'less_than') ?? maxInteger)
}

const findBound = (option: z.ZodMiniOptional<z.ZodMiniNumber>, kind: 'greater_than' | 'less_than') => {
  const check = option._zod.def.innerType._zod.def.checks?.find((one) => one._zod.def.check === kind)
  return (check?._zod.def as { readonly value?: number } | undefined)?.value
}

/** Returns the last value of a flag as an integer. Throws a `UsageError` for other text, or out of range. */
export const readInteger = (args: Args, flag: FlagName, min: number, max: number): number | undefined => {
  const text = args.values[flag]?.at(-1)
  if (text === undefined) return undefined
  const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN
  if (number >= min && number <= max) return number
  throw new UsageError(`${getSourceName(args, flag)} must be an integer from ${min} to ${max} (got ${quote(text)}).`)
}

const parseBehaviors = (name = '', choices: readonly string[] = []): BehaviorChoices =>
  Object.fromEntries(
    choices.map((choice) => {
      if (!choice.includes('=')) throw new UsageError(`${name} must be KEY=VALUE (got ${quote(choice)}).`)
      const [key = '', value = ''] = choice.split(/=(.*)/s)
      return [key, requireValue(name, requireKey(name, key), value)]
    }),
  )

/** Returns the key of a behavior. Throws a `UsageError` with a suggestion if it is unknown. */
export const requireKey = (name: string, key: string): BehaviorKey => {
  const known = behaviorKeys.find((behavior) => behavior === key)
  if (known !== undefined) return known
  throw new UsageError(`${name}: ${explainUnknownKey(key)}`)
}

const requireValue = (name: string, key: BehaviorKey, text: string) => {
  const value = parseBehaviorValue(key, text)
  if (value !== undefined) return value
  throw new UsageError(`${name} ${key} must be ${formatList(behaviorRegistry[key].values)} (got ${quote(text)}).`)
}
