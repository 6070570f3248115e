import { describe, expect, it } from 'vitest'
import { createDeriveId, createDraws, deriveId, deriveDraw } from '../../src/core/domain/ids.ts'
import { kinds, recordKinds } from '../../src/core/domain/kinds.ts'

import { createStore } from '../support/store.ts'
import { defaultBehaviors } from '../../src/core/schema/behavior.ts'
import { countDistinct } from '../support/read.ts'

describe('a derived id', () => {
  it.each(['usr', 'pml', 'req'])('has the prefix %s and 28 letters and digits', (prefix) => {
    for (let counter = 0; counter < 200; counter++)
      expect(deriveId('seed', 'acme', prefix, counter)).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{28}$`))
  })

  // Snapshots and fixtures of users contain ids: a version that changes them breaks their tests.
  it.each([
    ['paylink-mock', 'acme', 'usr', 0, 'usr_91utbUuWoZP9K3NHUDsfMRqGUCNJ'],
    ['paylink-mock', 'acme', 'usr', 1, 'usr_kzpR6DxzpzzXpI3x0qz4AEA6wYB0'],
    ['paylink-mock', 'acme', 'pml', 0, 'pml_ZxdOqqX8WYB6OUTwshqeHqVocKAG'],
    ['paylink-mock', 'acme', 'req', 0, 'req_ecx5mv6EDdxLEQg3fPxyeyjsb1Xf'],
    ['demo', 'acme', 'usr', 0, 'usr_i5FglwHAAdZeZMdrw345ngxqBEaQ'],
    ['', '', 'usr', 0, 'usr_dtQAF1m0yv9sTK1uDiZsvfwHnuqR'],
    ['paylink-mock', 'Straße 日本 🙂', 'usr', 1_000_000, 'usr_KI2aWR6yuBsxoq3hd8jZUEwGbGVR'],
  ])('never changes between versions: (%j, %j, %s, %i)', (seed, project, prefix, counter, id) => {
    expect(deriveId(seed, project, prefix, counter)).toBe(id)
  })

  it.each([
    ['the seed', deriveId('other', 'acme', 'usr', 0)],
    ['the project', deriveId('seed', 'other', 'usr', 0)],
    ['the prefix', deriveId('seed', 'acme', 'pml', 0).replace('pml_', 'usr_')],
    ['the counter', deriveId('seed', 'acme', 'usr', 1)],
    ['where the seed ends and the project begins', deriveId('seed acme', '', 'usr', 0)],
    ['a quotation mark in the project', deriveId('seed', 'acme"', 'usr', 0)],
  ])('differs by %s', (_, other) => {
    expect(other).not.toBe(deriveId('seed', 'acme', 'usr', 0))
    expect(deriveId('seed', 'acme', 'usr', 0)).toBe(deriveId('seed', 'acme', 'usr', 0))
  })

  it('is the same from a function that remembers the last project, also after another seed or project', () => {
    const derive = createDeriveId()
    for (const [seed, project] of [
      ['seed', 'acme'],
      ['other', 'acme'],
      ['other', 'beta'],
      ['seed', 'beta'],
    ] as const)
      expect(derive(seed, project, 'usr', 3)).toBe(deriveId(seed, project, 'usr', 3))
  })

  it('uses each of the 62 letters and digits about equally often, at each end of the suffix', () => {
    const count = 6200
    const suffixes = Array.from({ length: count }, (_, counter) => deriveId('seed', 'acme', 'usr', counter).slice(4))
    for (const place of [0, 13, 27]) {
      const times = new Map<string, number>()
      for (const suffix of suffixes) times.set(suffix[place]!, (times.get(suffix[place]!) ?? 0) + 1)
      expect(times.size).toBe(62)
      // A hundred of each are expected, with a deviation of ten.
      expect(Math.min(...times.values())).toBeGreaterThan(50)
      expect(Math.max(...times.values())).toBeLessThan(150)
    }
  })
})

describe('a new id of a project', () => {
  it('skips ids of existing and deleted records', () => {
    const [first, second, third, fourth] = [0, 1, 2, 3].map((counter) =>
      deriveId('paylink-mock', 'acme', 'usr', counter),
    )
    const store = createStore({
      systemNow: () => 0,
      seed: { projects: { acme: { users: [{ email: 'a@b', id: second! }] } } },
    })
    expect(create(store)).toBe(first)
    expect(create(store)).toBe(third)
    expect(create(store, fourth)).toBe(fourth)
    store.write('acme', getBehavior, (tx) => tx.delete('users', fourth!))
    expect(create(store)).toBe(deriveId('paylink-mock', 'acme', 'usr', 4))
  })

  it.each(recordKinds)('of %s skips existing ids of its kind', (kind) => {
    const ids = [0, 1, 2].map((counter) => deriveId('paylink-mock', 'acme', kinds[kind].prefix, counter))
    const records = { users: [{ email: 'a@b', id: ids[0]! }], paymentLinks: [{ invoice: 'inv_1', id: ids[0]! }] }
    const store = createStore({ systemNow: () => 0, seed: { projects: { acme: { [kind]: records[kind] } } } })
    expect(store.write('acme', getBehavior, (tx) => [tx.newId(kind), tx.newId(kind)])).toEqual(ids.slice(1))
  })

  const getBehavior = <K extends keyof typeof defaultBehaviors>(key: K) => defaultBehaviors[key]
  const create = (store: ReturnType<typeof createStore>, id?: string) =>
    store.write('acme', getBehavior, (tx) => tx.insert('users', { email: 'a@b', id })).id
})

describe('draws', () => {
  it('are the same for the same seed, and different for another', () => {
    const take = (seed: string) => Array.from({ length: 50 }, createDraws(seed))
    expect(take('a')).toEqual(take('a'))
    expect(take('a')).not.toEqual(take('b'))
    expect(countDistinct([...take('a'), ...take('b')])).toBe(100)
  })

  it('never change between versions', () => {
    expect(Array.from({ length: 4 }, createDraws('seed'))).toEqual([4073930582, 664836952, 769460793, 442496110])
    expect([0, 1].map((counter) => deriveDraw('paylink-mock', 'acme', counter) * 2 ** 32)).toEqual([
      4197784036, 2500637594,
    ])
  })

  it('are whole numbers of 32 bits, each bit set half of the time', () => {
    const draws = Array.from({ length: 10_000 }, createDraws('bits'))
    expect(draws.every((draw) => Number.isInteger(draw) && draw >= 0 && draw < 2 ** 32)).toBe(true)
    for (let bit = 0; bit < 32; bit++) {
      const set = draws.filter((draw) => (draw >>> bit) & 1).length
      expect(set).toBeGreaterThan(4700)
      expect(set).toBeLessThan(5300)
    }
  })
})
