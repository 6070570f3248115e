import { expect, it } from 'vitest'
import type { Matcher } from '../../src/schema/matcher.ts'
import { prepareMatcher } from '../../src/traffic/matching.ts'

/** Counts how often the texts of a matcher are read, and how often its body is formatted. */
const countUses = () => {
  const counts = { reads: 0, formats: 0 }
  const read = <T>(value: T): T => {
    counts.reads++
    return value
  }
  const matcher: Matcher = {
    get path() {
      return read('/projects/*/users')
    },
    get headers() {
      return read({ Authorization: 'Bearer a' })
    },
    get body() {
      return read({ user: { toJSON: () => counts.formats++ } })
    },
  }
  return { counts, matcher }
}

const request = {
  project: 'acme',
  operation: 'createUser' as const,
  method: 'POST',
  url: 'http://mock/projects/acme/users',
  headers: ['Authorization', 'Bearer a'],
  text: '{}',
  status: 201,
}

it('a prepared matcher reads its texts once, and formats nothing, however many requests it is compared with', () => {
  const { counts, matcher } = countUses()
  const prepared = prepareMatcher(matcher)
  const { reads } = counts
  for (let i = 0; i < 100; i++) {
    expect(prepared.matches({ ...request })).toBe(false)
    expect(prepared.findDifferences({ ...request })).toHaveLength(1)
  }
  expect(counts).toEqual({ reads, formats: 0 })
})

it('a difference is formatted on demand', () => {
  const prepared = prepareMatcher({ method: 'GET', path: '/projects/*/paymentLinks' })
  const differences = prepared.findDifferences(request)
  expect(differences.map((describe) => describe())).toEqual([
    "method is 'POST', not 'GET'",
    "path is '/projects/acme/users', not '/projects/*/paymentLinks'",
  ])
})

it.each([
  [[{ a: 1 }], true],
  [[{ a: 2 }], false],
  [[{ b: 1 }], false],
  [[{}], false],
  [[{ a: 1, b: 1 }], false],
  [[[1]], false],
  [[{ a: 1 }, { a: 1 }], false],
])('the records of a list must be equal: [{ a: 1 }] matches %j: %s', (list, expected) => {
  const prepared = prepareMatcher({ body: { list: [{ a: 1 }] } })
  expect(prepared.matches({ ...request, text: JSON.stringify({ list }) })).toBe(expected)
})
