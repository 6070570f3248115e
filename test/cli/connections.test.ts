import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { expect, it, vi } from 'vitest'
import { trackConnections } from '../../src/node/http-server.ts'

it('forgets a closed connection, and closes an idle one when the server stops', async () => {
  const server = Object.assign(new EventEmitter(), { close: (done: () => void) => done() })
  const { close } = trackConnections(server as unknown as Server, 0)
  const open = () => {
    const socket = Object.assign(new EventEmitter(), { destroy: vi.fn<() => void>() })
    server.emit('connection', socket)
    return socket
  }
  const closed = open()
  const idle = open()
  closed.emit('close')
  await close()
  await vi.waitFor(() => expect(idle.destroy).toHaveBeenCalledTimes(1))
  expect(closed.destroy).not.toHaveBeenCalled()
})
