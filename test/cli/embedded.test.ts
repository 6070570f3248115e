// Proves: In process.
import { spawnSync } from 'node:child_process'
import { expect, it, vi } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { cliPath, run } from './support/cli.ts'
import { readJson } from '../support/read.ts'

const handlers = () => process.eventNames().map((name) => [String(name), process.listenerCount(name as 'exit')])
const globals = () =>
  new Map(Object.getOwnPropertyNames(globalThis).map((name) => [name, Reflect.get(globalThis, name)]))
const open = () => process.getActiveResourcesInfo().filter((name) => /^(?:TCP|HTTP)/.test(name))
const consoles = ['log', 'info', 'warn', 'error', 'debug'] as const

it('a hundred mocks in a vitest run leave nothing open', async () => {
  await fetch('data:,').then((response) => response.text())
  const before = { handlers: handlers(), globals: globals(), open: open() }
  const changed = () => [...globals()].filter(([name, value]) => !Object.is(value, before.globals.get(name)))
  const said = consoles.map((name) => vi.spyOn(console, name))
  for (let i = 0; i < 100; i++) {
    const mock = createMock()
    const { url } = await mock.listen()
    const response = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
    expect(await readJson(response)).toMatchObject({ status: 'ok' })
    await mock.close()
  }
  expect(said.flatMap((spy) => spy.mock.calls)).toEqual([])
  said.forEach((spy) => spy.mockRestore())
  expect({ handlers: handlers(), changed: changed() }).toEqual({ handlers: before.handlers, changed: [] })
  // Node frees closed handles some turns of the event loop later.
  await expect.poll(open).toEqual(before.open)
})

it('a mock starts in a read-only folder, for a user without a home', async () => {
  // Root may write everywhere, so another user is needed, who must be able to read the package.
  const nobody = { uid: 65_534, gid: 65_534 }
  const reads = () =>
    spawnSync(process.execPath, ['-e', 'fs.accessSync(process.argv[1])', cliPath], nobody).status === 0
  const user = process.getuid?.() === 0 && reads() ? nobody : {}
  const mock = run([cliPath, '--port', '0'], {}, { cwd: '/', ...user })
  const [, url = ''] = await mock.says('out', /ready on (\S+)\n/)
  expect((await fetch(`${url}/projects/acme/users`, { headers: { authorization: 'Bearer any' } })).status).toBe(200)
  mock.child.kill('SIGTERM')
  expect(await mock.ended()).toMatchObject({ code: 0 })
})
