import { connect } from '../core/client/connect.ts'
import { formatCoverage, getSituationName, summarizeCoverage } from '../core/schema/coverage-text.ts'
import { MockError, listLines } from '../core/schema/error.ts'
import { formatCoverageAsCurl } from '../core/openapi/curl.ts'
import { quote } from '../core/schema/problem.ts'
import type { Coverage, CoverageItem } from '../core/schema/summaries.ts'
import { findNearest } from '../core/schema/text.ts'
import { hideCredentials } from '../core/schema/url.ts'
import { type Args, CommandError, UsageError } from '../command-line/args.ts'
import { readCoverages } from '../command-line/files.ts'
import { readInteger, requireAddress } from '../command-line/flag-values.ts'
import { type CommandConsole, formatJson } from '../command-line/terminal.ts'

/** How long a mock may take to respond, in milliseconds. */
const timeout = 10_000

/** `coverage`: adds up the coverage of folders and running mocks. The exit code is 1 if it is below `--min`. */
export const runCoverage = async (args: Args, console: CommandConsole): Promise<number> => {
  const min = readInteger(args, 'min', 0, 100) ?? 0
  const coverages = await Promise.all(args.operands.map((operand) => readOperand(args, operand)))
  const coverage = ignore(merge(coverages.flat()), args.values.ignore ?? [])
  console.out(args.values.json === undefined ? `${await formatFor(args, coverage)}\n` : formatJson(coverage))
  const { seen, total } = coverage
  if (seen * 100 >= min * total) return 0
  console.err(`${summarizeCoverage(coverage)}, which is less than ${min} %.\n`)
  return 1
}

/** Tests that write folders use the library. A mock with an address may be used from any language, so it gets lines of curl. */
const formatFor = async (args: Args, coverage: Coverage): Promise<string> => {
  const address = args.operands.find(isAddress)
  if (address === undefined) return formatCoverage(coverage)
  const [project] = await connectTo(args, address).projects()
  const target = {
    mockUrl: address.replace(/\/+$/, ''),
    project: project?.id ?? 'acme',
    needsAdminToken: getAdminToken(args) !== undefined,
  }
  return formatCoverageAsCurl(coverage, target)
}

const isAddress = (operand: string): boolean => /^https?:/.test(operand)

const getAdminToken = ({ values }: Args): string | undefined => {
  const token = values['admin-token']?.at(-1)
  return token === 'none' ? undefined : token
}

const readOperand = async (args: Args, operand: string): Promise<readonly Coverage[]> => {
  if (!isAddress(operand)) return readCoverages(operand)
  requireAddress(args, operand)
  const coverage = connectTo(args, operand).coverage()
  return [await coverage.catch((error: unknown) => rejectMock(hideCredentials(operand), error))]
}

const connectTo = (args: Args, address: string) => {
  const adminToken = getAdminToken(args)
  return connect(address, {
    ...(adminToken !== undefined && { adminToken }),
    fetch: (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(timeout) }),
  })
}

const rejectMock = (url: string, error: unknown): never => {
  if (error instanceof MockError) throw new CommandError(`${url}: ${listLines(error).join(' ')}`)
  // `fetch` rejects with a `TypeError`, and with a `DOMException` after the timeout.
  const hasResponse = error instanceof Error && error.message.startsWith(url)
  throw new CommandError(hasResponse ? error.message : `${url} does not respond.`)
}

const merge = (coverages: readonly Coverage[]): readonly CoverageItem[] => {
  const merged = new Map<string, CoverageItem>()
  for (const item of coverages.flatMap(({ items }) => items)) {
    const name = getSituationName(item)
    const known = merged.get(name)
    const [first, other] = known === undefined || known.seen === 0 ? [item, known] : [known, item]
    merged.set(name, { ...first, seen: first.seen + (other?.seen ?? 0) })
  }
  return [...merged.values()]
}

/** Leaves out the ignored situations. Throws a `UsageError` for an unknown one, which may be misspelled. */
const ignore = (items: readonly CoverageItem[], ignored: readonly string[]): Coverage => {
  const names = items.map(getSituationName)
  for (const name of ignored) {
    if (names.includes(name)) continue
    const nearest = findNearest(name, names)
    const hint =
      nearest === undefined ? 'without --ignore, the command prints their names.' : `did you mean '${nearest}'?`
    throw new UsageError(`--ignore: there is no situation ${quote(name)}; ${hint}`)
  }
  const counted = items.filter((item) => !ignored.includes(getSituationName(item)))
  const seen = counted.filter((item) => item.seen > 0).length
  return { object: 'coverage', seen, total: counted.length, items: counted }
}
