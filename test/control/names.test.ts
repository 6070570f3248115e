import { expect, it } from 'vitest'
import type { ProjectControl } from '../../src/client/index.ts'
import { MockError } from '../../src/node/index.ts'
import { describeControl } from '../support/control.ts'
import { toMockError } from '../support/to-mock-error.ts'

const seed = {
  projects: {
    acme: { users: [{ id: 'usr_1', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] },
    empty: {},
  },
}

/** Every call that has an id, and the name of the id in its error. */
const calls: readonly [
  called: string,
  name: 'user' | 'paymentLink' | 'name' | 'request' | 'fault',
  call: (project: ProjectControl, id: string) => Promise<unknown>,
][] = [
  ['users.get', 'user', ({ users }, id) => users.get(id)],
  ['users.patch', 'user', ({ users }, id) => users.patch(id, { fullName: 'Eve' })],
  ['users.delete', 'user', ({ users }, id) => users.delete(id)],
  ['paymentLinks.get', 'paymentLink', ({ paymentLinks }, id) => paymentLinks.get(id)],
  ['paymentLinks.patch', 'paymentLink', ({ paymentLinks }, id) => paymentLinks.patch(id, { invoice: 'inv_2' })],
  ['paymentLinks.delete', 'paymentLink', ({ paymentLinks }, id) => paymentLinks.delete(id)],
  ['paymentLinks.pay', 'paymentLink', ({ paymentLinks }, id) => paymentLinks.pay(id)],
  ['paymentLinks.cancel', 'paymentLink', ({ paymentLinks }, id) => paymentLinks.cancel(id)],
  ['snapshots.restore', 'name', ({ snapshots }, id) => snapshots.restore(id)],
  ['snapshots.delete', 'name', ({ snapshots }, id) => snapshots.delete(id)],
  ['requests.get', 'request', ({ requests }, id) => requests.get(id)],
  ['scheduledPayments.cancel', 'paymentLink', ({ scheduledPayments }, id) => scheduledPayments.cancel(id)],
  ['faults.remove', 'fault', ({ faults }, id) => faults.remove(id)],
]

describeControl('an id that is not a string', (start) => {
  it.each(calls)('is rejected by %s, and changes nothing', async (_, name, call) => {
    const { control } = await start({ seed })
    const acme = control.project('acme')
    await acme.users.get('usr_1')
    await acme.paymentLinks.get('pml_1')
    await acme.faults.add({ effect: { status: 503 }, match: { operation: 'createUser' } })
    await acme.paymentLinks.pay('pml_1', { when: { reads: 50 } })
    const before = [await control.state.get(), await control.faults.list(), await control.scheduledPayments.list()]
    for (const project of [acme, control.project('empty')]) {
      const error: unknown = await call(project, undefined as never).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(MockError)
      expect(error).toMatchObject({ code: 'invalidOptions', message: `${name} must be a string (got undefined).` })
    }
    expect([await control.state.get(), await control.faults.list(), await control.scheduledPayments.list()]).toEqual(
      before,
    )
    expect([before[1], before[2]]).toMatchObject([{ length: 1 }, { length: 1 }])
  })

  it.each([
    [null, 'null'],
    [5, '5'],
    [{ id: 'usr_1' }, 'an object'],
    [['usr_1'], 'an array'],
  ])('is rejected with a message that shows it: %j', async (id, shown) => {
    const { control } = await start({ seed })
    for (const [called, name, call] of calls)
      await expect(call(control.project('empty'), id as never), called).rejects.toMatchObject({
        code: 'invalidOptions',
        message: `${name} must be a string (got ${shown}).`,
      })
  })
})

const codes = {
  user: 'userNotFound',
  paymentLink: 'paymentLinkNotFound',
  name: 'snapshotNotFound',
  request: 'requestNotFound',
  fault: 'faultNotFound',
} as const

describeControl('an id that cannot appear in a URL', (start) => {
  it.each(['', '.', '..', '\ud800'])('is not found: %j', async (id) => {
    const { control } = await start({ seed })
    for (const [called, name, call] of calls)
      await expect(call(control.project('acme'), id), called).rejects.toMatchObject({
        status: 404,
        code: called === 'scheduledPayments.cancel' ? 'scheduledPaymentNotFound' : codes[name],
      })
    await expect(control.project(id).users.list()).rejects.toMatchObject({ status: 404, code: 'projectNotFound' })
  })
})

describeControl('a project name that is not a string', (start) => {
  it('is rejected', async () => {
    const { control } = await start({ seed })
    for (const id of [undefined, null, 5]) {
      const { code, message } = toMockError(() => control.project(id as never))
      expect([code, message]).toEqual(['invalidOptions', `project must be a string (got ${id}).`])
    }
  })
})

describeControl('an invalid query', (start) => {
  it('is rejected by every list', async () => {
    const { control } = await start({ seed })
    const { users, paymentLinks, requests } = control.project('acme')
    const error = { code: 'invalidQuery', status: 422, message: 'The query must be an object (got null).' }
    for (const lists of [users, paymentLinks, requests])
      await expect(lists.list(null as never)).rejects.toMatchObject(error)
  })
})

describeControl('events', (start) => {
  it('reject invalid options', async () => {
    const { control } = await start({ seed })
    const messageOf = (options: unknown) => toMockError(() => control.events(options as never)).message
    expect(messageOf({ aftr: 1 })).toBe("aftr is not a field here; did you mean 'after'?")
    expect(messageOf(null)).toBe('The options of events must be an object, such as { after: 0 } (got null).')
  })
})
