import { describe, expect, it } from 'vitest'
import { isLong, jsonCopy, jsonParts, jsonStream } from '../../src/wire/json-parts.ts'

const rows = Array.from({ length: 2500 }, (_, index) => ({
  id: `usr_${index}`,
  fullName: null,
  note: undefined,
  ü: 'é\u2028',
}))

const state = {
  idSeed: 'demo',
  none: undefined,
  projects: { 'a"b': { users: rows, paymentLinks: [], plans: undefined } },
}

/** As many rows, of which no project has more than a hundred. */
const manyProjects = {
  projects: Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`p${at}`, { users: rows.slice(0, 100) }])),
}

describe('a value in parts', () => {
  it.each([
    ['a state with many rows', state],
    ['a state with many projects', manyProjects],
    ['a long list by itself', rows],
    ['a list that is one part long', rows.slice(0, 1000)],
    ['a list that is one longer', rows.slice(0, 1001)],
    ['a list with gaps', Array.from({ length: 1500 }, (_, index) => (index % 2 ? undefined : index))],
    ['a short value', { object: 'list', items: [1, null, 'x'] }],
    ['nothing', null],
  ])('is the JSON of the whole: %s', async (_, value) => {
    expect([...jsonParts(value)].join('')).toBe(JSON.stringify(value))
    expect(await new Response(jsonStream(value)).text()).toBe(JSON.stringify(value))
    expect(jsonCopy(value)).toEqual(JSON.parse(JSON.stringify(value)))
  })

  it.each([
    ['one project', state],
    ['many', manyProjects],
  ])('holds no more than a thousand items in one part: those of %s', (_, value) => {
    expect([...jsonParts(value)].every((part) => part.split('usr_').length <= 1001)).toBe(true)
  })

  it.each([
    ['of one project', state],
    ['of many', manyProjects],
    ['of a list by itself', rows],
  ])('is told by all the rows %s', (_, value) => {
    expect([isLong(value, 2499), isLong(value, 2500)]).toEqual([true, false])
  })

  it('copies what it is given', () => {
    const copy = jsonCopy(state)

    expect(copy).not.toBe(state)
    expect(copy.projects['a"b'].users[0]).not.toBe(rows[0])
  })
})
