import { expect, it } from 'vitest'
import { createMock, type MockOptions, formatProject } from '../../src/node/index.ts'
import { errors } from '../../src/schema/error.ts'

const headers = { authorization: 'Bearer any', accept: 'application/json' }
const now = '2025-01-01T00:00:00.000Z'

const start = (options: MockOptions = {}) => {
  const mock = createMock({ clock: now, ...options })
  const acme = mock.project('acme')
  const get = (path: string, init: RequestInit = {}) => mock.fetch(`/projects/acme${path}`, { headers, ...init })
  const linesOf = async () => (await formatProject(acme)).split('\n')
  return { mock, acme, get, linesOf }
}

it('reports that nothing has happened in a project', async () => {
  const { linesOf } = start()
  expect(await linesOf()).toEqual([`Project 'acme', revision 0, frozen clock at ${now}`, 'It received no request.'])
})

it('shows requests with their bodies, errors and faults, then the records and the faults', async () => {
  const { acme, get, linesOf } = start()
  const user = await acme.users.create({ email: 'ada@example.com' })
  const link = await acme.paymentLinks.create({ invoice: 'inv_1' })
  const fault = await acme.faults.add({
    match: { operation: 'createUser' },
    effect: { status: 503, body: { message: 'Try later.' } },
  })
  const body = '{"email":"eve@example.com"}'
  const json = { ...headers, 'content-type': 'application/json' }
  await get('/users', { method: 'POST', headers: json, body })
  await get('/users?limit=1')
  await get('/users/usr_none')
  expect(await linesOf()).toEqual([
    `Project 'acme', revision 2, frozen clock at ${now}`,
    'Requests, the newest last:',
    `  POST /projects/acme/users ${body}`,
    `    -> 503 Try later. (fault ${fault.id})`,
    '  GET /projects/acme/users?limit=1',
    '    -> 200',
    '  GET /projects/acme/users/usr_none',
    `    -> 404 ${errors.userNotFound({ id: 'usr_none', project: 'acme', text: 'user' }).message}`,
    'Users, 1:',
    `  ${user.id} ada@example.com`,
    'Payment links, 1:',
    `  ${link.id} active inv_1`,
    'Faults, 1:',
    '  hits 1: {"operation":"createUser"} {"status":503,"body":{"message":"Try later."}}',
  ])
})

it('shows a request without a response', async () => {
  const { acme, get, linesOf } = start()
  const { id } = await acme.faults.add({ effect: { connection: 'reset' } })
  await get('/users').catch(() => {})
  expect(await linesOf()).toContain(`    -> no response (fault ${id})`)
})

it('shows the message of an error in both formats, and at most three violations', async () => {
  for (const errorFormat of ['object', 'problem'] as const) {
    const { get, linesOf } = start({ behaviors: { errorFormat } })
    const body = '{"email":7,"a":1,"b":2,"c":3,"d":4}'
    await get('/users', { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })
    const lines = await linesOf()
    const email = 'email must be a string (got 7).'
    expect(lines).toContain(`    -> 422 ${email}`)
    expect(lines.filter((line) => line.includes(email))).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('    violation of §4.1: '))).toHaveLength(3)
  }
})

it('shows a single problem once', async () => {
  const { get, linesOf } = start()
  await get('/users', { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' })
  expect((await linesOf()).slice(2)).toEqual(['  POST /projects/acme/users {}', '    -> 422 email is required.'])
})

it('shows a query unchanged', async () => {
  const { get, linesOf } = start()
  await get('/users?limit=1&limit=2&after=x')
  expect(await linesOf()).toContain('  GET /projects/acme/users?limit=1&limit=2&after=x')
})

it.each<[number, { journalSize?: number }, boolean]>([
  [20, {}, false],
  [21, {}, true],
  [6, { journalSize: 5 }, true],
  [5, { journalSize: 5 }, false],
])('shows the newest twenty of %i requests with %j, and marks a cut', async (count, options, isCut) => {
  const { get, linesOf } = start(options)
  for (let i = 1; i <= count; i++) await get(`/users?limit=${i}`)
  const lines = await linesOf()
  const shown = lines.filter((line) => line.includes('?limit=')).map((line) => Number(line.split('=')[1]))
  const first = count - Math.min(count, 20, options.journalSize ?? 20)
  expect(shown).toEqual(Array.from({ length: count - first }, (_, index) => first + index + 1))
  expect(lines.includes('  (earlier ones are left out)')).toBe(isCut)
})

it('shows ten records of each kind, and their number', async () => {
  const generate = { users: 11, paymentLinks: { active: 12 } }
  const { acme, linesOf } = start({ seed: { projects: { acme: { generate } } } })
  for (let i = 0; i < 11; i++) await acme.faults.add({ effect: { status: 500 + i } })
  const lines = await linesOf()
  const heads = lines.flatMap((line, index) => (/^\S.*:$/.test(line) ? [[line, index] as const] : []))
  expect(heads.map(([line]) => line)).toEqual([
    'Users, 11 (10 shown):',
    'Payment links, 12 (10 shown):',
    'Faults, 11 (10 shown):',
  ])
  expect(heads.map(([, at], index) => (heads[index + 1]?.[1] ?? lines.length) - at - 1)).toEqual([10, 10, 10])
})

it('cuts long lines, and drops control characters', async () => {
  const { acme, linesOf } = start()
  await acme.users.create({ id: 'usr_1', email: `${'x'.repeat(250)}@example.com` })
  await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_\u001b[31m\n' })
  const lines = await linesOf()
  expect(lines).toContain(`${`  usr_1 ${'x'.repeat(250)}`.slice(0, 200)}...`)
  expect(lines).toContain('  pml_1 active inv_?[31m?')
})
