import { expect, test } from '@jest/globals'
import { createMock } from 'paylink-mock'

const listeners = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)])
const globals = () => new Map(Object.getOwnPropertyNames(globalThis).map((name) => [name, globalThis[name]]))

test('a hundred mocks come and go, and leave nothing', async () => {
  const before = { listeners: listeners(), globals: globals() }
  for (let i = 0; i < 100; i++) {
    const mock = createMock()
    const { url } = await mock.listen()
    const response = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
    expect(await response.json()).toMatchObject({ status: 'ok' })
    await mock.close()
  }
  expect(listeners()).toEqual(before.listeners)
  expect([...globals()].filter(([name, value]) => !Object.is(value, before.globals.get(name)))).toEqual([])
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(process.getActiveResourcesInfo().filter((name) => name.startsWith('TCPServer'))).toEqual([])
}, 60_000)
