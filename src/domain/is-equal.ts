/** Field by field, since most rows that differ do so in a text; what has fields of its own is compared as JSON. */
export const isEqual = <T extends object>(a: T, b: T): boolean => {
  const names = Object.keys(b) as (keyof T)[]
  return (
    names.length === Object.keys(a).length &&
    names.every((name) => a[name] === b[name] || (isObject(a[name]) && sameJson(a[name], b[name])))
  )
}

const isObject = (value: unknown): boolean => typeof value === 'object'
const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
