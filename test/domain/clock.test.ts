import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/core/domain/clock.ts'
import { advance, exportClock, createClock, getClockStatus, readClock } from '../../src/core/domain/clock.ts'
import { createPaymentLink } from '../../src/core/domain/payment-links.ts'
import { createUser, updateUser } from '../../src/core/domain/users.ts'
import { createStore } from '../support/store.ts'
import { type BehaviorLookup, defaultBehaviors } from '../../src/core/schema/behavior.ts'
import { ClockDocument } from '../../src/core/schema/clock-document.ts'
import { parse } from '../../src/core/schema/problem.ts'
import { errors } from '../../src/core/schema/error.ts'

const now = '2030-06-01T12:00:00.000Z'
const fixedDay = '2025-01-01T00:00:00.000Z'
const systemNow = () => Date.parse('2026-11-21T08:00:00.000Z')

describe('a clock', () => {
  it.each([
    ['real', { mode: 'real' }, '2026-11-21T08:00:00.000Z'],
    ['real, ahead', { mode: 'real', offset: 3_600_000 }, '2026-11-21T09:00:00.000Z'],
    ['real, behind', { mode: 'real', offset: -1 }, '2026-11-21T07:59:59.999Z'],
    ['frozen', { mode: 'frozen', now }, now],
    ['frozen, without a time', { mode: 'frozen' }, fixedDay],
    ['stepping', { mode: 'stepping', now, step: 5 }, now],
    ['stepping, without a time', { mode: 'stepping' }, fixedDay],
  ] satisfies [string, ClockDocument, string][])('that is %s shows its time', (_, document, expected) => {
    const clock = createClock(document)
    expect(new Date(readClock(clock, systemNow)).toISOString()).toBe(expected)
    expect(getClockStatus(clock, systemNow)).toMatchObject({ mode: document.mode, now: expected })
  })

  it('starts at a given time when it is frozen or stepping and says none', () => {
    expect(createClock({ mode: 'frozen' }, 7)).toEqual({ mode: 'frozen', now: 7 })
    expect(createClock({ mode: 'stepping' }, 7)).toEqual({ mode: 'stepping', now: 7, step: 1000 })
    expect(createClock({ mode: 'frozen', now }, 7)).toEqual({ mode: 'frozen', now: Date.parse(now) })
  })

  it('is real when nothing is said', () => {
    expect(createClock()).toEqual({ mode: 'real', offset: 0 })
  })

  it.each([
    ['real', { mode: 'real', offset: 3 }, { mode: 'real', offset: 10 }],
    ['frozen', { mode: 'frozen', now: 3 }, { mode: 'frozen', now: 10 }],
    ['stepping', { mode: 'stepping', now: 3, step: 5 }, { mode: 'stepping', now: 10, step: 5 }],
  ] satisfies [string, Clock, Clock][])('is advanced by 7 when it is %s', (_, clock, later) => {
    expect(advance(clock, 7)).toEqual(later)
  })

  it.each([
    { mode: 'real', offset: 0 },
    { mode: 'real', offset: -5 },
    { mode: 'frozen', now },
    { mode: 'stepping', now, step: 0 },
    { mode: 'stepping', now, step: 250 },
  ] satisfies ClockDocument[])('is written as the document it was made from: %j', (document) => {
    expect(exportClock(createClock(document))).toEqual(document)
    expect(parse(ClockDocument, exportClock(createClock(document)))).toEqual({ ok: true, value: document })
  })

  // A time that `Date` cannot write would fail every later request.
  it.each([
    ['an offset beyond all dates', { mode: 'real', offset: Number.MAX_SAFE_INTEGER }],
    ['an offset before all dates', { mode: 'real', offset: Number.MIN_SAFE_INTEGER }],
    ['a step that is not whole', { mode: 'stepping', step: 0.5 }],
    ['a step backward', { mode: 'stepping', step: -1 }],
    ['a time that is none', { mode: 'frozen', now: '2025-02-30T00:00:00.000Z' }],
    ['a time that is not in UTC', { mode: 'frozen', now: '2025-01-01T00:00:00+02:00' }],
    ['another mode', { mode: 'slow' }],
    ['no mode', { now }],
  ])('is rejected with %s', (_, document) => {
    expect(parse(ClockDocument, document).ok).toBe(false)
  })

  // Times are compared as texts, so a year of five digits would break every list.
  it.each([
    { mode: 'real', offset: Date.parse('9999-12-31T23:59:59.999Z') },
    { mode: 'real', offset: Date.parse('0000-01-01T00:00:00.000Z') },
    { mode: 'stepping', now: '9999-12-31T23:59:59.000Z', step: 1000 },
    { mode: 'stepping', step: Number.MAX_SAFE_INTEGER },
  ] satisfies ClockDocument[])('never shows a time that documents cannot write: %j', (document) => {
    let clock = createClock(document)
    for (let write = 0; write < 3; write++) {
      if (clock.mode === 'stepping') clock = advance(clock, clock.step)
      for (const machine of [systemNow, () => 0, () => Date.parse('0001-01-01T00:00:00.000Z')])
        expect(getClockStatus(clock, machine).now).toMatch(/^\d{4}-/)
    }
    expect(parse(ClockDocument, exportClock(clock)).ok).toBe(true)
  })
})

describe('the clock of a project', () => {
  it('gives a write its time, and steps once afterwards, however much the write changed', () => {
    const { run, clock } = projectWith({ mode: 'stepping', now, step: 1000 })
    const { user, link } = run((tx) => ({
      user: createUser(tx, { email: 'ada@example.com' }),
      link: createPaymentLink(tx, { invoice: 'inv_1', redirectUrl: null, payer: {} }),
    }))
    expect([user.createdAt, link.createdAt]).toEqual([now, now])
    expect(clock()).toMatchObject({ now: '2030-06-01T12:00:01.000Z' })
    expect(run((tx) => createUser(tx, { email: 'b@example.com' })).createdAt).toBe('2030-06-01T12:00:01.000Z')
  })

  it('does not step with a read, an update that changes nothing, or a write that is rejected', () => {
    const { run, clock, id } = projectWith({ mode: 'stepping', now, step: 1000 })
    const before = clock()
    run((tx) => tx.now)
    run((tx) => updateUser(tx, id, {}))
    run((tx) => updateUser(tx, id, { email: 'seeded@example.com', fullName: null, metadata: {} }))
    expect(() => run((tx) => updateUser(tx, 'usr_nobody', { fullName: 'Ada' }))).toThrow(
      errors.userNotFound({ id: 'usr_nobody', project: 'acme', text: 'user' }),
    )
    expect(clock()).toEqual(before)
  })

  it.each([
    ['an update', (project: Project) => project.run((tx) => updateUser(tx, project.id, { fullName: 'Ada' }))],
    ['a delete', (project: Project) => project.run((tx) => tx.delete('users', project.id))],
  ])('steps with %s', (_, write) => {
    const project = projectWith({ mode: 'stepping', now, step: 1000 })
    write(project)
    expect(project.clock()).toMatchObject({ now: '2030-06-01T12:00:01.000Z' })
  })

  it('asks the machine once for each piece of tx when it is real', () => {
    let time = Date.parse(now)
    const store = createStore({ systemNow: () => time++ })
    const times = store.write('acme', getBehavior, (tx) => [tx.now, tx.now, createUser(tx, { email: 'a@b' }).createdAt])
    expect(times).toEqual([now, now, now])
    expect(store.clock.getTime('acme')).toBe(Date.parse(now) + 1)
  })
})

type Project = ReturnType<typeof projectWith>

const getBehavior: BehaviorLookup = (key) => defaultBehaviors[key]

/** A store with one project and one user in it. */
function projectWith(clock: ClockDocument) {
  const id = 'usr_seeded'
  const seed = { clock, projects: { acme: { users: [{ id, email: 'seeded@example.com' }] } } }
  const store = createStore({ systemNow, seed })
  const run = <R>(operation: Parameters<typeof store.write<R>>[2]) => store.write('acme', getBehavior, operation)
  return { store, run, id, clock: () => store.projects.summarize('acme').clock }
}
