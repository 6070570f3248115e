import { createCore, type Mock, buildMock, type Server } from '../mock/mock.ts'
import type { ListenOptions, MockOptions } from '../schema/mock-options.ts'

export * from '../index.ts'

/**
 * Creates a mock in this process. It is cheap enough for one in every test, and changes no globals.
 *
 * @returns the mock; `await using` closes it with its servers
 * @throws `invalidOptions`, with the problems of all options
 * @example
 * await using mock = createMock({ clock: 'frozen' })
 */
export const createMock = (options?: MockOptions): Mock => {
  const core = createCore(options)
  const servers = new Set<Promise<Server>>()
  let closed = false
  const addresses = new Set<string>()
  // Without a request, payment URLs use the newest open address.
  const updateAddress = () => core.setAddress([...addresses].at(-1))

  const open = async (listenOptions: ListenOptions, onClose: () => void): Promise<Server> => {
    // Loaded on demand: most mocks never listen, and `node:http` takes a tenth of the import.
    const { startServer } = await import('./server.ts')
    const server = await startServer(core, listenOptions)
    addresses.add(server.url)
    updateAddress()
    const close = async () => {
      addresses.delete(server.url)
      updateAddress()
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
  return buildMock(core, { close, listen })
}
