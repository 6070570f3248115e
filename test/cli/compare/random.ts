// Random programs, random behaviors of a service, and the figures that `node test/quality compare` prints.
import { type BehaviorChoices, behaviorKeys, behaviorRegistry } from '../../../src/schema/behavior.ts'
import type { Send } from './service.ts'

/** A random number from 0 to below 1. */
export type Random = () => number

/** The same seed always gives the same numbers. */
const createRandom = (seed: number): Random => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!

/** Chooses the value of each behavior. */
export const randomBehaviors = (random: Random): BehaviorChoices =>
  Object.fromEntries(behaviorKeys.map((key) => [key, pick<unknown>(random, behaviorRegistry[key].values)]))

/** A program with several workers, whose calls overlap and who work on the same records. */
export const randomProgram =
  (random: Random, { workers = 4, steps = 30 } = {}) =>
  async (send: Send): Promise<void> => {
    const base = '/projects/sandbox'
    const users: string[] = ['usr_unknown']
    const links: string[] = ['pml_unknown']
    const email = () => `${pick(random, ['Ada', 'ada', 'bea', 'Eve'])}${Math.floor(random() * 6)}@suite.example`
    const noteAll = (ids: string[], json: any) => {
      for (const record of Array.isArray(json?.items) ? json.items : [json])
        if (typeof record?.id === 'string' && ids.length < 60 && !ids.includes(record.id)) ids.push(record.id)
    }
    const query = (ids: readonly string[], filters: readonly string[]) => {
      const cursor = pick(random, ['', '', 'after', 'before'])
      const parts = [
        pick(random, ['', 'limit=0', 'limit=2', 'limit=5', 'limit=200']),
        cursor && `${cursor}=${pick(random, ids)}`,
        pick(random, filters),
      ].filter((part) => part !== '')
      return parts.length === 0 ? '' : `?${parts.join('&')}`
    }
    const createUser = async () => {
      const metadata = pick(random, [{}, { metadata: { a: '1' } }, { metadata: { n: 1 } }])
      noteAll(users, await send('POST', `${base}/users`, { email: email(), ...metadata }))
    }
    const createLink = async () => {
      const invoice = pick(random, ['inv_1', 'inv_s0', 'inv_new', 'bill-7'])
      const user = pick(random, [{ fullName: 'P', email: 'p@suite.example', taxNumber: '1' }, {}])
      const key = pick(random, [undefined, undefined, 'key-1', 'key-2'])
      const body = { invoice, type: 'partner', partner: { user } }
      noteAll(links, await send('POST', `${base}/paymentLinks`, body, { 'idempotency-key': key }))
    }
    const listUsers = async () => noteAll(users, await send('GET', `${base}/users${query(users, [''])}`))
    const searchUsers = () =>
      send('POST', `${base}/users/search${query(users, [''])}`, { email: pick(random, [email(), null, 'suite']) })
    const listLinks = async () => {
      const filters = ['', '', 'invoice=inv_1', 'status=active', 'status=canceled,completed']
      noteAll(links, await send('GET', `${base}/paymentLinks${query(links, filters)}`))
    }
    const updateUser = () => {
      const change = pick(random, [
        { fullName: 'F' },
        { email: email() },
        { metadata: { a: null, b: '2' } },
        { preferredLocale: null },
        { birthday: '2000-02-30' },
      ])
      return send('PATCH', `${base}/users/${pick(random, users)}`, change)
    }
    const operations: readonly (() => Promise<unknown>)[] = [
      createUser,
      createUser,
      createLink,
      createLink,
      listUsers,
      listUsers,
      listLinks,
      listLinks,
      searchUsers,
      updateUser,
      () => send('GET', `${base}/users/${pick(random, users)}`),
      () => send('GET', `${base}/paymentLinks/${pick(random, links)}`),
      () => send('POST', `${base}/paymentLinks/${pick(random, links)}/cancel`),
      () => send('DELETE', `${base}/users/${pick(random, users)}`),
      () =>
        send(
          'POST',
          `${base}/users`,
          pick<unknown>(random, [{}, '{', { email: 'no' }, { email: email(), nickname: 'N' }]),
        ),
    ]
    const work = async () => {
      for (let step = 0; step < steps; step++) await pick(random, operations)()
    }
    await Promise.all(Array.from({ length: workers }, work))
  }

const { COMPARE_PROGRAMS } = process.env

/** How many random programs are tried. */
export const programs = Number(COMPARE_PROGRAMS ?? 1)

/** Calls a function for each random program, with its seed. */
export const forEachSeed = async (run: (random: Random, seed: number) => Promise<void>): Promise<void> => {
  for (let seed = 1; seed <= programs; seed++) await run(createRandom(seed), seed)
}

export const printFigure = (text: string): void => {
  if (COMPARE_PROGRAMS !== undefined) console.log(text)
}
