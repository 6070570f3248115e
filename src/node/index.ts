import { createCore, type Mock, mockOf, type MockOptions } from '../mock.ts'
import { type ListenOptions, type Server, startServer } from './server.ts'

export * from '../index.ts'
export type { ListenOptions, Server } from './server.ts'

/** A mock that can also listen. */
export interface NodeMock extends Mock {
  /** Opens a socket, when one is wanted. Rejects when the address cannot be bound. Closed with the mock. */
  listen(options?: ListenOptions): Promise<Server>
}

/** A mock that lives in this process. Cheap enough to make one in every test; no global is touched. */
export const createMock = (options?: MockOptions): NodeMock => {
  const core = createCore(options)
  const servers = new Set<Server>()
  const close = async () => {
    await Promise.all([...servers].map((server) => server.close()))
    servers.clear()
    core.listensAt(undefined)
  }
  const listen = async (listenOptions: ListenOptions = {}) => {
    const server = await startServer(core, listenOptions, { ownsProcess: false })
    servers.add(server)
    core.listensAt(server.url)
    return server
  }
  return { ...mockOf(core, close), listen }
}
