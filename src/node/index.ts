import { createCore } from '../mock/core.ts'
import { buildMock, type Mock, type Server } from '../mock/mock.ts'
import type { ListenOptions, MockOptions } from '../schema/mock-options.ts'

export * from '../index.ts'

/** Creates a mock that can listen on sockets. Its documentation is that of the neutral `createMock`, whose types all entries have. */
export const createMock = (options?: MockOptions): Mock => {
  const core = createCore(options)
  /** Close the servers, also those that are being opened. */
  const closers = new Set<() => Promise<void>>()
  const addresses = new Set<string>()
  let closed = false
  // Without a request, payment URLs use the newest open address.
  const updateAddress = () => core.setAddress([...addresses].at(-1))

  const listen = async (listenOptions: ListenOptions = {}): Promise<Server> => {
    if (closed) throw new Error('Failed to listen: the mock is closed. Create another one.')
    // Loaded on demand: most mocks never listen, and `node:http` takes a tenth of the import.
    const opening = import('./server.ts').then(({ startServer }) => startServer(core, listenOptions))
    const close = async () => {
      const server = await opening
      addresses.delete(server.url)
      updateAddress()
      await server.close()
      closers.delete(close)
    }
    closers.add(close)
    const server = await opening
    addresses.add(server.url)
    updateAddress()
    return { ...server, close, [Symbol.asyncDispose]: close }
  }
  const close = async () => {
    closed = true
    core.stop()
    await Promise.allSettled([...closers].map((closeServer) => closeServer()))
  }
  return buildMock(core, { close, listen })
}
