import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Coverage, formatCoverage, type Mock } from '../../src/node/index.ts'
import { writeCoverage } from '../../src/command-line/files.ts'
import { emptyFolder, fileWith, runCli } from './support/cli.ts'
import { listening } from './support/listening.ts'
import { runHere } from './support/main.ts'
import { within } from '../support/within.ts'
import { closingMock } from '../support/mock.ts'

const headers = { authorization: 'Bearer any' }
const newFolder = () => join(emptyFolder(), 'coverage')

/** A mock whose clients called these paths. */
const mockAfter = async (...paths: string[]): Promise<Mock> => {
  const mock = closingMock()
  for (const path of paths) await mock.fetch(`/projects/acme${path}`, { headers })
  return mock
}

const find = ({ items }: Coverage, name: string) =>
  items.find(({ operation, situation }) => `${operation}:${situation}` === name)

it('adds up the coverage of folders and of running mocks', async () => {
  const [one, two, three] = [newFolder(), newFolder(), await mockAfter('/users', '/users/usr_x')]
  await writeCoverage(one, await (await mockAfter('/users')).coverage())
  await writeCoverage(one, await (await mockAfter('/users?limit=x')).coverage())
  await writeCoverage(two, await (await mockAfter('/users', '/users')).coverage())
  const { url } = await three.listen({ adminToken: 'secret' })
  const { code, out, err } = await runHere(['coverage', one, two, url, '--admin-token', 'secret', '--json'])
  const coverage = JSON.parse(out) as Coverage
  expect(out).toBe(`${JSON.stringify(coverage, null, 2)}\n`)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(coverage).toMatchObject({ object: 'coverage', seen: 4, total: (await three.coverage()).total })
  const { request } = find(await three.coverage(), 'listUsers:200')!
  expect(find(coverage, 'listUsers:200')).toEqual({ operation: 'listUsers', situation: '200', seen: 4, request })
  expect(find(coverage, 'listUsers:400 invalidQuery')).toMatchObject({ seen: 1 })
  expect(find(coverage, 'retrieveUser:404 userNotFound')).toMatchObject({ seen: 1 })
  expect(find(coverage, 'createUser:201')).toMatchObject({ seen: 0, request: null })
})

it('prints the text of the coverage', async () => {
  const [folder, mock] = [newFolder(), await mockAfter('/users')]
  await writeCoverage(folder, await mock.coverage())
  const text = `${formatCoverage(await mock.coverage())}\n`
  expect(await runHere(['coverage', folder])).toEqual({ code: 0, out: text, err: '' })
})

it('prints lines of curl for a mock with an address, with its admin token', async () => {
  const mock = await mockAfter('/users')
  const { url } = await mock.listen({ adminToken: 'secret' })
  const { out } = await runHere(['coverage', url, '--admin-token', 'secret'])
  const [, line = ''] = /^# listUsers: 200 second page\n(.*)$/m.exec(out) ?? []
  expect(line).toContain('-H "Authorization: Bearer $PAYLINK_MOCK_ADMIN_TOKEN"')
  expect(line).toContain(`${url}/__admin/projects/acme/state`)
  expect(out).not.toContain('await')
})

it.each([
  [['--min', '3'], 0, ''],
  [['--min', '4'], 1, 'Clients were shown 2 of 55 situations, which is less than 4 %.\n'],
  [['--min', '100'], 1, 'Clients were shown 2 of 55 situations, which is less than 100 %.\n'],
  // 1 of 50.
  [['--min', '2', ...ignored(5)], 0, ''],
  [['--min', '3', ...ignored(5)], 1, 'Clients were shown 1 of 50 situations, which is less than 3 %.\n'],
])('exits by %j with %i', async (flags, code, err) => {
  const folder = newFolder()
  await writeCoverage(folder, await (await mockAfter('/users')).coverage())
  expect(await runHere(['coverage', folder, ...flags])).toMatchObject({ code, err })
})

/** Flags that ignore situations, of which clients were shown the first one. */
function ignored(count: number): string[] {
  return ['listUsers:200', 'any operation:401', 'any operation:5xx', 'cancelPaymentLink:409 paymentLinkNotActive']
    .concat(['retrieveUser:200'])
    .slice(0, count)
    .flatMap((name) => ['--ignore', name])
}

it('leaves out ignored situations', async () => {
  const folder = newFolder()
  await writeCoverage(folder, await (await mockAfter()).coverage())
  const { out } = await runHere(['coverage', folder, ...ignored(5)])
  expect(out).toContain('listUsers: never called\n')
  expect(out).toContain('cancelPaymentLink: never called\n')
  expect(out).toContain('any operation: never 403, ')
})

const unread = 'The folder FOLDER cannot be read:'
const hint = "test.override({ coverage: 'FOLDER' })."

it.each<[string, (folder: string) => void, string]>([
  ['a missing folder', () => {}, `${unread} it does not exist.`],
  ['an empty folder', mkdirSync, `FOLDER has no coverage. The fixtures of paylink-mock/vitest write it: ${hint}`],
  ['a file', (folder) => writeFileSync(folder, '{}'), `${unread} part of its path is not a directory.`],
  ['a file that is not JSON', writeInto('{'), 'FOLDER/a.json is not a coverage file: it is not JSON.'],
  [
    'other JSON',
    writeInto('{"object":"list","items":[]}'),
    'FOLDER/a.json is not a coverage file: it has 3 problems: object ',
  ],
  [
    'an unreadable file',
    (folder) => mkdirSync(join(folder, 'a.json'), { recursive: true }),
    'The coverage FOLDER/a.json cannot be read: it is a directory.',
  ],
])('rejects %s', async (_, create, message) => {
  const folder = newFolder()
  create(folder)
  const { code, out, err } = await runHere(['coverage', folder])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain(message.replaceAll('FOLDER', folder))
})

function writeInto(text: string) {
  return (folder: string) => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'a.json'), text)
  }
}

it('rejects a URL without a mock, and that of another server', async () => {
  const server = createServer((_, response) => void response.writeHead(404).end('Nothing'))
  const url = `http://127.0.0.1:${await listening(server)}`
  // In a process of its own: here, every response of a control API is checked.
  const other = await runCli(['coverage', url])
  expect(other).toMatchObject({ code: 1, out: '' })
  expect(other.err).toBe(`${url}/__admin/coverage returned 404 with a response that is not from a mock: Nothing\n`)
  await within('the server to close', new Promise((resolve) => void server.close(resolve)))
  expect(await runHere(['coverage', url])).toEqual({ code: 1, out: '', err: `${url} does not respond.\n` })
})

it('reports a missing admin token with its remedy', async () => {
  const { url } = await (await mockAfter()).listen({ adminToken: 'secret' })
  const { code, err } = await runHere(['coverage', url])
  expect(code).toBe(1)
  expect(err).toMatch(new RegExp(`^${url}: The control API requires a token.* PAYLINK_MOCK_ADMIN_TOKEN`))
  expect(await runHere(['coverage', url], { PAYLINK_MOCK_ADMIN_TOKEN: 'secret' })).toMatchObject({ code: 0 })
})

it.each([
  [['coverage'], 'coverage needs folders or addresses: paylink-mock coverage http://127.0.0.1:4600.'],
  [
    ['coverage', 'http://a:b@127.0.0.1:1'],
    'coverage needs an address such as http://127.0.0.1:4600, without a password',
  ],
  [['coverage', 'x', '--min', '101'], "--min must be an integer from 0 to 100 (got '101')."],
])('%j is a mistake', async (argv, message) => {
  const { code, out, err } = await runHere(argv)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(message)
})

it.each([
  ['cancelPaymentLink:409 paymentLinkNotActiv', "did you mean 'cancelPaymentLink:409 paymentLinkNotActive'?"],
  ['x', "--ignore: there is no situation 'x'; without --ignore, the command prints their names.\n"],
])('rejects --ignore %s', async (name, hint) => {
  const folder = newFolder()
  await writeCoverage(folder, await (await mockAfter()).coverage())
  const { code, err } = await runHere(['coverage', folder, '--ignore', name])
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(hint) })
})

it('cannot write into a file', async () => {
  const file = fileWith('')
  const message = `The coverage cannot be written to ${file}: it is a file.`
  await expect(writeCoverage(file, await (await mockAfter()).coverage())).rejects.toThrow(message)
})
