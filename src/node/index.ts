import { createCore } from '../mock/core.ts'
import { buildMock, type Mock, type Server } from '../mock/mock.ts'
import type { ListenOptions, MockOptions } from '../schema/mock-options.ts'

export * from '../index.ts'

/** Creates a mock that can listen on sockets. Its documentation is that of the neutral `createMock`, whose types all entries have. */
export const createMock = (options?: MockOptions): Mock => {
  const core = createCore(options)
  const servers = new Set<Promise<Server>>()
  const addresses = new Set<string>()
  let closed = false
  // Without a request, payment URLs use the newest open address.
  const updateAddress = () => core.setAddress([...addresses].at(-1))

  const open = async (listenOptions: ListenOptions): Promise<Server> => {
    // Loaded on demand: most mocks never listen, and `node:http` takes a tenth of the import.
    const { startServer } = await import('./server.ts')
    const server = await startServer(core, listenOptions)
    addresses.add(server.url)
    updateAddress()
    const close = async () => {
      addresses.delete(server.url)
      updateAddress()
      await server.close()
    }
    return { ...server, close, [Symbol.asyncDispose]: close }
  }
  const listen = async (listenOptions: ListenOptions = {}): Promise<Server> => {
    if (closed) throw new Error('Failed to listen: the mock is closed. Create another one.')
    const opening = open(listenOptions)
    servers.add(opening)
    return opening
  }
  const close = async () => {
    closed = true
    core.stop()
    const opened = await Promise.allSettled(servers)
    await Promise.all(opened.map((one) => one.status === 'fulfilled' && one.value.close()))
  }
  return buildMock(core, { close, listen })
}
