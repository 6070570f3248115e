import { expect } from 'vitest'

/** No name, each name, and each pair of names. */
export const listSubsets = (names: readonly string[]): string[][] => [
  [],
  ...names.map((name) => [name]),
  ...names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other])),
]

export const pick = (values: object, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(values, name) as unknown]))

/** The subsets of the optional fields. Throws if the schema has a field without a value, or the reverse. */
export const subsetsOf = (shape: object, values: object, required: readonly string[] = []): string[][] => {
  const names = Object.keys(shape).filter((name) => !required.includes(name))
  expect(Object.keys(values).toSorted()).toEqual(names.toSorted())
  return listSubsets(names)
}
