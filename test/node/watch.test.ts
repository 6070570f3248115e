import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { request } from './support/request.ts'
import { fileWith, seedFile, startCli } from './support/cli.ts'
import { within } from './support/wait.ts'

const usersOf = (count: number) => ({
  projects: { acme: { users: Array.from({ length: count }, (_, index) => ({ email: `user${index}@example.com` })) } },
})
const users = async (url: string) => (await request(`${url}/__admin/projects/acme`)).body.users

it('--watch reloads the seed when its file changes, also when another is put in its place', async () => {
  const file = seedFile(usersOf(1))
  const mock = await startCli(['--watch', '--seed', file, '--log', 'json'])
  expect(await users(mock.url)).toBe(1)
  writeFileSync(file, JSON.stringify(usersOf(2)))
  await mock.says('err', /"seedReloaded"/)
  expect(await users(mock.url)).toBe(2)
  const other = fileWith(JSON.stringify(usersOf(3)))
  renameSync(other, file)
  await mock.says('err', /"seedReloaded"[^]*"seedReloaded"/)
  expect(await users(mock.url)).toBe(3)
})

it('--watch reloads the seed when its name leads to another file, as in a mounted volume', async () => {
  const folder = dirname(fileWith(''))
  const fill = (version: string, count: number) => {
    mkdirSync(join(folder, version))
    writeFileSync(join(folder, version, 'rows.json'), JSON.stringify(usersOf(count)))
  }
  fill('v1', 1)
  symlinkSync('v1', join(folder, 'current'))
  symlinkSync(join('current', 'rows.json'), join(folder, 'rows.json'))
  const mock = await startCli(['--watch', '--seed', join(folder, 'rows.json'), '--log', 'json'])
  expect(await users(mock.url)).toBe(1)
  fill('v2', 2)
  symlinkSync('v2', join(folder, 'next'))
  renameSync(join(folder, 'next'), join(folder, 'current'))
  await mock.says('err', /"seedReloaded"/)
  expect(await users(mock.url)).toBe(2)
  writeFileSync(join(folder, 'v2', 'rows.json'), JSON.stringify(usersOf(3)))
  await mock.says('err', /"seedReloaded"[^]*"seedReloaded"/)
  expect(await users(mock.url)).toBe(3)
})

it('--watch reports a broken edit, and the old state stays', async () => {
  const file = seedFile(usersOf(1))
  const mock = await startCli(['--watch', '--seed', file, '--log', 'pretty'])
  writeFileSync(file, '{ "projects": { "acme": { "users": [{ "email": "nobody" }] } } }')
  const [, sentence] = await mock.says('err', /has changed, and the old state stays: (.*)\n/)
  expect(sentence).toContain('projects.acme.users[0].email must be an email address')
  writeFileSync(file, '{ "projects": { "acme": {}, "acme": {} } }')
  await mock.says('err', /the old state stays: .* has the key "acme" twice in one object: see line 1, column 29\.\n/)
  expect(await users(mock.url)).toBe(1)
})

it('--watch keeps the later of two changes, also when the earlier one takes longer to read', async () => {
  const file = seedFile(usersOf(1))
  const mock = await startCli(['--watch', '--seed', file, '--log', 'json'])
  const pipe = `${file}.pipe`
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
  renameSync(pipe, file)
  // Opening a pipe to write waits for its reader: from here on the first change is being read.
  const earlier = await within(5000, 'the mock to open its seed', open(file, 'w'))
  renameSync(seedFile(usersOf(3)), file)
  await mock.says('err', /"seedReloaded"/)
  await earlier.writeFile(JSON.stringify(usersOf(2)))
  await earlier.close()
  writeFileSync(file, JSON.stringify(usersOf(4)))
  await mock.says('err', /"seedReloaded"[^]*"seedReloaded"/)
  expect(await users(mock.url)).toBe(4)
})
