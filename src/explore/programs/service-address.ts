// Gives a service a stable address, which forwards connections to its current port. Each restart uses a new port, because
// connections of the killed process may still occupy the old one.
import { get } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServiceAddress } from './program-types.ts'

/** A host name instead of an IP address, because some servers listen only on IPv4 and others only on IPv6. */
const host = 'localhost'

/** The service is ready when `readyPath` returns 2xx or, without a path, when its port accepts connections. */
export const openServiceAddress = async (readyPath: string | undefined): Promise<ServiceAddress> => {
  let port = await choosePort()
  let isReady = false
  const clients = new Set<Socket>()
  const waitingClients = new Set<Socket>()
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
        waitingClients.delete(client)
      })
    if (isReady) forward(client)
    else waitingClients.add(client)
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
      waitingClients.forEach(forward)
      waitingClients.clear()
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

/** A range below the ephemeral ports, which the system uses for outgoing connections. */
const [firstPort, portCount] = [20_000, 12_000]
let offset = Math.floor(Math.random() * portCount)

const choosePort = async (): Promise<number> => {
  for (let tries = 0; tries < portCount; tries++) {
    offset = (offset + 1) % portCount
    // Store the port before the check, because another run may advance `offset` in the meantime.
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

/** How often to check whether the service is ready, in milliseconds. */
const readyInterval = 10

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy()
      resolve(true)
    }).once('error', () => resolve(false))
  })

/** The timeout of one request to `readyPath`, in milliseconds. */
const readyTimeout = 5000

const isHealthy = (port: number, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    // `agent: false` closes the connection after the response.
    const request = get({ host, port, path, agent: false, timeout: readyTimeout }, (response) => {
      const { statusCode = 0 } = response
      response.resume().once('close', () => resolve(statusCode >= 200 && statusCode < 300))
    })
    request.once('timeout', () => request.destroy()).once('error', () => resolve(false))
  })
