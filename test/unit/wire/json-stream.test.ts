import { describe, expect, it } from 'vitest'
import { isLong, splitJson, createJsonStream } from '../../../src/wire/respond.ts'

const records = Array.from({ length: 2500 }, (_, index) => ({
  id: `usr_${index}`,
  fullName: null,
  note: undefined,
  ü: 'é\u2028',
}))

const state = {
  idSeed: 'demo',
  none: undefined,
  projects: { 'a"b': { users: records, paymentLinks: [], scheduledPayments: undefined } },
}

/** As many records, with at most a hundred per project. */
const manyProjects = {
  projects: Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`p${at}`, { users: records.slice(0, 100) }])),
}

/** A few large records. */
const largeRecords = {
  projects: { acme: { users: Array.from({ length: 12 }, (_, at) => ({ id: `usr_${at}`, text: 'x'.repeat(5000) })) } },
}

const shapes: readonly [string, unknown][] = [
  ['a state with many records', state],
  ['a state with many projects', manyProjects],
  ['a state with few large records', largeRecords],
  ['a long list by itself', records],
  ['a list with gaps', Array.from({ length: 1500 }, (_, index) => (index % 2 ? undefined : index))],
  ['a short value', { object: 'list', items: [1, null, 'x'] }],
  ['empty lists and objects', { a: [], b: {}, c: { d: { e: [] } } }],
  ['an empty list', []],
  ['an object without a defined field', { none: undefined }],
  ['null', null],
]

describe('a value in parts', () => {
  it.each(shapes)('is the JSON of the whole: %s', async (_, value) => {
    for (const length of [1, 100, undefined]) expect([...splitJson(value, length)].join('')).toBe(JSON.stringify(value))
    expect(await new Response(createJsonStream(value)).text()).toBe(JSON.stringify(value))
  })

  it.each(shapes)('has parts that exceed the limit by at most one record: %s', (_, value) => {
    const longestRecord = 6000
    const parts = [...splitJson(value, 10_000)]

    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(10_000 + longestRecord)
    expect(parts.slice(0, -1).every((part) => part.length >= 10_000)).toBe(true)
  })
})

describe('a long value', () => {
  it.each([
    ['few large records', largeRecords],
    ['many small records', records],
    ['one text', 'x'.repeat(60_000)],
    ['one large field', { users: [{ metadata: { deep: { deeper: ['x'.repeat(60_000)] } } }] }],
    ['long names', { ['x'.repeat(60_000)]: 1 }],
    ['empty strings', Array.from({ length: 20_000 }, () => '')],
  ])('is detected by its approximate size: %s', (_, value) => {
    const size = JSON.stringify(value).length

    expect([isLong(value, size / 2), isLong(value, size * 2)]).toEqual([true, false])
  })

  it('is detected before the end of the value', () => {
    const neverRead = {
      get metadata(): never {
        throw new Error('read')
      },
    }

    expect(isLong(['x'.repeat(10), 'x', neverRead], 10)).toBe(true)
  })
})
