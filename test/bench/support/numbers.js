export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Formats ratios as `0.83 (0.79 to 0.88)`: the median, and the range from the first to the last decile. */
export const formatSpread = (values, digits = 2) => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)].toFixed(digits)
  return `${at(0.5)} (${at(0.1)} to ${at(0.9)})`
}

export const formatTable = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
