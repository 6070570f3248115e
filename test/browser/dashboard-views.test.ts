import { describe, expect, it } from 'vitest'
import { getSituationName } from '../../src/core/schema/coverage-text.ts'
import { noon } from '../support/api.ts'
import { projectViews } from './support/dashboard.ts'
import { seed, startViews, textOf, unescaped } from './support/views.ts'

const headers = { authorization: 'Bearer tok_1', accept: 'application/json', 'content-type': 'application/json' }

/** The texts of the badges in a part. */
const badges = (markup: string): Record<string, string> =>
  Object.fromEntries([...markup.matchAll(/<span class="badge (\w+)">([^<]*)</g)].map(([, look, text]) => [text, look]))

describe('the journal', () => {
  const start = async (options = {}) => {
    const started = await startViews({ seed, ...options })
    const ask = (path: string, init: RequestInit = {}) => started.mock.fetch(path, { headers, ...init })
    return { ...started, ask }
  }

  it('shows the newest requests first, with badges for violations and faults', async () => {
    const { mock, view, ask } = await start()
    await ask('/projects/acme/users?limit=2&x=1&x=a%20b')
    await ask('/projects/acme/users/usr_ada', { method: 'PATCH', body: '{"fullName":"Ada"}' })
    await mock.project('other').faults.add({ effect: { connection: 'reset' } })
    await expect(ask('/projects/other/users')).rejects.toThrow()
    await ask('/projects/acme/nowhere')
    const { rows } = await view('journal')
    expect(rows.map(({ cells }) => [cells.name, cells.Status, cells.Operation, cells.Project, cells.Notes])).toEqual([
      ['GET /projects/acme/nowhere', '404', 'none', 'acme', '1 violation'],
      ['GET /projects/other/users', 'no response', 'listUsers', 'other', 'fault'],
      ['PATCH /projects/acme/users/usr_ada', '200', 'updateUser', 'acme', '1 change'],
      ['GET /projects/acme/users?limit=2&x=1&x=a b', '200', 'listUsers', 'acme', '1 violation'],
    ])
    expect(rows.map(({ markup }) => badges(markup))).toEqual([
      { 404: 'bad', '1 violation': 'bad' },
      { 'no response': 'bad', fault: 'bad' },
      { 200: 'good', '1 change': 'good' },
      { 200: 'good', '1 violation': 'bad' },
    ])
    const [entry] = (await mock.requests.list()).items
    expect(rows.at(-1)!.markup).toContain(`href="#request?id=${entry!.id}"`)
    expect(rows.at(-1)!.cells.Received).toBe(entry!.receivedAt.slice(11, 23))
    const own = await view('journal?project=acme')
    expect(own.rows.map(({ key }) => key)).toEqual([rows[0]!.key, rows[2]!.key, rows[3]!.key])
    expect(own.rows[0]!.cells).not.toHaveProperty('Project')
  })

  it('shows a status below 400 as good', async () => {
    const { mock, view, ask } = await start()
    for (const status of [399, 400]) {
      await mock.faults.add({ effect: { status } })
      await ask('/projects/acme/users')
    }
    expect((await view('journal')).rows.map(({ markup }) => badges(markup))).toEqual([
      { 400: 'bad', fault: 'bad' },
      { 399: 'good', fault: 'bad' },
    ])
  })

  it('filters by operation and status', async () => {
    const { view, ask } = await start()
    for (const path of ['users', 'users?limit=x', 'users/usr_none']) await ask(`/projects/acme/${path}`)
    const filtered = async (query: string) => (await view(`journal?${query}`)).rows.map(({ cells }) => cells.Operation)
    expect(await filtered('operation=listUsers')).toEqual(['listUsers', 'listUsers'])
    expect(await filtered('operation=listUsers&status=200')).toEqual(['listUsers'])
    expect(await filtered('project=acme&status=404')).toEqual(['retrieveUser'])
    expect(await filtered('operation=createUser')).toEqual([])
    expect((await view('journal?operation=createUser')).text).toContain('No request matches.')
  })

  it('shows 50 requests, and the number of dropped ones', async () => {
    const { view, ask } = await start({ journalSize: 52 })
    for (let i = 0; i < 51; i++) await ask(`/projects/acme/users?limit=${i}`)
    const { rows, text } = await view('journal')
    expect(rows.map(({ cells }) => cells.name)).toEqual(
      Array.from({ length: 50 }, (_, index) => `GET /projects/acme/users?limit=${50 - index}`),
    )
    expect(text).not.toContain('dropped')
    for (let i = 0; i < 2; i++) await ask('/projects/acme/users')
    expect((await view('journal')).text).toContain('1 older request was dropped.')
    await ask('/projects/acme/users')
    expect((await view('journal')).text).toContain('2 older requests were dropped.')
  })
})

it('a table has only the roles of its elements, in every view and on every page', async () => {
  const { mock, view } = await startViews({ seed })
  await mock.fetch('/projects/acme/users/usr_ada', { headers })
  await mock.faults.add({ effect: { status: 503 } })
  const [recorded] = (await mock.requests.list()).items
  const views = projectViews({ request: recorded!.id }).map(
    (name) => `${name}${name.includes('?') ? '&' : '?'}project=acme`,
  )
  const pages = ['/', '/docs', '/pay/acme/pml_open'].map(async (path) => (await mock.fetch(path)).text())
  const markups = [...views, 'projects', 'sandboxes', 'users', 'payment-links'].map(
    async (name) => (await view(name)).markup,
  )
  const markup = (await Promise.all([...pages, ...markups])).join('')
  expect(markup.match(/<table>/g)!.length).toBeGreaterThan(10)
  expect(markup).not.toMatch(/<(?:table|thead|tbody|tr|th|td)\s[^>]*\brole=/)
})

describe('a recorded request', () => {
  const start = async (options = {}) => {
    const { mock, view } = await startViews({ seed, ...options })
    const shown = async (path: string, init: RequestInit = {}) => {
      await mock.fetch(path, { headers, ...init }).catch(() => undefined)
      const entry = (await mock.requests.list()).items.at(-1)!
      return { entry, ...(await view(`request?id=${entry.id}`)) }
    }
    return { mock, shown }
  }

  it('shows a new record, an old and a new one, and a deleted one', async () => {
    const { shown } = await start()
    const created = await shown('/projects/acme/users', { method: 'POST', body: '{"email":"new@example.com"}' })
    expect(created.text).toMatch(/user usr_\w+ created After \{/)
    expect(created.text).not.toContain('Before {')
    const changed = await shown('/projects/acme/users/usr_ada', { method: 'PATCH', body: '{"fullName":null}' })
    const words = /user usr_ada changed Before \{.*"fullName": "Ada Lovelace".*After \{.*"fullName": null/
    expect(changed.text).toMatch(words)
    const deleted = await shown('/projects/acme/users/usr_ada', { method: 'DELETE' })
    expect(deleted.text).toMatch(/user usr_ada deleted Before \{/)
    expect(deleted.text).not.toContain('After {')
    const read = await shown('/projects/acme/users')
    expect(read.text).toContain('Changes None.')
  })

  it('shows its query and its violations', async () => {
    const { shown } = await start()
    const { text, rows, entry } = await shown('/projects/acme/paymentLinks?limit=x&x=1&x=2')
    expect(text).toContain('Query { "limit": "x", "x": [ "1", "2" ] }')
    expect(rows[0]!.cells).toMatchObject({ name: entry.violations[0]!.path, Section: entry.violations[0]!.spec })
    const { text: without } = await shown('/projects/acme/users')
    expect(without).not.toContain('Query')
    const { rows: relied } = await shown('/projects/acme/paymentLinks')
    expect(relied.map(({ cells }) => cells)).toEqual([{ name: 'paymentLinkOrder', Value: 'newestFirst' }])
  })

  it('marks a body that was cut', async () => {
    const { shown } = await start()
    const longer = 'The body was longer. Only its beginning was kept.'
    const body = JSON.stringify({ email: 'a@example.com', fullName: 'x'.repeat(20_000) })
    const { text } = await shown('/projects/acme/users', { method: 'POST', body })
    expect(text.split(longer)).toHaveLength(3)
    expect((await shown('/projects/other/users')).text).not.toContain(longer)
  })

  it('shows its fault and the missing response', async () => {
    const { mock, shown } = await start()
    const fault = await mock.faults.add({ effect: { connection: 'close' } })
    const { text } = await shown('/projects/acme/users')
    expect(text).toContain(`Fault ${fault.id}`)
    expect(text).toContain('Status no response')
    expect(text).toContain('Response None.')
    expect((await shown('/projects/acme/users')).text).not.toContain('Fault flt_')
    expect((await shown('/nowhere')).text).toContain('Operation none Project none')
  })
})

describe('the diagnostics', () => {
  it('count violations and assumptions, with the first request of each', async () => {
    const { mock, view } = await startViews({ seed })
    for (let i = 0; i < 2; i++)
      await mock.fetch('/projects/acme/paymentLinks', { headers: { ...headers, accept: '*/*' } })
    const [first] = (await mock.requests.list()).items
    const { rows, text } = await view('diagnostics')
    expect(rows.map(({ cells }) => cells)).toEqual([
      {
        name: 'headers.accept',
        Section: '§5',
        Problem: "The accept header must be 'application/json' (got '*/*').",
        Operation: 'listPaymentLinks',
        Count: '2',
        First: 'First request',
      },
      { name: 'paymentLinkOrder', Value: 'newestFirst', Responses: '2', First: 'First request' },
    ])
    for (const { markup } of rows) expect(markup).toContain(`href="#request?id=${first!.id}"`)
    expect(text).not.toContain('dropped')
    expect((await view('diagnostics?project=other')).rows).toEqual([])
  })

  it('show the number of dropped violations', async () => {
    const { mock, view } = await startViews({ seed })
    for (let i = 0; i < 11; i++) {
      const body = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${i}_${index}`, 1]))
      await mock.fetch('/projects/acme/users', { method: 'POST', headers, body: JSON.stringify(body) })
    }
    const { dropped } = await mock.violations.list()
    expect(dropped).toBeGreaterThan(0)
    expect((await view('diagnostics')).text).toContain(` ${dropped} more were not kept.`)
  })
})

describe('the coverage', () => {
  it('shows in color and in words what clients were shown, with the first request or a line that shows it', async () => {
    const { mock, view } = await startViews({ seed })
    for (let i = 0; i < 2; i++) await mock.fetch('/projects/acme/users', { headers })
    const [first] = (await mock.requests.list()).items
    const coverage = await mock.coverage()
    const { rows, text } = await view('coverage?project=acme')
    expect(text).toContain(`Clients were shown 1 of ${coverage.total} situations.`)
    expect(rows.map(({ key, cells }) => [key, cells.name])).toEqual(
      coverage.items.map((item) => [getSituationName(item), item.situation]),
    )
    const [shown, ...others] = rows.toSorted((a, b) => (a.cells.Shown! < b.cells.Shown! ? -1 : 1))
    const { key: shownKey, cells: shownCells, markup } = shown!
    expect([shownKey, shownCells.Shown, badges(markup)]).toEqual(['listUsers:200', '2 times', { '2 times': 'good' }])
    expect(shown!.markup).toContain(`href="#request?id=${first!.id}"`)
    const hasCalls = new Set(coverage.items.filter(({ show }) => show !== undefined).map(getSituationName))
    for (const { key, markup, cells } of others) {
      expect([cells.Shown, badges(markup)]).toEqual(['never', { never: 'bad' }])
      expect(markup.includes('/__admin/projects/acme/')).toBe(hasCalls.has(key))
    }
    expect((await view('coverage?project=other')).text).toContain('Clients were shown 0 of')
  })

  it('is grouped by operation, with one closed line for each that was never called, and has a filter', async () => {
    const { mock, view } = await startViews({ seed })
    await mock.fetch('/projects/acme/users', { headers })
    const { items } = await mock.coverage()
    const { markup } = await view('coverage?project=acme&shown=')
    const called = [...markup.matchAll(/<h2>(.*?)<\/h2>/gs)].map(([, heading]) => heading)
    expect(called).toEqual(['listUsers: 1 of 7 shown', 'any operation: 0 of 10 shown'])
    const closed = [...markup.matchAll(/<details>\s*<summary>(\w+): never called<\/summary>/g)].map(([, name]) => name)
    const operations = new Set(items.map(({ operation }) => operation))
    expect(closed).toEqual([...operations].filter((name) => name !== null && name !== 'listUsers'))
    const never = await view('coverage?project=acme&shown=never')
    expect(never.rows.map(({ key }) => key)).toEqual(items.filter(({ seen }) => seen === 0).map(getSituationName))
    expect(never.markup).toContain('<option value="never" selected>never</option>')
  })

  it('has commands for its sandbox', async () => {
    const { mock, view } = await startViews({ seed })
    await mock.sandbox('one').project('acme').reset()
    const { text } = await view('coverage?project=acme', '/@one')
    const urls = text.match(/http:\/\/\S+\/__admin(?=\/projects\/acme\/)/g)
    expect(new Set(urls)).toEqual(new Set(['http://mock/@one/__admin']))
  })

  it('links to the journal of a sandbox', async () => {
    const { mock, view } = await startViews({ seed })
    await mock.sandbox('one').fetch('/projects/acme/users', { headers })
    const { rows } = await view('coverage')
    const row = rows.find(({ cells }) => cells.Shown === '1 time')
    expect(row!.cells.Request).toBe('First request in one')
    expect(row!.markup).toMatch(/href="\.\.\/@one\/__admin\/#request\?id=req_\w+"/)
  })
})

describe('the behaviors', () => {
  const pressed = (markup: string) => {
    const buttons = [...markup.matchAll(/<button\s+name="(\w+)"[^>]* aria-pressed="true"\s*>([^<]*)</g)]
    return Object.fromEntries(buttons.map(([, key, value]) => [key, value!.trim()]))
  }

  it('show the value in force, and mark those that are not the default', async () => {
    const { mock, view } = await startViews({ seed })
    expect((await view('behaviors?project=acme')).text).toContain('All behaviors have their defaults.')
    await mock.project('acme').behaviors.set({ createStatus: 200 })
    const { markup, text } = await view('behaviors?project=acme')
    const { values } = await mock.project('acme').behaviors.get()
    const texts = Object.entries(values).map(([key, value]) => [key, String(value)])
    expect(pressed(markup)).toEqual(Object.fromEntries(texts))
    expect(markup.split('>changed<')).toHaveLength(2)
    const rest = textOf(markup.slice(markup.indexOf('id="b-createStatus"')))
    expect(rest).toMatch(/^id="b-createStatus">createStatus §4 changed/)
    expect(text).not.toContain('All behaviors have their defaults.')
    expect((await view('behaviors')).text).toContain('All behaviors have their defaults.')
  })

  it('show their values in order, with the default first', async () => {
    const { mock, view } = await startViews({ seed })
    const { markup } = await view('behaviors')
    const { registry } = await mock.behaviors.get()
    const buttons = [...markup.matchAll(/<button\s+name="(\w+)"\s+value="([^"]*)"/g)]
    const shown = buttons.map(([, key, value]) => [key, unescaped(value!)])
    expect(shown).toEqual(registry.flatMap(({ key, values }) => values.map((value) => [key, JSON.stringify(value)])))
  })

  it('apply a whole profile', async () => {
    const { mock, view } = await startViews({ seed, behaviors: { createStatus: 200 } })
    const { send } = await view('behaviors?project=acme')
    await send('Use the profile strict')
    const strict = (await mock.project('acme').behaviors.get()).values
    expect(strict).toMatchObject({ createStatus: 201, unknownFields: 'reject' })
    await send('Use the profile default')
    const defaults = (await mock.project('acme').behaviors.get()).values
    expect(defaults).toMatchObject({ createStatus: 201, unknownFields: 'ignore' })
    expect((await mock.project('other').behaviors.get()).values.createStatus).toBe(200)
  })
})

describe('the bar', () => {
  const optionsOf = (markup: string) =>
    [...markup.matchAll(/<option value="([^"]*)" (selected)?/g)].map(([, id, selected]) => (selected ? `*${id}` : id))

  it('counts the records of the selected project', async () => {
    const projects = { acme: { users: [{ email: 'a@example.com' }] }, other: {} }
    const { view } = await startViews({ seed: { projects } })
    const all = await view('bar')
    expect(optionsOf(all.markup)).toEqual(['acme', 'other'])
    expect(all.text).toContain('2 projects')
    const one = await view('bar?project=acme')
    expect(optionsOf(one.markup)).toEqual(['*acme', 'other'])
    expect(one.text).toMatch(/1 user 0 payment links Clock: frozen at 2025-06-01 12:00:00$/)
  })

  it('offers 100 projects and the selected one', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => `p${String(index).padStart(3, '0')}`)
    const { view } = await startViews({ seed: { projects: Object.fromEntries(ids.map((id) => [id, {}])) } })
    expect(optionsOf((await view('bar')).markup)).toEqual(ids.slice(0, 100))
    expect(optionsOf((await view('bar?project=p100')).markup)).toEqual([...ids.slice(0, 100), '*p100'])
    expect(optionsOf((await view('bar?project=new')).markup).at(-1)).toBe('*new')
  })

  it.each([
    [{ acme: {} }, 'acme'],
    [{ acme: {}, other: {} }, undefined],
    [{}, undefined],
  ])('names the only project of %j: %j', async (projects, only) => {
    const { view } = await startViews({ seed: { projects } })
    expect(/data-only="([^"]*)"/.exec((await view('bar')).markup)?.[1]).toBe(only)
  })
})

describe('the clock', () => {
  it.each([
    [{ mode: 'frozen' }, 'The clock is frozen : it stops until it is advanced. Freeze'],
    [{ mode: 'stepping', step: 0 }, 'The clock is stepping : it moves with each write. One step is 0 ms. Freeze'],
    [{ mode: 'real' }, 'The clock is real : it shows the time of this machine, and runs. Freeze'],
  ] as const)('says what %j means', async (clock, words) => {
    const { mock, view } = await startViews({ seed })
    await mock.project('acme').clock.set(clock)
    expect((await view('clock?project=acme')).text).toContain(words)
  })

  it('has a heading for each form, and shows the mode on its button', async () => {
    const { mock, view } = await startViews({ seed })
    await mock.project('acme').clock.set({ mode: 'stepping', step: 5000 })
    const { markup, form } = await view('clock?project=acme')
    expect(form('Step with writes')).toMatchObject({ method: 'PUT', path: 'projects/acme/clock' })
    expect(markup).toMatch(/name="step"[^>]* min="1"[^>]* value="5000"/)
    const titles = [...markup.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title)
    expect(titles).toEqual(['Advance', 'Freeze at a time', 'Step with each write'])
    const pressed = [...markup.matchAll(/aria-pressed="(\w+)"\s*>\s*(\w+)/g)].map(([, state, label]) => [label, state])
    expect(pressed).toEqual([
      ['Freeze', 'false'],
      ['Real', 'false'],
      ['Step', 'true'],
    ])
  })

  it.each([
    ['project=acme', 'projects/acme/clock'],
    ['', 'clock'],
  ])('is set for the selection: %s', async (query, path) => {
    const { view } = await startViews({ seed })
    const { form, markup } = await view(`clock?${query}`)
    expect(form('Freeze at this time')).toEqual({ method: 'PUT', path, body: '{"mode":"frozen"}' })
    expect(form('+ 1 day')).toEqual({ method: 'POST', path: `${path}/advance`, body: '{"milliseconds":86400000}' })
    expect([...markup.matchAll(/data-path="([^"]*)"/g)].every(([, one]) => one!.startsWith(path))).toBe(true)
  })
})

describe('payment links', () => {
  const projects = {
    acme: {
      paymentLinks: [
        { id: 'pml_3', invoice: 'inv_3', status: 'canceled' as const, payer: {} },
        { id: 'pml_2', invoice: 'inv_2', status: 'completed' as const, payer: { email: 'ada@example.com' } },
        { id: 'pml_1', invoice: 'inv_1', payer: { fullName: 'Ada', email: 'ada@example.com', taxNumber: '123' } },
        { id: 'pml_0', invoice: 'inv_0', partner: { redirectUrl: 'https://shop.example/done' } },
      ],
    },
    // With a link of the same id, whose payment is not shown elsewhere.
    other: { paymentLinks: [{ id: 'pml_0', invoice: 'inv_0' }] },
  }
  const start = async () => {
    const started = await startViews({ seed: { projects } })
    const { paymentLinks } = started.mock.project('acme')
    await paymentLinks.pay('pml_1', { when: { reads: 1 } })
    await paymentLinks.pay('pml_1', { when: { in: 60_000 }, outcome: 'failed' })
    await started.mock.project('other').paymentLinks.pay('pml_0', { when: { reads: 1 } })
    return started
  }

  it('show their status, the payer and the scheduled payment', async () => {
    const { view } = await start()
    const { rows } = await view('payment-links?project=acme')
    expect(rows.map(({ cells }) => [cells.name, cells.Status, cells.Invoice, cells.Payer])).toEqual([
      ['pml_0', 'active', 'inv_0', ''],
      ['pml_1', 'active payment succeeds in 1 read payment fails at 2025-06-01 12:01:00', 'inv_1', 'Ada'],
      ['pml_2', 'completed', 'inv_2', 'ada@example.com'],
      ['pml_3', 'canceled', 'inv_3', ''],
    ])
    expect(rows.map(({ markup }) => Object.values(badges(markup))[0])).toEqual(['plain', 'plain', 'good', 'quiet'])
    expect(rows.map(({ cells }) => cells.Actions)).toEqual([
      'Pay pml_0 More for pml_0 Fail pml_0 Cancel pml_0 Schedule Delete pml_0',
      'Pay pml_1 More for pml_1 Fail pml_1 Cancel pml_1 Schedule Delete pml_1',
      'More for pml_2 Delete pml_2',
      'More for pml_3 Delete pml_3',
    ])
  })

  it('are paid, canceled and deleted by their buttons', async () => {
    const { mock, view } = await start()
    const { paymentLinks } = mock.project('acme')
    const status = async (id: string) => (await paymentLinks.get(id)).status
    const { row } = await view('payment-links?project=acme')
    await row('pml_1').send('Fail')
    expect(await status('pml_1')).toBe('active')
    await row('pml_1').send('Pay')
    expect(await status('pml_1')).toBe('completed')
    await row('pml_0').send('Cancel')
    expect(await status('pml_0')).toBe('canceled')
    await row('pml_0').send('Delete')
    await expect(status('pml_0')).rejects.toMatchObject({ code: 'paymentLinkNotFound' })
  })

  it('show each field, and the possible actions', async () => {
    const { mock, view } = await start()
    const open = await view('payment-link?project=acme&id=pml_1')
    const { paymentUrl } = await mock.project('acme').paymentLinks.get('pml_1')
    for (const text of [
      'Status active Invoice inv_1 Payer Ada Email ada@example.com Tax number 123 Created 2025-06-01 11:59:58',
      `Payment page ${paymentUrl} Scheduled payment succeeds in 1 read payment fails at 2025-06-01 12:01:00`,
      'Cancel scheduled payments',
      'Schedule a payment',
    ])
      expect(open.text).toContain(text)
    expect(open.markup).toContain(`href="${paymentUrl}"`)
    const other = await view('payment-link?project=acme&id=pml_0')
    expect(other.text).toContain('Redirect URL https://shop.example/done')
    expect(other.text).not.toContain('Cancel scheduled payments')
    expect(other.text).not.toMatch(/Planned|Payer|Completed|Canceled/)
    for (const [id, sentence] of [
      ['pml_2', 'Completed 2025'],
      ['pml_3', 'Canceled 2025'],
    ] as const) {
      const { text } = await view(`payment-link?project=acme&id=${id}`)
      expect(text).toContain(sentence)
      expect(text).not.toMatch(/Schedule a payment|Pay pml/)
    }
  })
})

describe('users', () => {
  it('show whether the email is verified, and toggle it', async () => {
    const { mock, view } = await startViews({ seed })
    const { rows, row } = await view('users?project=acme')
    expect(rows.map(({ cells }) => [cells.name, cells.Email, cells.Id, cells.Locale])).toEqual([
      ['No name', 'grace@example.com not verified', 'usr_grace', 'en-US'],
      ['Ada Lovelace', 'ada@example.com verified', 'usr_ada', 'en-US'],
    ])
    expect(rows.map(({ markup }) => badges(markup))).toEqual([{ 'not verified': 'quiet' }, { verified: 'good' }])
    await row('usr_grace').send('Verify')
    await row('usr_ada').send('Unverify')
    const verified = (await mock.project('acme').users.list()).items.map(({ emailVerified }) => emailVerified)
    expect(verified).toEqual([true, false])
  })

  it('show each field inside or outside the form', async () => {
    const { view } = await startViews({ seed })
    const { text, markup } = await view('user?project=acme&id=usr_ada')
    const shown = 'Id usr_ada Email ada@example.com verified Created 2025-06-01 11:59:58 Metadata { "plan": "family" }'
    expect(text).toContain(shown)
    const inputs = [...markup.matchAll(/<input name="(\w+)"([^>]*) value="([^"]*)"/g)]
    const emptyOf = (attributes: string) => /data-empty="([^"]*)"/.exec(attributes)?.[1]
    expect(inputs.map(([, name, rest, value]) => [name, value, emptyOf(rest!), rest!.includes('required')])).toEqual([
      ['email', 'ada@example.com', undefined, true],
      ['fullName', 'Ada Lovelace', 'null', false],
      ['birthday', '', 'null', false],
      ['preferredLocale', 'en-US', undefined, true],
    ])
    expect(markup).toMatch(/<textarea name="metadata"[^>]*>\{\n  &quot;plan&quot;: &quot;family&quot;\n\}<\/textarea>/)
    // Without a name its email is its title.
    expect((await view('user?project=acme&id=usr_grace')).markup).toMatch(/<h1[^>]*>.*grace@example\.com/)
  })
})

describe('projects', () => {
  it('show the content of each', async () => {
    const { mock, view } = await startViews({ seed })
    await mock.project('acme').users.delete('usr_ada')
    const clock = 'frozen at 2025-06-01 12:00:00'
    expect((await view('projects')).rows.map(({ cells: { Actions: _, ...cells } }) => cells)).toEqual([
      { name: 'acme', Users: '1', 'Payment links': '2', Clock: clock },
      { name: 'other', Users: '0', 'Payment links': '0', Clock: clock },
    ])
  })

  it.each([
    ['', '1 to 25'],
    ['-1', '1 to 25'],
    ['x', '1 to 25'],
    ['100', '101 to 120'],
    ['1e9', '120 to 120'],
  ])('are paged from %s', async (from, words) => {
    const projects = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`p${index}`, {}]))
    const { view } = await startViews({ seed: { projects } })
    const { text, rows } = await view(`projects?from=${from}`)
    expect(text).toContain(`${words} of 120 projects`)
    expect(rows.length).toBeGreaterThan(0)
  })

  it('with any name are called by their full name', async () => {
    const name = `a/b?c#d%20 "é'&<`
    const projects = { [name]: { users: [{ id: 'usr_1', email: 'a@b.c' }] } }
    const { mock, view } = await startViews({ seed: { projects } })
    const { row } = await view('projects')
    expect(row(name).cells.name).toBe(name)
    const encoded = encodeURIComponent(name).replaceAll("'", '&#39;')
    expect(row(name).markup).toContain(`href="?project=${encoded}#payment-links"`)
    const { send } = await view(`users?project=${encodeURIComponent(name)}`)
    await send('Delete usr_1')
    expect((await mock.project(name).summary()).users).toBe(0)
    await row(name).send('Delete')
    expect(await mock.projects()).toEqual([])
  })
})

it.each([
  ['project=acme', 'projects/acme/state', 'acme.seed.json', 'acme'],
  ['', 'state', 'paylink-mock.seed.json', 'all projects'],
])('snapshots belong to the selection: %s', async (query, path, file, whose) => {
  const { mock, view } = await startViews({ seed })
  const scope = query === '' ? mock : mock.project('acme')
  await scope.snapshots.save('a/b')
  const { markup, row, text } = await view(`snapshots?${query}`)
  expect(markup).toMatch(new RegExp(`data-download="${path}"\\s+data-name="${file}"`))
  expect(text).toContain(`The state of ${whose} as a seed`)
  const { Actions: _, ...cells } = row('a/b').cells
  expect(cells).toEqual({ name: 'a/b', Saved: noon.slice(0, 19).replace('T', ' '), Users: '2', 'Payment links': '2' })
  await mock.project('acme').users.delete('usr_ada')
  await row('a/b').send('Restore')
  expect((await mock.project('acme').summary()).users).toBe(2)
  await row('a/b').send('Delete')
  expect(await scope.snapshots.list()).toEqual([])
})

describe('faults', () => {
  it('show their match, their hits and their remaining applications', async () => {
    const { mock, view } = await startViews({ seed })
    const { faults } = mock.project('acme')
    const effect = { status: 503 }
    await faults.add({ effect })
    const match = { operation: 'createUser', body: { a: 1 } } as const
    await faults.add({ effect, times: null, phase: 'after', probability: 0.9, skip: 2, match })
    await faults.add({ effect, times: 3, probability: 1, skip: 0, match: {} })
    await mock.fetch('/projects/acme/users', { headers })
    const { rows } = await view('faults?project=acme')
    expect(rows.map(({ cells }) => [cells.When, cells.Hits, cells.Remaining])).toEqual([
      ['before any request', '1', '2'],
      ['after operation: createUser, body: {"a":1} skips 2 with probability 0.9', '0', 'unlimited'],
      ['before any request', '0', '1'],
    ])
  })

  it('are added by a preset, for the project or for all', async () => {
    const { mock, view } = await startViews({ seed })
    const effects = {
      'Lost response': { connection: 'reset' },
      '503 twice': { status: 503 },
      Slow: { delay: { milliseconds: 2000 } },
      'Rate limit': { rateLimit: { limit: 5, window: 1000 } },
      'Stale reads': { stale: { changes: 1 } },
      'Delivered twice': { duplicate: true },
      'Later release': { evolve: true },
    }
    const [own, all] = [await view('faults?project=acme'), await view('faults')]
    for (const label of Object.keys(effects)) {
      await own.send(label)
      await all.send(label)
    }
    const added = (await mock.faults.list()).map(({ project, effect }) => [project, effect])
    expect(added).toEqual(Object.values(effects).flatMap((effect) => ['acme', null].map((one) => [one, effect])))
    expect(own.markup.match(/class="card"/g)).toHaveLength(added.length / 2)
  })
})
