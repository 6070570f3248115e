import { createCore } from '../core/mock/core.ts'
import { dashboard } from '../dashboard/dashboard-pages.ts'
import { buildMock, type Mock, type Server } from '../core/mock/mock.ts'
import type { ListenOptions, MockOptions } from '../core/schema/mock-options.ts'

export * from '../index.ts'

/** Creates a mock that can listen on sockets. Its documentation is that of the neutral `createMock`, whose types all entries have. */
export const createMock = (options?: MockOptions): Mock => {
  const core = createCore(options, { dashboard })
  /** The functions that close the servers, including those that are still opening. */
  const serverClosers = new Set<() => Promise<void>>()
  const openAddresses = new Set<string>()
  let isClosed = false
  // Without a request, payment URLs use the newest open address.
  const updateAddress = () => core.setAddress([...openAddresses].at(-1))

  const listen = async (listenOptions: ListenOptions = {}): Promise<Server> => {
    if (isClosed) throw new Error('Failed to listen: the mock is closed. Create another one.')
    // Loaded on demand: most mocks never listen, and `node:http` takes a tenth of the import.
    const opening = import('./server.ts').then(({ startServer }) => startServer(core, listenOptions))
    const close = async () => {
      const server = await opening
      openAddresses.delete(server.url)
      updateAddress()
      await server.close()
      serverClosers.delete(close)
    }
    serverClosers.add(close)
    const server = await opening
    openAddresses.add(server.url)
    updateAddress()
    return { ...server, close, [Symbol.asyncDispose]: close }
  }
  const close = async () => {
    isClosed = true
    core.stop()
    await Promise.allSettled([...serverClosers].map((closeServer) => closeServer()))
  }
  return buildMock(core, { close, listen })
}
