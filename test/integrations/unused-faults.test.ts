/** A fault that never applied is reported, with the request that came nearest to it. */
import { expect, it } from 'vitest'
import { matchers, type PaylinkMatchers } from '../../src/extensions/matchers/index.ts'
import type { FaultRule, MockError } from '../../src/node/index.ts'
import { noon } from '../support/api.ts'
import { ask, describeControl } from '../support/control.ts'

declare module 'vitest' {
  // The test runner names the parameter.
  interface Matchers<T = any> extends PaylinkMatchers<Promise<T>> {}
}

expect.extend(matchers)

const users = '/projects/acme/users'
const rule: FaultRule = { match: { operation: 'listUsers', query: { limit: '6' } }, effect: { status: 503 } }
const message =
  /^Fault 'flt_\w+' with {"status":503} never applied: listUsers with {"project":"acme","query":{"limit":"6"}} .* GET \/projects\/acme\/users \(200\), where query\.limit is '5', not '6'\.$/

const failure = (call: Promise<unknown>): Promise<Partial<MockError>> =>
  call.then(
    () => ({ message: 'it passed' }),
    (error: MockError) => error,
  )

describeControl('toHaveNoUnusedFaults', (start) => {
  it('names a fault that never applied, and the nearest request', async () => {
    const { mock, control } = await start()
    const acme = control.project('acme')
    await acme.faults.add(rule)
    await ask(mock, `${users}?limit=5`)
    expect(await failure(expect(acme).toHaveNoUnusedFaults())).toMatchObject({
      message: expect.stringMatching(message),
    })
    expect(await failure(expect(control).toHaveNoUnusedFaults())).toMatchObject({
      message: expect.stringMatching(message),
    })
  })

  it('names each of several faults', async () => {
    const { control } = await start()
    const acme = control.project('acme')
    for (const status of [500, 502]) await acme.faults.add({ effect: { status } })
    const { message: text = '' } = await failure(expect(acme).toHaveNoUnusedFaults())
    expect(text.match(/^Fault 'flt_\w+' with {"status":\d+} never applied: /gm)).toHaveLength(2)
  })

  it('passes without faults, and with one that applied', async () => {
    const { mock, control } = await start()
    const acme = control.project('acme')
    await expect(acme).toHaveNoUnusedFaults()
    await acme.faults.add({ effect: { status: 503 } })
    expect((await ask(mock, users)).status).toBe(503)
    await expect(acme).toHaveNoUnusedFaults()
    expect(await failure(expect(acme).not.toHaveNoUnusedFaults())).toMatchObject({
      message: 'expected not toHaveNoUnusedFaults.',
    })
  })

  it('ignores the faults and requests of other projects', async () => {
    const { mock, control } = await start()
    await control.project('beta').faults.add(rule)
    await ask(mock, `${users}?limit=6`)
    await expect(control.project('acme')).toHaveNoUnusedFaults()
    const { message: text } = await failure(expect(control).toHaveNoUnusedFaults())
    expect(text).toContain("project is 'acme', not 'beta'")
  })

  it.each<[string, Partial<FaultRule>]>([
    ['it skipped it', { skip: 1 }],
    ['it was too early', { from: new Date(Date.parse(noon) + 1).toISOString() }],
    ['its probability is 0', { probability: 0 }],
    ['a header in the match is secret', { skip: 1, match: { headers: { authorization: 'Bearer t' } } }],
  ])('counts a request that matched although %s', async (_, part) => {
    const { mock, control } = await start()
    const acme = control.project('acme')
    await acme.faults.add({ effect: { status: 503 }, ...part })
    await mock.fetch(users, { headers: { authorization: 'Bearer t' } })
    const { message: text } = await failure(expect(acme).toHaveNoUnusedFaults())
    expect(text).toMatch(/never applied, although the journal has 1 request that matches\. /)
  })

  it('reports dropped requests, and other errors as they are', async () => {
    const { mock, control } = await start({ journalSize: 1 })
    const acme = control.project('acme')
    await acme.faults.add(rule)
    for (let i = 0; i < 2; i++) await ask(mock, users)
    expect((await failure(expect(acme).toHaveNoUnusedFaults())).message).toContain('but 1 older request was dropped.')
    const broken = { ...acme, faults: { list: () => Promise.reject(new Error('offline')) } }
    expect((await failure(expect(broken).toHaveNoUnusedFaults())).message).toBe('offline')
  })
})

describeControl('a required fault', (start) => {
  it('rejects at the end of its block if it never applied, and is removed', async () => {
    const { mock, control } = await start()
    const acme = control.project('acme')
    const block = async () => {
      await using fault = await acme.faults.add(rule, { required: true })
      expect(fault.hits).toBe(0)
      await ask(mock, `${users}?limit=5`)
    }
    const error = await failure(block())
    expect(error).toMatchObject({ code: 'verificationFailed', message: expect.stringMatching(message) })
    expect(error.stack).toContain('unused-faults.test.ts')
    expect(await acme.faults.list()).toEqual([])
  })

  it.each([
    ['it applied', { required: true }, '?limit=6'],
    ['it is not required', { required: false }, ''],
    ['the option is omitted', {}, ''],
    ['the option is undefined', { required: undefined }, ''],
  ])('ends without an error if %s', async (_, options, query) => {
    const { mock, control } = await start()
    const acme = control.project('acme')
    {
      await using fault = await acme.faults.add(rule, options)
      await ask(mock, `${users}${query}`)
      expect((await fault.refresh()).hits).toBe(query === '' ? 0 : 1)
    }
    expect(await acme.faults.list()).toEqual([])
  })

  it.each(['reset', 'remove'])('ends without an error after a %s', async (how) => {
    const { control } = await start()
    const acme = control.project('acme')
    await using fault = await acme.faults.add(rule, { required: true })
    await (how === 'reset' ? acme.reset() : fault.remove())
  })

  it('rejects an invalid and an unknown option, and creates no fault', async () => {
    const { control } = await start()
    const { faults } = control.project('acme')
    const invalid = [{ required: 'yes' }, { require: true }, 'required', null]
    const errors = await Promise.all(invalid.map((options) => failure(faults.add(rule, options as never))))
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['invalidOptions', "required must be true or false (got 'yes')."],
      ['invalidOptions', "require is not a field here; did you mean 'required'?"],
      ['invalidOptions', "The options of faults.add must be an object, such as { required: true } (got 'required')."],
      ['invalidOptions', 'The options of faults.add must be an object, such as { required: true } (got null).'],
    ])
    expect(await faults.list()).toEqual([])
  })
})
