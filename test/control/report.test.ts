import { describe, expect, it } from 'vitest'
import { createMock, type FaultRule, type MockOptions, formatProject } from '../../src/node/index.ts'
import { ask, describeControl } from '../support/control.ts'
import { token } from '../support/canary.ts'
import { errors } from '../../src/core/schema/error.ts'

const users = (project: string) => `/projects/${project}/users`

describeControl('the report', (start) => {
  it('is the text of a project that formatProject returns', async () => {
    const { mock, control } = await start()
    await ask(mock, users('acme'), 'POST', { email: 'ada@example.com' })
    const text = await control.project('acme').report()
    expect(text).toMatch(/^Project 'acme', revision 1, frozen clock at .*\nRequests, the newest last:\n {2}POST /)
    expect(text).not.toContain(token)
  })

  it('shows the ten projects that were used last, the latest first', async () => {
    const { mock, control } = await start({ seed: { projects: { unused: {}, p1: {} } } })
    const readNames = async () => [...(await control.report()).matchAll(/^Project '(\w+)'/gm)].map(([, id]) => id)
    await ask(mock, users('p1'))
    expect(await readNames()).toEqual(['p1', 'unused'])
    for (let i = 2; i <= 11; i++) await ask(mock, users(`p${i}`))
    await ask(mock, users('p2'))
    expect(await readNames()).toEqual(['p2', 'p11', 'p10', 'p9', 'p8', 'p7', 'p6', 'p5', 'p4', 'p3'])
  })

  it('has no part for requests without a project', async () => {
    const { mock, control } = await start()
    const empty = await control.report()
    await ask(mock, '/nowhere')
    expect(await control.report()).toBe(empty)
  })

  it('says that there is no project', async () => {
    const { control } = await start()
    expect(await control.report()).toBe('There is no project.')
  })

  it('of an unknown project creates nothing', async () => {
    const { control } = await start()
    expect(await control.project('acme').report()).toMatch(/^Project 'acme', revision 0/)
    expect(await control.projects()).toEqual([])
  })
})

describe('the report over HTTP', () => {
  const get = async (path: string) => {
    await using mock = createMock({ seed: { projects: { acme: { users: [{ email: 'ada@example.com' }] } } } })
    await mock.project('acme').paymentLinks.create({ invoice: 'inv_1' })
    const { url } = await mock.listen()
    await ask(mock, users('acme'))
    const response = await fetch(`${url}/__admin${path}`)
    const { status, headers } = response
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    return { status, type: headers.get('content-type'), text: await response.text(), url }
  }

  it.each(['/report', '/projects/acme/report', '/report?format=text'])('%s is plain text', async (path) => {
    const { status, type, text } = await get(path)
    expect([status, type]).toEqual([200, 'text/plain; charset=UTF-8'])
    expect(text).toMatch(/^Project 'acme'/)
  })

  it.each(['/report', '/projects/acme/report'])('%s?format=json is data', async (path) => {
    const { type, text, url } = await get(`${path}?format=json`)
    expect(type).toBe('application/json')
    const { object, projects } = JSON.parse(text)
    expect([object, projects.length]).toEqual(['report', 1])
    const [{ summary, requests, users: found, paymentLinks, faults }] = projects
    expect(summary).toMatchObject({ object: 'project', id: 'acme', users: 1, paymentLinks: 1 })
    expect(requests).toMatchObject([{ operation: 'listUsers', status: 200 }])
    expect(found).toMatchObject([{ email: 'ada@example.com' }])
    expect(paymentLinks[0].paymentUrl).toMatch(`${url}/pay/acme/`)
    expect(faults).toEqual([])
  })

  it('rejects an unknown format', async () => {
    const { status, text } = await get('/report?format=xml')
    expect(status).toBe(422)
    const message = "format must be 'text' or 'json' (got 'xml')."
    expect(JSON.parse(text)).toMatchObject({ code: 'invalidQuery', message })
  })
})

const clientHeaders = { authorization: 'Bearer any', accept: 'application/json' }
const now = '2025-01-01T00:00:00.000Z'

const startFrozen = (options: MockOptions = {}) => {
  const mock = createMock({ clock: now, ...options })
  const acme = mock.project('acme')
  const get = (path: string, init: RequestInit = {}) =>
    mock.fetch(`/projects/acme${path}`, { headers: clientHeaders, ...init })
  const linesOf = async () => (await formatProject(acme)).split('\n')
  return { mock, acme, get, linesOf }
}

it('reports that nothing has happened in a project', async () => {
  const { linesOf } = startFrozen()
  expect(await linesOf()).toEqual([`Project 'acme', revision 0, frozen clock at ${now}`, 'It received no request.'])
})

it('shows requests with their bodies, errors and faults, then the records and the faults', async () => {
  const { acme, get, linesOf } = startFrozen()
  const user = await acme.users.create({ email: 'ada@example.com' })
  const link = await acme.paymentLinks.create({ invoice: 'inv_1' })
  const effect = { status: 503, body: { message: 'Try later.' } }
  const fault = await acme.faults.add({ match: { operation: 'createUser' }, effect })
  const body = '{"email":"eve@example.com"}'
  const json = { ...clientHeaders, 'content-type': 'application/json' }
  await get('/users', { method: 'POST', headers: json, body })
  await get('/users?limit=1&limit=2&after=x')
  await get('/users/usr_none')
  expect(await linesOf()).toEqual([
    `Project 'acme', revision 2, frozen clock at ${now}`,
    'Requests, the newest last:',
    `  POST /projects/acme/users ${body}`,
    `    -> 503 Try later. (status 503 before the operation, fault ${fault.id})`,
    '  GET /projects/acme/users?limit=1&limit=2&after=x',
    // The only problem is shown once, and not as a violation too.
    '    -> 400 limit must be given once (got 2 values).',
    '  GET /projects/acme/users/usr_none',
    `    -> 404 ${errors.userNotFound({ id: 'usr_none', project: 'acme', text: 'user' }).message}`,
    'Users, 1:',
    `  ${user.id} ada@example.com`,
    'Payment links, 1:',
    `  ${link.id} active inv_1`,
    'Faults, 1:',
    `  ${fault.id}, hits 1, status 503 before the operation: {"operation":"createUser"} ` +
      '{"status":503,"body":{"message":"Try later."}}',
  ])
})

it.each<[Omit<FaultRule, 'match'>, string]>([
  [{ phase: 'after', effect: { connection: 'reset' } }, 'no response (reset after the operation, '],
  [{ effect: { connection: 'close' } }, 'no response (close before the operation, '],
  [{ phase: 'after', effect: { corrupt: 'empty' } }, '200 (empty, '],
  [{ effect: { duplicate: true, connection: 'reset' } }, 'no response (reset and duplicate before the operation, '],
])('shows the effect and the phase of %j, for one project and for all', async (rule, text) => {
  const { acme, mock, get, linesOf } = startFrozen()
  for (const { faults } of [acme, mock]) {
    const { id } = await faults.add(rule)
    await get('/users').catch(() => {})
    expect(await linesOf()).toContain(`    -> ${text}fault ${id})`)
  }
  await acme.faults.remove()
  expect((await linesOf()).join()).toContain(' (fault flt_')
})

it('shows faults for all projects, faults without a match, and scheduled payments', async () => {
  const { acme, mock, linesOf } = startFrozen()
  await mock.project('other').faults.add({ effect: { status: 500 } })
  const forAll = await mock.faults.add({ effect: { status: 503 } })
  const link = await acme.paymentLinks.create({ invoice: 'inv_1' })
  await acme.paymentLinks.pay(link.id, { when: { reads: 2 } })
  await acme.paymentLinks.pay(link.id, { outcome: 'failed', when: { in: 1000 } })
  const at = '2025-01-01T00:00:01.000Z'
  expect((await linesOf()).slice(2)).toEqual([
    'Payment links, 1:',
    `  ${link.id} active inv_1, succeeded scheduled {"reads":2}, failed scheduled {"at":"${at}"}`,
    'Faults, 1:',
    `  ${forAll.id}, for all projects, hits 0, status 503 before the operation: any request {"status":503}`,
  ])
})

it('shows the message of an error in both formats, and at most three violations', async () => {
  for (const errorFormat of ['object', 'problem'] as const) {
    const { get, linesOf } = startFrozen({ behaviors: { errorFormat } })
    const body = '{"email":7,"a":1,"b":2,"c":3,"d":4}'
    await get('/users', { method: 'POST', headers: { ...clientHeaders, 'content-type': 'application/json' }, body })
    const lines = await linesOf()
    const email = 'email must be a string (got 7).'
    expect(lines).toContain(`    -> 422 ${email}`)
    expect(lines.filter((line) => line.includes(email))).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('    violation of §4.1: '))).toHaveLength(3)
  }
})

it.each<[number, { journalSize?: number }, boolean]>([
  [20, {}, false],
  [21, {}, true],
  [6, { journalSize: 5 }, true],
  [5, { journalSize: 5 }, false],
])('shows the newest twenty of %i requests with %j, and marks a cut', async (count, options, isCut) => {
  const { get, linesOf } = startFrozen(options)
  for (let i = 1; i <= count; i++) await get(`/users?limit=${i}`)
  const lines = await linesOf()
  const shown = lines.filter((line) => line.includes('?limit=')).map((line) => Number(line.split('=')[1]))
  const first = count - Math.min(count, 20, options.journalSize ?? 20)
  expect(shown).toEqual(Array.from({ length: count - first }, (_, index) => first + index + 1))
  expect(lines.includes('  (earlier ones are left out)')).toBe(isCut)
})

it('shows ten records of each kind, and their number', async () => {
  const generate = { users: 11, paymentLinks: { active: 12 } }
  const { acme, linesOf } = startFrozen({ seed: { projects: { acme: { generate } } } })
  for (let i = 0; i < 11; i++) await acme.faults.add({ effect: { status: 500 + i } })
  const lines = await linesOf()
  const heads = lines.flatMap((line, index) => (/^\S.*:$/.test(line) ? [[line, index] as const] : []))
  const titles = ['Users, 11 (10 shown):', 'Payment links, 12 (10 shown):', 'Faults, 11 (10 shown):']
  expect(heads.map(([line]) => line)).toEqual(titles)
  expect(heads.map(([, at], index) => (heads[index + 1]?.[1] ?? lines.length) - at - 1)).toEqual([10, 10, 10])
})

it('cuts long lines, and drops control characters', async () => {
  const { acme, linesOf } = startFrozen()
  await acme.users.create({ id: 'usr_1', email: `${'x'.repeat(250)}@example.com` })
  await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_\u001b[31m\n' })
  const lines = await linesOf()
  expect(lines).toContain(`${`  usr_1 ${'x'.repeat(250)}`.slice(0, 200)}...`)
  expect(lines).toContain('  pml_1 active inv_?[31m?')
})
