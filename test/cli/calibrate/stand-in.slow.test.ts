import { describe, expect, it } from 'vitest'
import type { CalibrationReport } from '../../../src/extensions/calibrate/calibrate.ts'
import { startStandIn } from './stand-in.ts'
import { ask, settling, type StandIn } from './support/ask.ts'

const creates = ({ seen }: StandIn) => seen.filter((line) => line.endsWith('POST /v2/projects/acme/users')).length
const nothing = { users: 0, activeLinks: 0, harmed: [] }

const found = ({ findings }: CalibrationReport): Record<string, unknown> =>
  Object.fromEntries(
    findings.map((one) => [
      one.key,
      one.outcome === 'observed' ? one.value : { [one.outcome]: one.outcome === 'unknown' ? one.what : one.why },
    ]),
  )

describe('an independent service', () => {
  it('gets findings for known, unknown and inconclusive behaviors', async () => {
    const service = await startStandIn()
    const report = await ask(service)
    expect(report.ended).toBeUndefined()
    expect(found(report)).toEqual({
      createStatus: { unknown: 'a create returns 202' },
      invalidBodyStatus: 400,
      errorFormat: { unknown: "an error has the type 'application/json; charset=utf-8' with 'errors'" },
      requestHeaders: { unknown: "'Accept: text/html' returns 406, a body without a Content-type 200" },
      unknownFields: 'reject',
      unknownProject: {
        inconclusive: 'needs a token for all projects: this one is rejected before the project is checked',
      },
      cancelInactive: 'conflict',
      idempotencyKey: 'ignore',
      paymentLinkOrder: {
        inconclusive: expect.stringMatching(/^needs a second link, and thus an unused invoice: .* returned 409$/),
      },
      payerFields: { unknown: 'an empty payer is rejected, and one without email is not' },
      searchMatch: 'contains',
      searchWithoutEmail: {
        unknown: expect.stringMatching(
          /^a null email returns 400 with no users, and a missing one 200 with \d+ users$/,
        ),
      },
      emailVerifiedOnCreate: false,
      emailVerifiedOnChange: { inconclusive: 'needs a verified user: a new one is not, so a reset would not show' },
      duplicateEmail: 'conflict',
      metadataUpdate: 'replace',
      metadataLimits: { unknown: 'metadata accepts a key of 41 characters, 11 keys, but not the rest' },
      deletedCursor: { unknown: 'a deleted cursor returns 410' },
      invoiceIds: 'seeded',
      timestampPrecision: 'seconds',
      listFreshness: 'immediate',
    })
    expect(report.behaviors).toEqual({
      invalidBodyStatus: 400,
      unknownFields: 'reject',
      cancelInactive: 'conflict',
      searchMatch: 'contains',
      emailVerifiedOnCreate: false,
      duplicateEmail: 'conflict',
      metadataUpdate: 'replace',
      invoiceIds: 'seeded',
      idempotencyKey: 'ignore',
      timestampPrecision: 'seconds',
      listFreshness: 'immediate',
    })
    expect(Object.keys(report.notProbeable)).toEqual(['wrongProjectToken'])
    expect(report.unexpectedFields.map(({ what }) => what)).toEqual([
      "a user has the field 'tenant', which the specification does not show",
    ])
    expect(service.leftBehind()).toEqual(nothing)
    expect(report).toMatchObject({ leftBehind: [], canceled: [expect.stringMatching(/^pml_/)] })
  })

  it('gets the same probes with ids, a project and an invoice that must be escaped in a URL', async () => {
    const plain = await ask(await startStandIn({ badBody: 500 }))
    const invoices = ['inv 1&status=completed#']
    const failureOf = (method: string, path: string) =>
      method === 'POST' && path === '/paymentLinks' ? { isDone: true, status: 500 } : undefined
    const service = await startStandIn({ idEnd: '/a b?c=d&é#', project: 'a/b c?', invoices, badBody: 500 })
    const report = await ask(service)
    expect(report.behaviors).toEqual(plain.behaviors)
    expect(report.leftBehind).toEqual([
      expect.stringMatching(/\.invalid@example\.com' may still exist: .* returned 500, /),
    ])
    expect(service.leftBehind()).toEqual(nothing)
    const failing = await startStandIn({ idEnd: '/a', project: 'a/b c?', invoices, anyPayer: true, failureOf })
    expect(await ask(failing, { keys: ['payerFields'] })).toMatchObject({ leftBehind: [] })
    expect(failing.leftBehind()).toEqual(nothing)
  })

  it('is quoted with the records of the run, and the number of other records', async () => {
    const service = await startStandIn({ searchesAll: true })
    const { findings } = await ask(service, { keys: ['searchMatch'] })
    expect(findings[0]!.exchanges[0]!.response).toMatch(/^\[\{"object":"user","id":"usr_000008",.* and 6 of others$/)
  })

  it.each([
    ['abcdefgh', 'x***x'],
    ['abcdefg', 'xabcdefgx'],
  ])('masks the token %s inside a word when it is long enough', async (token, shown) => {
    const failureOf = (method: string) =>
      method === 'POST' ? { isDone: false, status: 422, text: `"x${token}x"` } : undefined
    const { findings } = await ask(await startStandIn({ token, failureOf }), { token, keys: ['invalidBodyStatus'] })
    expect(findings[0]!.exchanges[0]!.response).toBe(`"${shown}"`)
  })

  it('never has its token or its existing records in the output', async () => {
    const service = await startStandIn()
    const report = await ask(service)
    const shown = report.findings.flatMap(({ exchanges }) => exchanges)
    expect(shown.filter(({ headers }) => headers.authorization !== 'Bearer ***')).toEqual([])
    expect(shown.some(({ response }) => response.includes('"received":"Bearer ***"'))).toBe(true)
    const said = JSON.stringify(report)
    expect(said).not.toContain(service.token)
    expect(said).not.toContain('customer.example')
    expect(said).toContain('of others')
  })

  it.each(['e', 'any', 'user', '201', '.', '*'])(
    'is quoted in whole words although its token is only %s',
    async (token) => {
      const report = await ask(await startStandIn({ token }), { token })
      const responses = report.findings.flatMap(({ exchanges }) => exchanges.map(({ response }) => response))
      expect(responses.join()).toContain('"received":"Bearer ***"')
      expect(responses.filter((response) => /\w\*\*\*|\*\*\*\w/.test(response))).toEqual([])
    },
  )

  describe('that echoes its token', () => {
    const token = String.raw`tok/s+c=r&e"t<'\x%41>y`
    const each = (form: (code: number) => string) => Array.from(token, (one) => form(one.charCodeAt(0))).join('')
    const hex = (code: number) => code.toString(16)
    const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }
    const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
    /** Sends this text instead of each rejection. */
    const echoing = (text: string, status = 422) =>
      startStandIn({
        token,
        failureOf: (method, path) =>
          method === 'POST' && path === '/users' ? { isDone: false, status, text } : undefined,
      })

    it.each([
      ['as JSON', inJson(token)],
      ['as JSON with escaped slashes', inJson(token).replaceAll('/', String.raw`\/`)],
      ['as JSON with every character escaped', each((code) => String.raw`\u00${hex(code)}`)],
      ['as JSON with capitals in the escapes', each((code) => String.raw`\u00${hex(code).toUpperCase()}`)],
      ['as JSON in JSON', inJson(inJson(token))],
      ['percent-encoded', encodeURIComponent(token)],
      ['percent-encoded in small letters', encodeURIComponent(token).toLowerCase()],
      ['percent-encoded in every character', each((code) => `%${hex(code)}`)],
      ['percent-encoded twice', encodeURIComponent(encodeURIComponent(token))],
      ['as HTML', inJson(token.replace(/[&<>"']/g, (one) => named[one]!))],
      ['as HTML by numbers', each((code) => `&#${code};`)],
      ['as HTML by hexadecimal numbers', each((code) => `&#x0${hex(code)};`)],
    ])('masks it %s', async (_, echo) => {
      const service = await echoing(`{"received":"Bearer ${echo}"}`)
      const { findings } = await ask(service, { token, keys: ['invalidBodyStatus'] })
      expect(findings[0]!.exchanges[0]!.response).toBe('{"received":"Bearer ***"}')
    })

    it('masks it in a text that is not JSON, also where the text is cut', async () => {
      const service = await echoing(`${'-'.repeat(290)}${token}${token}`)
      const { findings } = await ask(service, { token, keys: ['invalidBodyStatus'] })
      expect(findings[0]!.exchanges[0]!.response).toBe(`${'-'.repeat(290)}******`)
    })

    it('masks it where it is long and comes after a long text', async () => {
      const long = 'a/b'.repeat(2000)
      const text = JSON.stringify({ code: `Bearer ${long}`, message: '-'.repeat(300_000) })
      const service = await startStandIn({
        token: long,
        failureOf: (method) =>
          method === 'POST' ? { isDone: false, status: 422, text: text.replaceAll('/', String.raw`\/`) } : undefined,
      })
      const { findings } = await ask(service, { token: long, keys: ['invalidBodyStatus'] })
      expect(findings[0]!.exchanges[0]!.response).toMatch(/^\{"code":"Bearer \*\*\*","message":"-+\.\.\.$/)
    })

    it('masks it as the name of a field', async () => {
      const { findings } = await ask(await echoing(JSON.stringify({ [token]: 1 })), { token, keys: ['errorFormat'] })
      expect(findings).toMatchObject([{ what: "an error has the type 'application/json' with '***'" }])
    })

    /** Has one user, with this id and these fields, whatever happens. */
    const withUser = (user: object, deletion: number) => {
      const text = JSON.stringify({ email: 'paylink-mock-calibrate+aaaaaaaaaa.1@example.com', ...user })
      return startStandIn({
        token,
        failureOf: (method, path) => {
          if (path === '/users/search') return { isDone: false, status: 200, text: '{"items":[]}' }
          if (method === 'DELETE') return { isDone: false, status: deletion }
          return path === '/users' && method === 'GET' ? undefined : { isDone: false, status: 201, text }
        },
      })
    }

    it('masks it in the report of a record', async () => {
      const service = await withUser({ id: 'usr_9', createdAt: token, [token]: 1 }, 200)
      const report = await ask(service, { token, keys: ['timestampPrecision'], random: () => 0 })
      expect(report.findings).toMatchObject([{ what: "a time is written as '***'" }])
      expect(report.unexpectedFields.map(({ what }) => what)).toContain(
        "a user has the field '***', which the specification does not show",
      )
    })

    it('masks it in the report of a remaining record', async () => {
      const service = await withUser({ id: `usr_${token}` }, 500)
      const { leftBehind } = await ask(service, { token, keys: ['createStatus'], random: () => 0 })
      expect(leftBehind).toEqual(["User 'usr_***' was not deleted: DELETE /projects/acme/users/usr_*** returned 500."])
    })
  })

  it.each([
    ['a few times, longer each time', '', [1000, 2000, 4000, 8000], /^rate limited: .* returned 429 after 5 attempts$/],
    ['never when the wait would be too long', '3600', [], /after 1 attempt, and asks to wait 3600 s$/],
  ])('that stays busy gets retries %s, and the behavior is inconclusive', async (_, retryAfter, expected, why) => {
    const service: StandIn = await startStandIn({
      retryAfter,
      // Only before the second create.
      busyAt: () => service.seen.at(-1)!.includes('/users/search') && creates(service) < 2,
    })
    const waits: number[] = []
    const report = await ask(service, {
      keys: ['searchMatch', 'duplicateEmail'],
      wait: async (milliseconds) => void waits.push(milliseconds),
    })
    expect(waits).toEqual([...expected, ...settling])
    expect(found(report)).toEqual({
      searchMatch: { inconclusive: expect.stringMatching(why) },
      duplicateEmail: 'conflict',
    })
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('that allows one link per invoice shows the other behaviors in a second run', async () => {
    const service = await startStandIn()
    const first = await ask(service)
    const again = found(await ask(service))
    const needsInvoice = { inconclusive: expect.stringMatching(/^needs an unused invoice: POST \S+ returned 409$/) }
    expect(again).toEqual({
      ...found(first),
      payerFields: needsInvoice,
      invoiceIds: needsInvoice,
      cancelInactive: needsInvoice,
      paymentLinkOrder: needsInvoice,
    })
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('keeps nothing when the run is interrupted during a wait', async () => {
    const interruption = new AbortController()
    const signals: (AbortSignal | undefined)[] = []
    const service = await startStandIn({ busyAt: (request) => request === 12 })
    const report = await ask(service, {
      signal: interruption.signal,
      wait: async (_, signal) => {
        signals.push(signal)
        interruption.abort()
      },
    })
    // The clean-up does not end early.
    expect(signals).toEqual([interruption.signal, undefined, undefined])
    expect(report).toMatchObject({ ended: 'interrupted', leftBehind: [] })
    expect(service.leftBehind()).toEqual(nothing)
  })
})
