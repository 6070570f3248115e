import type { z } from 'zod'
import type { MockOptions } from '../options.ts'
import {
  type BehaviorChoices,
  type BehaviorKey,
  behaviorKeys,
  Profile,
  behaviorRegistry,
  behaviorValueOf,
  unknownKeyText,
} from '../schema/behavior.ts'
import { BasePath, ClockChoice, PublicUrl } from '../schema/options.ts'
import { Provider } from '../schema/payment-link.ts'
import { listText, parse } from '../schema/problem.ts'
import { Token } from '../schema/token.ts'
import { type Args, UsageError } from './args.ts'
import type { FlagName } from './flags.ts'
import type { LogFormat } from './log.ts'
import type { ListenOptions } from './server.ts'

/** What `start` runs with, read from flags and variables. */
export interface Settings {
  readonly mock: Omit<MockOptions, 'seed' | 'log'>
  readonly listen: ListenOptions
  /** The seed file; undefined for the demo seed of the package. */
  readonly seed: string | undefined
  /** Whether the seed is reloaded when its file changes. */
  readonly watch: boolean
  readonly log: LogFormat
}

/** Reads the values of the flags. Throws a `UsageError` that names the flag and what would work. */
export const settingsOf = ({ values }: Pick<Args, 'values'>, onTerminal: boolean): Settings => {
  const last = (name: FlagName): string | undefined => values[name]?.at(-1)
  const clock = checked('clock', ClockChoice, last('clock'))
  return {
    mock: {
      clock,
      idSeed: last('id-seed'),
      profile: checked('profile', Profile, last('profile')),
      behaviors: behaviorsOf(values.behavior ?? []),
      tokens: values.token?.map((token) => checked('token', Token.shape.token, token)!),
      basePath: checked('base-path', BasePath, last('base-path')),
      provider: checked('provider', Provider, last('provider')),
      publicUrl: checked('public-url', PublicUrl, last('public-url')),
      journalSize: wholeNumber('journal-size', last('journal-size'), 0, 1e6),
      bodyLimit: wholeNumber('body-limit', last('body-limit'), 1, 1024 ** 3),
    },
    listen: {
      port: wholeNumber('port', last('port'), 0, 65_535) ?? 4600,
      host: last('host'),
      adminToken: checked('admin-token', Token.shape.token, last('admin-token')),
      allowedHosts: values['allowed-hosts']?.flatMap((hosts) => hosts.split(',')).map((host) => host.trim()),
    },
    seed: last('seed'),
    watch: values.watch !== undefined,
    log: logFormat(last('log'), onTerminal),
  }
}

/** The value of a flag as its schema has it. Throws a `UsageError` that names the flag. */
export const checked = <S extends z.ZodType>(
  flag: FlagName,
  schema: S,
  value: string | undefined,
): z.output<S> | undefined => {
  if (value === undefined) return undefined
  const parsed = parse(schema, value, [`--${flag}`])
  if (!parsed.ok) throw new UsageError(parsed.problems[0]!.message)
  return parsed.value
}

const wholeNumber = (flag: FlagName, text: string | undefined, least: number, most: number): number | undefined => {
  if (text === undefined) return undefined
  const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`--${flag} must be an integer from ${least} to ${most} (got '${text}').`)
}

const formats: readonly LogFormat[] = ['pretty', 'json', 'silent']

const logFormat = (text: string | undefined, onTerminal: boolean): LogFormat => {
  if (text === undefined) return onTerminal ? 'pretty' : 'json'
  const format = formats.find((one) => one === text)
  if (format === undefined) throw new UsageError(`--log must be ${listText(formats)} (got '${text}').`)
  return format
}

const behaviorsOf = (choices: readonly string[]): BehaviorChoices =>
  Object.fromEntries(
    choices.map((choice) => {
      if (!choice.includes('=')) throw new UsageError(`--behavior needs KEY=VALUE (got '${choice}').`)
      const [key = '', value = ''] = choice.split(/=(.*)/s)
      return [knownKey('behavior', key), knownValue(knownKey('behavior', key), value)]
    }),
  )

/** The key of a behavior that a flag names. Throws a `UsageError` with the nearest right one. */
export const knownKey = (flag: FlagName, key: string): BehaviorKey => {
  const known = behaviorKeys.find((one) => one === key)
  if (known !== undefined) return known
  throw new UsageError(`--${flag}: ${unknownKeyText(key)}`)
}

const knownValue = (key: BehaviorKey, text: string) => {
  const value = behaviorValueOf(key, text)
  if (value !== undefined) return value
  throw new UsageError(`--behavior ${key} must be ${listText(behaviorRegistry[key].values)} (got '${text}').`)
}
