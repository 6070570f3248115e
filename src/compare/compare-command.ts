import { access, constants, open, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Comparison, compare } from './compare.ts'
import { formatComparison } from './format-comparison.ts'
import type { Exchange } from './recorded-calls.ts'
import { quoteForShell } from '../core/openapi/curl.ts'
import { type BehaviorChoices, defaultBehaviors, Profile, profiles } from '../core/schema/behavior.ts'
import { buildBaseUrlSchema } from '../core/schema/mock-options.ts'
import { Provider } from '../core/schema/payment-link.ts'
import { toPrintable } from '../core/schema/text.ts'
import { hidePassword } from '../core/schema/url.ts'
import { type Args, UsageError } from '../command-line/args.ts'
import { startProgram } from '../command-line/start-program.ts'
import { startProxy } from './proxy.ts'
import { readSeed, readGivenSeed, rejectSeed } from '../command-line/files.ts'
import { readAddressVariables, readBehaviorChoices, readInteger, readLast } from '../command-line/flag-values.ts'
import { type CommandConsole, formatJson } from '../command-line/terminal.ts'

/**
 * Runs a program against a real service through a proxy, and compares each response with the mock's.
 *
 * @returns the exit code: 130 if interrupted; 1 if a response differs or contradicts an expected behavior, if no call was
 *   compared, or if the program failed or timed out; otherwise 0
 */
export const runCompare = async (args: Args, console: CommandConsole): Promise<number> => {
  const options = await readOptions(args)
  const { baseUrl, provider, expected, allowOtherErrors, out, isJson, timeout } = options
  const signal = console.onInterrupt?.() ?? new AbortController().signal
  const exchanges: Exchange[] = []
  const proxy = await startProxy({ baseUrl, onExchange: (exchange) => exchanges.push(exchange) })
  const fillUrl = (text: string) => text.replaceAll('{url}', proxy.url)
  const [program = '', ...words] = args.operands.map(fillUrl)
  const end = await startProgram([program, ...words], {
    env: Object.fromEntries(options.variables.map(([name, text]) => [name, fillUrl(text)])),
    timeout,
    signal,
    isInterruptible: true,
    output: isJson ? 'stderr' : 'stdout',
  }).ended.finally(() => proxy.close())
  const comparison = await compare(exchanges, { provider, expected, allowOtherErrors })
  const { report } = comparison
  if (out !== undefined) await writeFile(out, formatJson(comparison.seed)).catch(rejectSeed(out, 'written'))
  console.out(
    isJson
      ? formatJson({ ...report, exitCode: end.exitCode })
      : formatComparison(comparison, out && quoteForShell(out)),
  )
  const problems = [
    ...[explainNothingCompared(exchanges, report, baseUrl, proxy.url) ?? []].flat(),
    ...(end.isTimedOut ? [`The program did not end within ${timeout / 1000} s; --timeout allows more.`] : []),
    ...(end.exitCode === 0 || end.isTimedOut ? [] : [`The program ended with ${end.exitCode ?? end.signal}.`]),
  ]
  for (const problem of problems) console.err(`${toPrintable(problem)}\n`)
  if (signal.aborted) return 130
  const contradictsExpected = report.learned.some(({ isExpected }) => isExpected)
  return report.different.length > 0 || contradictsExpected || problems.length > 0 ? 1 : 0
}

const readOptions = async (args: Args) => {
  const baseUrl = readLast(args, 'base-url', buildBaseUrlSchema('https://api.example/v1'))
  if (baseUrl === undefined) throw new UsageError('compare needs --base-url; see paylink-mock --help.')
  const seed = args.values.seed?.at(-1)
  const profile = readLast(args, 'profile', Profile)
  const expected: BehaviorChoices = {
    ...(profile && { ...defaultBehaviors, ...profiles[profile] }),
    ...(seed !== undefined && (await readGivenSeed(args, seed)).behaviors),
    ...readBehaviorChoices(args).behaviors,
  }
  const out = args.values.out?.at(-1)
  if (out !== undefined) await checkOutFile(out)
  return {
    baseUrl,
    expected,
    allowOtherErrors: args.values['allow-other-errors'] !== undefined,
    out,
    provider: readLast(args, 'provider', Provider) ?? 'partner',
    variables: readAddressVariables(args),
    timeout: 1000 * (readInteger(args, 'timeout', 1, 2_147_483) ?? 3600),
    isJson: args.values.json !== undefined,
  }
}

const explainNothingCompared = (
  exchanges: readonly Exchange[],
  { calls, notCompared }: Comparison['report'],
  baseUrl: string,
  url: string,
): string | undefined => {
  if (calls === 0)
    return `The program called nothing at ${url}, the address in BASE_URL and PAYLINK_MOCK_URL (Vitest overwrites BASE_URL). --env names another variable.`
  const failed = exchanges.find(({ failure }) => failure !== undefined)
  if (failed !== undefined && exchanges.every(({ response }) => response === undefined))
    return `No call to ${hidePassword(baseUrl)} has a response: ${failed.failure}; ${suggestFix(baseUrl, failed.failure)}.`
  if (exchanges.every(isRejectedByHttpsPort))
    return `The service at ${hidePassword(baseUrl)} expects https; ${formatOtherScheme(baseUrl)}.`
  if (calls > notCompared.length) return undefined
  const [{ method, path, why }] = notCompared as [(typeof notCompared)[0]]
  const isRejected = exchanges.some(({ response }) => response?.status === 401)
  const advice = `check ${isRejected ? 'the token of the program' : '--base-url'}.`
  return notCompared.every((call) => call.why === why)
    ? `No call to ${hidePassword(baseUrl)} was compared, because ${why}: ${method} ${path}; ${advice}`
    : `No call to ${hidePassword(baseUrl)} was compared; ${advice}`
}

const suggestFix = (baseUrl: string, failure = ''): string => {
  if (/SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(failure))
    return 'to trust its certificate, name the file of the certificate in the variable NODE_EXTRA_CA_CERTS'
  const isWrongScheme = baseUrl.startsWith('http:') ? /ECONNRESET|HPE_/.test(failure) : /EPROTO|_SSL_/.test(failure)
  return isWrongScheme
    ? `if it is an ${baseUrl.startsWith('http:') ? 'https' : 'http'} port, ${formatOtherScheme(baseUrl)}`
    : 'check --base-url'
}

const formatOtherScheme = (baseUrl: string): string => {
  const otherUrl = baseUrl.startsWith('http:') ? baseUrl.replace('http:', 'https:') : baseUrl.replace('https:', 'http:')
  return `write --base-url ${hidePassword(otherUrl)}`
}

/** Most servers reject plain HTTP on an HTTPS port with this status and one of these messages. */
const isRejectedByHttpsPort = ({ response }: Exchange): boolean =>
  response?.status === 400 && /HTTPS (?:port|server)|SSL-enabled server/i.test(response.text)

/** Throws if the file is not writable, or if writing would lose data that `compare` never writes. Does not create the file. */
const checkOutFile = async (file: string): Promise<void> => {
  const opened = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') rejectSeed(file, 'written')(error)
  })
  if (opened === undefined) return access(dirname(file), constants.W_OK).catch(rejectSeed(file, 'written'))
  await opened.close()
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.trim() === '') return
  const { behaviors: _, projects = {}, ...others } = await readSeed(file)
  const isOutput = Object.values(projects).every((project) => Object.keys(project).every((key) => key === 'invoices'))
  if (Object.keys(others).length === 0 && isOutput) return
  throw new UsageError(
    `--out would overwrite ${hidePassword(file)}, a seed with more than behaviors. Choose another file.`,
  )
}
