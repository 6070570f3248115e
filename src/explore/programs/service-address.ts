// The address of a service: a fixed port that forwards to the port of the service. The service gets a new port at each restart,
// because connections of a killed server may linger.
import { get } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServiceAddress } from './program-types.ts'

/** A name, because some servers listen on IPv4 only, and others on IPv6 only. */
const host = 'localhost'

/** Opens the address of a service. It is ready when `readyPath` responds with 2xx or, without a path, accepts connections. */
export const openServiceAddress = async (readyPath: string | undefined): Promise<ServiceAddress> => {
  let port = await choosePort()
  let isReady = false
  const clients = new Set<Socket>()
  /** Connections that wait until the service is ready. */
  const held = new Set<Socket>()
  const forward = (client: Socket): void => {
    const service = connect({ host, port, allowHalfOpen: true, noDelay: true })
    service.on('error', () => {}).on('close', () => client.destroy())
    client.on('close', () => service.destroy())
    client.pipe(service).pipe(client)
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client)
    client
      .on('error', () => {})
      .on('close', () => {
        clients.delete(client)
        held.delete(client)
      })
    if (isReady) forward(client)
    else held.add(client)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    getPort: () => port,
    waitUntilReady: async (signal) => {
      const isOpen = () => (readyPath === undefined ? canConnect(port) : isHealthy(port, readyPath))
      while (!signal.aborted && !(await isOpen())) await wait(readyInterval)
      if (signal.aborted) return false
      isReady = true
      held.forEach(forward)
      held.clear()
      return true
    },
    describeUnready: () =>
      readyPath === undefined
        ? `nothing accepts connections at port ${port}. It must listen on the port that is in PORT, and in {port} of its words.`
        : `http://${host}:${port}${readyPath} does not respond with 2xx.`,
    renew: async () => {
      isReady = false
      port = await choosePort()
    },
    close: () => {
      server.close()
      for (const client of clients) client.destroy()
    },
  }
}

/** Ports below the ephemeral range, which the system uses for outgoing connections. */
const [firstPort, portCount] = [20_000, 12_000]
let offset = Math.floor(Math.random() * portCount)

/** Returns a free port, a different one each time. */
const choosePort = async (): Promise<number> => {
  for (let tries = 0; tries < portCount; tries++) {
    offset = (offset + 1) % portCount
    // Copy the port, because another run may advance the offset during the check.
    const port = firstPort + offset
    if (await isFree(port)) return port
  }
  throw new Error('No port is free.')
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })

/** In milliseconds. */
const readyInterval = 10

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy()
      resolve(true)
    }).once('error', () => resolve(false))
  })

/** In milliseconds. */
const readyTimeout = 5000

const isHealthy = (port: number, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    // Without an agent, the connection is closed after the response.
    const request = get({ host, port, path, agent: false, timeout: readyTimeout }, (response) => {
      const { statusCode = 0 } = response
      response.resume().once('close', () => resolve(statusCode >= 200 && statusCode < 300))
    })
    request.once('timeout', () => request.destroy()).once('error', () => resolve(false))
  })
