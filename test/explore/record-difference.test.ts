import { describe, expect, it } from 'vitest'
import type { ProjectRecords } from '../../src/extensions/explore/customers.ts'
import { compareRecords, listExcess, raisePeaks } from '../../src/extensions/explore/programs/program-verdict.ts'
import { createMock } from '../../src/index.ts'

const createdAt = '2025-01-01T00:00:00.000Z'
const ada = { id: 'usr_1', email: 'ada@example.com', createdAt, fullName: 'Ada' }
const link = { id: 'pml_1', invoice: 'inv_7', status: 'active' as const, createdAt }
const acme = (project: ProjectRecords[string]): ProjectRecords => ({ acme: project })
const same = { differences: [], canceled: [] }

describe('records are the same', () => {
  it('in two states of the same calls with other ids and times', async () => {
    const states = await Promise.all(
      ['one', 'two'].map(async (idSeed, day) => {
        await using mock = createMock({ idSeed, clock: `2025-01-0${day + 1}T00:00:00Z` })
        const project = mock.project('acme')
        const { id } = await project.users.create({ email: 'ada@example.com' })
        const paid = await project.paymentLinks.create({ invoice: 'inv_7' })
        await project.paymentLinks.pay(paid.id)
        await project.users.patch(id, { metadata: { link: paid.id, at: new Date().toISOString() } })
        return (await mock.state.get()).projects!
      }),
    )
    expect(states[0]).not.toEqual(states[1])
    expect(compareRecords(states[0]!, states[1]!)).toEqual(same)
  })

  it('in any order, with fields in any order', () => {
    const bo = { email: 'bo@example.com', metadata: { a: 1, b: 2 } }
    expect(
      compareRecords(acme({ users: [ada, bo] }), acme({ users: [{ ...bo, metadata: { b: 2, a: 1 } }, ada] })),
    ).toEqual(same)
  })
})

describe('a difference is', () => {
  it.each<[what: string, expected: ProjectRecords, actual: ProjectRecords, found: object]>([
    [
      'an additional link',
      acme({ paymentLinks: [link] }),
      acme({ paymentLinks: [link, { ...link, id: 'pml_2' }] }),
      { differences: ['2 payment links of inv_7 instead of 1'] },
    ],
    ['a missing user', acme({ users: [ada] }), {}, { differences: ['0 users with ada@example.com instead of 1'] }],
    [
      'a user with another email, who is not one more',
      acme({ users: [ada] }),
      acme({ users: [{ ...ada, email: 'bo@example.com' }] }),
      { differences: ['0 users with ada@example.com instead of 1', '1 user with bo@example.com instead of 0'] },
    ],
    [
      'another status',
      acme({ paymentLinks: [link] }),
      acme({ paymentLinks: [{ ...link, status: 'completed' }] }),
      { differences: ["status of the payment link of inv_7 is 'completed' instead of 'active'"] },
    ],
    [
      'a canceled link instead of an active one',
      acme({ paymentLinks: [link] }),
      acme({ paymentLinks: [{ ...link, status: 'canceled' }] }),
      {
        differences: ['0 payment links of inv_7 instead of 1'],
        canceled: ['1 canceled payment link of inv_7 instead of 0'],
      },
    ],
    [
      'a canceled link that is missing',
      acme({ paymentLinks: [{ ...link, status: 'canceled' }] }),
      acme({}),
      { differences: ['0 canceled payment links of inv_7 instead of 1'] },
    ],
    [
      'a reference to another record',
      acme({
        users: [{ ...ada, metadata: { link: 'pml_1' } }],
        paymentLinks: [link, { ...link, id: 'pml_2', invoice: 'inv_8' }],
      }),
      acme({
        users: [{ ...ada, metadata: { link: 'pml_2' } }],
        paymentLinks: [link, { ...link, id: 'pml_2', invoice: 'inv_8' }],
      }),
      {
        differences: [
          expect.stringMatching(/^metadata of the user with ada@example\.com is .*inv_8.* instead of .*inv_7/),
        ],
      },
    ],
    [
      'a record of another project, which is named',
      { acme: { users: [ada] }, globex: {} },
      { acme: {}, globex: { users: [ada] } },
      {
        differences: [
          '0 users with ada@example.com in acme instead of 1',
          '1 user with ada@example.com in globex instead of 0',
        ],
      },
    ],
  ])('%s', (_, expected, actual, found) => {
    expect(compareRecords(expected, actual)).toEqual({ ...same, ...found })
  })

  it('no additional canceled link, which is listed', () => {
    expect(
      compareRecords(
        acme({ paymentLinks: [link] }),
        acme({ paymentLinks: [link, { ...link, id: 'pml_2', status: 'canceled' }] }),
      ),
    ).toEqual({ ...same, canceled: ['1 canceled payment link of inv_7 instead of 0'] })
  })
})

describe('an excess is', () => {
  const canceled = { ...link, status: 'canceled' as const }
  const listAfter = (states: readonly ProjectRecords[], end: ProjectRecords) => {
    const peaks = new Map<string, number>()
    for (const state of states) raisePeaks(peaks, state)
    return listExcess(peaks, end)
  }

  it('a second link of an invoice, even if another one is missing', () => {
    const expected = acme({ paymentLinks: [link, { ...link, invoice: 'inv_8' }] })
    expect(listAfter([expected], acme({ paymentLinks: [link, link] }))).toEqual([
      '2 payment links of inv_7 instead of 1',
    ])
  })

  it('no link that would be canceled later, and no user that would be deleted', () => {
    const during = acme({ users: [ada], paymentLinks: [link] })
    expect(listAfter([during, acme({ paymentLinks: [canceled] })], during)).toEqual([])
  })

  it('no canceled link', () => {
    expect(listAfter([acme({ paymentLinks: [link] })], acme({ paymentLinks: [link, canceled] }))).toEqual([])
  })

  it('named with its project if there are several', () => {
    expect(listAfter([acme({})], { acme: { users: [ada] }, globex: {} })).toEqual([
      '1 user with ada@example.com in acme instead of 0',
    ])
  })
})

it('keeps texts that JSON escapes', () => {
  const withQuotes = acme({
    users: [{ ...ada, metadata: { link: 'pml_1' } }],
    paymentLinks: [{ ...link, invoice: '"7"' }],
  })
  const other = acme({ users: [ada], paymentLinks: [{ ...link, invoice: '"7"' }] })
  expect(compareRecords(withQuotes, other).differences).toHaveLength(1)
})
