/** The nullable fields of a user. A new one needs only an entry here. */
import type * as fc from 'fast-check'
import { oneOf, oneOfAll } from './arbitraries.ts'
import { type Check, isDate, isString } from './formats.ts'

interface NullableField {
  readonly check: Check
  readonly good: fc.Arbitrary<string>
  readonly bad: fc.Arbitrary<string>
}

const fullNames = oneOf('Ada Lovelace', '', '李小龍', '<b>&"\'', '\ud800', '\u0000')

const table = {
  birthday: {
    check: isDate,
    good: oneOf('1990-05-17', '2024-02-29', '2000-02-29', '9999-12-31'),
    bad: oneOfAll(
      ['2023-02-29', '1900-02-29', '2023-04-31', '2023-13-01', '2023-00-10', '2023-01-00', '2023-1-5', ''],
      ['1990-05-17T00:00:00Z', ' 1990-05-17', '1990-05-17\n', '17.05.1990', '１９９０-05-17', '+01990-05-17'],
    ),
  },
  fullName: { check: isString, good: fullNames, bad: fullNames },
} satisfies Record<string, NullableField>

export type NullableFields = { [K in keyof typeof table]: string | null }
export const nullableNames = Object.keys(table) as (keyof NullableFields)[]
export const nullableFields: Readonly<Record<keyof NullableFields, NullableField>> = table

/** Picks the nullable fields; those that are missing are null. */
export const pickNullable = (get: (name: string) => unknown): NullableFields =>
  Object.fromEntries(nullableNames.map((name) => [name, get(name) ?? null])) as NullableFields
