// Proves: HTTP edge.
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { withoutDeadlines } from './support/wait.ts'

const start = async () => {
  const mock = createMock()
  onTestFinished(() => mock.close())
  const server = await mock.listen()
  return { mock, server }
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n`

it('a CONNECT whose client disconnects does not stop the server', async () => {
  const { server } = await start()
  const once = () =>
    new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () =>
        socket.write('CONNECT x:1 HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.resetAndDestroy()),
      )
      socket.once('close', () => resolve())
    })
  for (let i = 0; i < 60; i++) await once()
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
})

it('a queued request is never executed after its client disconnects', async () => {
  const { mock, server } = await start()
  await mock.project('slow').faults.add({ times: null, effect: { delay: { milliseconds: 60_000 } } })
  await mock.project('never').faults.add({ times: null, effect: { connection: 'hang' } })
  const socket = connect(server.port, '127.0.0.1')
  socket.write(ask('/projects/slow/users') + ask('/projects/never/users'))
  await expect.poll(async () => (await mock.faults.list()).map(({ hits }) => hits)).toEqual([1, 0])
  socket.destroy()
  await expect.poll(async () => (await mock.requests.list()).items).toHaveLength(1)
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  await new Promise((resolve) =>
    get(`${server.url}/healthz`, { agent }, (response) => response.resume().on('end', resolve)),
  )
  // It would wait its four seconds for requests that nobody waits for.
  withoutDeadlines()
  await server.close()
})
