import type { Coverage, CoverageItem } from './summaries.ts'
import { errors } from './error.ts'
import { isRecord } from './json-value.ts'
import { pluralize, quote } from './problem.ts'

/** The name of the situations that any operation can show. */
export const anyOperation = 'any operation'

/** Returns the name of a situation, such as `cancelPaymentLink:409 paymentLinkNotActive`. */
export const getSituationName = ({ operation, situation }: Pick<CoverageItem, 'operation' | 'situation'>): string =>
  `${operation ?? anyOperation}:${situation}`

/** `Clients were shown 12 of 90 situations` */
export const summarizeCoverage = ({ seen, total }: Pick<Coverage, 'seen' | 'total'>): string =>
  `Clients were shown ${seen} of ${pluralize(total, 'situation')}`

/**
 * Formats what clients were never shown: a line for each operation, and then the lines that show it, to paste into a test.
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
  const { items } = coverage
  const operations = new Set(items.map(({ operation }) => operation))
  const lines = [...operations].flatMap((id) => formatOperation(items.filter(({ operation }) => operation === id)))
  const summary = `${summarizeCoverage(coverage)}.`
  if (lines.length === 0) return summary
  const examples = items.flatMap(({ show, ...item }) =>
    show === undefined ? [] : [`// ${getSituationName(item).replace(':', ': ')}`, show],
  )
  return [...lines, '', `${summary} These lines show the others:`, '', ...examples].join('\n')
}

/** Formats what an operation never showed. Empty if there is nothing. */
const formatOperation = (items: readonly CoverageItem[]): string[] => {
  const never = items.filter(({ seen }) => seen === 0).map(({ situation }) => situation)
  if (never.length === 0) return []
  const [{ operation, situation, seen }] = items as readonly [CoverageItem, ...CoverageItem[]]
  // The first situation of an operation is its success.
  const success = operation !== null && seen > 0 ? `${situation} seen ${pluralize(seen, 'time')}; ` : ''
  return [`${operation ?? anyOperation}: ${success}never ${never.join(', ')}`]
}
