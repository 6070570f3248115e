import type { Coverage, CoverageItem, PreparingCall } from './summaries.ts'
import { errors } from './error.ts'
import { isRecord } from './json-value.ts'
import { pluralize, quote } from './problem.ts'

export const anyOperation = 'any operation'

/** Returns the name of a situation, such as `cancelPaymentLink:409 paymentLinkNotActive`. */
export const getSituationName = ({ operation, situation }: Pick<CoverageItem, 'operation' | 'situation'>): string =>
  `${operation ?? anyOperation}:${situation}`

export const summarizeCoverage = ({ seen, total }: Pick<Coverage, 'seen' | 'total'>): string =>
  `Clients were shown ${seen} of ${pluralize(total, 'situation')}`

/**
 * Formats what clients were never shown: a line for each operation, and then lines that show it, to paste into a test that has
 * the control of its `project`.
 *
 * @throws MockError `invalidOptions` if the argument is not a coverage
 * @example
 * console.log(formatCoverage(await mock.coverage()))
 */
export const formatCoverage = (coverage: Coverage): string => {
  if (!isRecord(coverage) || !Array.isArray(coverage.items))
    throw errors.invalidOptions({
      message: `formatCoverage needs a coverage, such as await mock.coverage() (got ${quote(coverage)}).`,
    })
  return formatCoverageWith(coverage, '//', (calls) => calls.map(formatLibraryCall).join('; '))
}

/** @param variables the variables that the formatted calls need, and their values */
export const formatCoverageWith = (
  coverage: Coverage,
  commentPrefix: string,
  formatCalls: (calls: readonly PreparingCall[]) => string,
  variables?: string,
): string => {
  const itemsByOperation = groupByOperation(coverage.items)
  const lines = itemsByOperation.flatMap(formatOperation)
  const summary = `${summarizeCoverage(coverage)}.`
  const examples = itemsByOperation
    .filter((items) => !isNeverCalled(items))
    .flat()
    .flatMap(({ show, seen, ...item }) =>
      show === undefined || seen > 0
        ? []
        : [`${commentPrefix} ${getSituationName(item).replace(':', ': ')}`, formatCalls(show)],
    )
  if (examples.length === 0) return [...lines, ...(lines.length > 0 ? [''] : []), summary].join('\n')
  const condition = variables === undefined ? '' : ` Set ${variables}.`
  return [...lines, '', `${summary}${condition} These lines show the others:`, '', ...examples].join('\n')
}

export const groupByOperation = (items: readonly CoverageItem[]): CoverageItem[][] =>
  [...new Set(items.map(({ operation }) => operation))].map((id) => items.filter(({ operation }) => operation === id))

/** Faults of any operation are never left out. */
export const isNeverCalled = (items: readonly CoverageItem[]): boolean =>
  items.every(({ operation, seen }) => operation !== null && seen === 0)

const formatOperation = (items: readonly CoverageItem[]): string[] => {
  const neverShown = items.filter(({ seen }) => seen === 0).map(({ situation }) => situation)
  if (neverShown.length === 0) return []
  const [{ operation, situation, seen }] = items as readonly [CoverageItem, ...CoverageItem[]]
  if (isNeverCalled(items)) return [`${operation}: never called`]
  // The first situation of an operation is its success.
  const successText = operation !== null && seen > 0 ? `${situation} seen ${pluralize(seen, 'time')}; ` : ''
  return [`${operation ?? anyOperation}: ${successText}never ${neverShown.join(', ')}`]
}

/** The methods of the library that make the calls. Any other path is a payment of a link. */
const libraryMethods: Readonly<Record<string, string>> = {
  '/faults': 'faults.add',
  '/users': 'users.create',
  '/paymentLinks': 'paymentLinks.create',
  '/state': 'state.put',
}

const formatLibraryCall = ({ path, body }: PreparingCall): string => {
  const method = libraryMethods[path]
  const [, , id] = path.split('/')
  const payment = `paymentLinks.pay('${id}', ${JSON.stringify(body)})`
  return `await project.${method === undefined ? payment : `${method}(${JSON.stringify(body)})`}`
}
