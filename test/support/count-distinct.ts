/** How many different values there are. A missing one throws: it would count as one more. */
export const countDistinct = (values: readonly unknown[]): number => {
  const missing = values.findIndex((value) => value === undefined || value === null)
  if (missing >= 0) throw new Error(`Value ${missing} of ${values.length} is missing.`)
  return new Set(values).size
}
