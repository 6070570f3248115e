import { z } from 'zod'
import { type CalibrationPlan, type SeenKey, seenKeys, unseen } from '../calibrate/index.ts'
import { Provider } from '../schema/payment-link.ts'
import { quote } from '../schema/problem.ts'
import { ProjectId } from '../schema/seed.ts'
import { Token } from '../schema/token.ts'
import { type Args, UsageError } from './args.ts'
import type { FlagName } from './flags.ts'
import { knownKey, lastOf } from './settings.ts'
import { urlOf, withoutCredentials } from '../schema/url.ts'

/** The service that is asked. */
export interface Connection {
  readonly baseUrl: string
  readonly project: string
  readonly token: string
  readonly invoice: string
  readonly provider: string
}

const isBaseUrl = (text: string): boolean => {
  const url = urlOf(text)
  return (
    url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === ''
  )
}

const BaseUrl = z
  .string()
  .check(({ value, issues }) => {
    if (isBaseUrl(value)) return
    const message = "must be an http or https address such as 'https://api.example/v1', without a password or a query"
    const got = quote(withoutCredentials(value))
    // As a rule it says by itself what was got.
    issues.push({ code: 'custom', input: value, message: `${message} (got ${got}).`, params: { rule: true } })
  })
  .transform((url) => url.replace(/\/+$/, ''))

/** What the flags say of the service that is asked. Throws a `UsageError` that names what is wrong. */
export const givenOf = (args: Args) => {
  const { token: tokens = [], invoice } = args.values
  if (tokens.length > 1) throw new UsageError(`${args.command} takes one --token (got ${tokens.length}).`)
  return {
    baseUrl: lastOf(args, 'base-url', BaseUrl),
    project: lastOf(args, 'project', ProjectId),
    token: lastOf(args, 'token', Token.shape.token),
    invoice: invoice?.at(-1),
    provider: lastOf(args, 'provider', Provider) ?? 'partner',
  }
}

/** The service that is asked. Throws a `UsageError` where the flags leave out what that takes. */
export const connectionOf = (args: Args, { needsInvoice }: Pick<CalibrationPlan, 'needsInvoice'>): Connection => {
  const { baseUrl, project, token, invoice, provider } = givenOf(args)
  return {
    baseUrl: required(args, 'base-url', baseUrl),
    project: required(args, 'project', project),
    token: required(args, 'token', token),
    invoice: needsInvoice ? required(args, 'invoice', invoice) : '',
    provider,
  }
}

const required = ({ command }: Args, flag: FlagName, value: string | undefined): string => {
  if (value !== undefined) return value
  throw new UsageError(`${command} needs --${flag}; see paylink-mock --help.`)
}

/** The behaviors that are looked for: those of `--only`, or all that can be seen. */
export const keysOf = ({ values }: Args): readonly SeenKey[] => {
  const names = values.only?.flatMap((list) => list.split(',')).map((name) => name.trim())
  if (names === undefined) return seenKeys
  const keys = names.map((name) => knownKey('--only', name))
  for (const key of keys)
    if (!isSeen(key)) throw new UsageError(`--only: '${key}' cannot be seen this way: it ${unseen[key]}.`)
  return keys.filter(isSeen)
}

export const isSeen = (key: string): key is SeenKey => seenKeys.some((one) => one === key)
