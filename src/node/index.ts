import type { ListenOptions, Server } from '../listen.ts'
import { createCore, type Mock, mockOf } from '../mock.ts'
import type { MockOptions } from '../options.ts'
import { bindRefusal } from './bind-text.ts'
import { startServer } from './server.ts'

export * from '../index.ts'

/** A mock that lives in this process. Cheap enough to make one in every test; no global is touched. */
export const createMock = (options?: MockOptions): Mock => {
  const core = createCore(options)
  const servers = new Set<Promise<Server>>()
  let closed = false
  const addresses = new Set<string>()
  // The address of payment URLs that are made without a request: the latest that still listens.
  const announce = () => core.listensAt([...addresses].at(-1))

  const open = async (listenOptions: ListenOptions, onClose: () => void): Promise<Server> => {
    const server = await startServer(core, listenOptions).catch((error: unknown) => {
      throw bindRefusal(error, listenOptions)
    })
    addresses.add(server.url)
    announce()
    const close = async () => {
      addresses.delete(server.url)
      announce()
      await server.close()
      onClose()
    }
    return { ...server, close, [Symbol.asyncDispose]: close }
  }
  const listen = (listenOptions: ListenOptions = {}) => {
    if (closed) return Promise.reject(new Error('Failed to listen: the mock is closed. Create another one.'))
    const opening: Promise<Server> = open(listenOptions, () => servers.delete(opening))
    servers.add(opening)
    return opening
  }
  const close = async () => {
    closed = true
    core.stop()
    const opened = await Promise.allSettled(servers)
    servers.clear()
    await Promise.all(opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])))
  }
  return mockOf(core, { close, listen })
}
