import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { watchFile } from '../../src/cli/run-start.ts'
import { request } from './support/request.ts'
import { fileWith, seedFile, startCli } from './support/cli.ts'
import { runMain } from './support/main.ts'
import { within } from '../support/within.ts'

describe('watchFile', () => {
  /** Watches a file with a fake clock. `look` advances it to the next check. */
  const watch = (path: string) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const onChange = vi.fn<() => void>()
    const stop = watchFile(path, onChange)
    return { onChange, stop, look: () => vi.advanceTimersToNextTimer() }
  }

  it('calls back once for a change, when the file has settled', () => {
    const file = fileWith('')
    const { onChange, look } = watch(file)
    look()
    expect(onChange).not.toHaveBeenCalled()
    writeFileSync(file, 'a')
    look()
    expect(onChange).not.toHaveBeenCalled()
    for (let i = 0; i < 5; i++) look()
    expect(onChange).toHaveBeenCalledTimes(1)
  })

  it('waits while the file keeps changing', () => {
    const file = fileWith('')
    const { onChange, look } = watch(file)
    for (let size = 1; size < 6; size++) {
      writeFileSync(file, 'x'.repeat(size))
      look()
    }
    expect(onChange).not.toHaveBeenCalled()
    look()
    expect(onChange).toHaveBeenCalledTimes(1)
  })

  it('calls back for a deleted file and for a new one', () => {
    const file = fileWith('a')
    const { onChange, look } = watch(file)
    rmSync(file)
    for (let i = 0; i < 3; i++) look()
    expect(onChange).toHaveBeenCalledTimes(1)
    writeFileSync(file, 'a')
    for (let i = 0; i < 3; i++) look()
    expect(onChange).toHaveBeenCalledTimes(2)
  })

  it('notices a replacement of the same size and time', () => {
    const [file, other] = [fileWith('a'), fileWith('b')]
    for (const path of [file, other]) utimesSync(path, 0, 0)
    const { onChange, look } = watch(file)
    renameSync(other, file)
    for (let i = 0; i < 3; i++) look()
    expect(onChange).toHaveBeenCalledTimes(1)
  })

  it('ends when it is stopped', () => {
    const { stop } = watch(fileWith(''))
    expect(vi.getTimerCount()).toBe(1)
    stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends with the server of --watch', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { outcome } = await runMain(['--port', '0', '--watch', '--log', 'silent', '--seed', seedFile({})])
    expect(vi.getTimerCount()).toBe(1)
    if ('server' in outcome) await outcome.server.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})

it.each([[[]], [['--seed', 'empty']], [['--seed', 'demo']]])('--watch needs a seed file, with %j', async (flags) => {
  const err = '--watch needs a seed file: paylink-mock --seed seed.json --watch.\n'
  expect(await runMain(['--watch', '--port', '0', ...flags])).toEqual({ outcome: { exitCode: 2 }, out: '', err })
})

const usersOf = (count: number) => ({
  projects: { acme: { users: Array.from({ length: count }, (_, index) => ({ email: `user${index}@example.com` })) } },
})
const users = async (url: string) => (await request(`${url}/__admin/projects/acme`)).body.users

it('--watch reloads the seed when its file is changed or replaced', async () => {
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

// Each starts a process: a step of CI runs all of them.
it.runIf(process.env.SLOW_TESTS)('--watch reloads the seed when its link points to another file', async () => {
  const folder = dirname(fileWith(''))
  const fill = (version: string, count: number) => {
    mkdirSync(join(folder, version))
    writeFileSync(join(folder, version, 'users.json'), JSON.stringify(usersOf(count)))
  }
  fill('v1', 1)
  symlinkSync('v1', join(folder, 'current'))
  symlinkSync(join('current', 'users.json'), join(folder, 'users.json'))
  const mock = await startCli(['--watch', '--seed', join(folder, 'users.json'), '--log', 'json'])
  expect(await users(mock.url)).toBe(1)
  fill('v2', 2)
  symlinkSync('v2', join(folder, 'next'))
  renameSync(join(folder, 'next'), join(folder, 'current'))
  await mock.says('err', /"seedReloaded"/)
  expect(await users(mock.url)).toBe(2)
  writeFileSync(join(folder, 'v2', 'users.json'), JSON.stringify(usersOf(3)))
  await mock.says('err', /"seedReloaded"[^]*"seedReloaded"/)
  expect(await users(mock.url)).toBe(3)
})

const statusWith = async (url: string, token: string) =>
  (await request(`${url}/projects/acme/users`, { headers: { authorization: `Bearer ${token}` } })).status
const withToken = (token: string, count: number) => JSON.stringify({ ...usersOf(count), tokens: [{ token }] })

it.runIf(process.env.SLOW_TESTS)('--watch applies changed tokens', async () => {
  const file = fileWith(withToken('first', 1))
  const mock = await startCli(['--watch', '--seed', file, '--log', 'json'])
  expect([await statusWith(mock.url, 'first'), await statusWith(mock.url, 'second')]).toEqual([200, 401])
  writeFileSync(file, withToken('second', 2))
  await mock.says('err', /"seedReloaded"/)
  expect([await statusWith(mock.url, 'first'), await statusWith(mock.url, 'second')]).toEqual([401, 200])
  writeFileSync(file, JSON.stringify(usersOf(3)))
  await mock.says('err', /"seedReloaded"[^]*"seedReloaded"/)
  expect([await statusWith(mock.url, 'first'), await statusWith(mock.url, 'any')]).toEqual([200, 200])
})

it.runIf(process.env.SLOW_TESTS)('--watch prefers flags to the seed', async () => {
  const behaviors = { createStatus: 201 }
  const file = fileWith(withToken('first', 1))
  const flags = ['--token', 'flag', '--behavior', 'createStatus=200', '--clock', '2025-01-01T00:00:00Z']
  const mock = await startCli(['--watch', '--seed', file, '--log', 'json', ...flags])
  writeFileSync(file, JSON.stringify({ ...JSON.parse(withToken('second', 2)), behaviors, clock: { mode: 'real' } }))
  await mock.says('err', /"seedReloaded"/)
  expect([await statusWith(mock.url, 'second'), await statusWith(mock.url, 'flag')]).toEqual([401, 200])
  expect((await request(`${mock.url}/__admin/clock`)).body).toMatchObject({ mode: 'frozen' })
  expect((await request(`${mock.url}/__admin/behaviors`)).body.values).toMatchObject({ createStatus: 200 })
  expect(await users(mock.url)).toBe(2)
})

it('--watch reports an invalid edit and keeps the old state', async () => {
  const file = seedFile(usersOf(1))
  const mock = await startCli(['--watch', '--seed', file, '--log', 'pretty'])
  writeFileSync(file, '{ "projects": { "acme": { "users": [{ "email": "nobody" }] } } }')
  const [, sentence] = await mock.says('err', /changed, but is invalid. The old state is kept: (.*)\n/)
  expect(sentence).toContain('projects.acme.users[0].email must be an email address')
  expect(await users(mock.url)).toBe(1)
})

it('--watch keeps the later of two changes, also when the earlier one takes longer to read', async () => {
  const file = seedFile(usersOf(1))
  const mock = await startCli(['--watch', '--seed', file, '--log', 'json'])
  const pipe = `${file}.pipe`
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
  renameSync(pipe, file)
  // Opening a pipe for writing waits for its reader, so the first change is being read here.
  const earlier = await within('the mock to open its seed', open(file, 'w'))
  renameSync(seedFile(usersOf(3)), file)
  await mock.says('err', /"seedReloaded"/)
  await earlier.writeFile(JSON.stringify(usersOf(2)))
  await earlier.close()
  writeFileSync(file, JSON.stringify(usersOf(4)))
  await mock.says('err', /"seedReloaded"[^]*"seedReloaded"/)
  expect(await users(mock.url)).toBe(4)
})
