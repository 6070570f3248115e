import * as http from 'node:http'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Exchange } from './recorded-calls.ts'
import { createHttpServer, openPort } from '../node/http-server.ts'

const recordingLimits = { calls: 20_000, bytes: 256 * 1024 * 1024 }

interface ProxyOptions {
  readonly baseUrl: string
  /** Called once per call, when its response is complete or has failed. */
  readonly onExchange: (exchange: Exchange) => void
  readonly limits?: typeof recordingLimits
}

/** Starts a proxy on loopback that forwards each call to the service and records it in memory. */
export const startProxy = async ({ baseUrl, onExchange, limits = recordingLimits }: ProxyOptions) => {
  const serviceUrl = new URL(baseUrl)
  const findAgent = createAgents(serviceUrl)
  const startRecording = createRecorder(onExchange, limits)
  const { server } = createHttpServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    const serviceRequest = openServiceRequest(incoming, serviceUrl, findAgent(incoming.socket))
    forwardResponse(serviceRequest, outgoing, startRecording(incoming))
    incoming.pipe(serviceRequest)
  })
  const port = await openPort(server, 0, '127.0.0.1')
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const getClient = ({ protocol }: URL) => (protocol === 'https:' ? https : http)

/** Returns a function that gives each connection from the program an agent with a single connection to the service. */
const createAgents = (serviceUrl: URL) => {
  const agents = new WeakMap<Socket, http.Agent>()
  return (socket: Socket): http.Agent => {
    const knownAgent = agents.get(socket)
    if (knownAgent !== undefined) return knownAgent
    const agent = new (getClient(serviceUrl).Agent)({ keepAlive: true, maxSockets: 1 })
    agents.set(socket, agent)
    socket.once('close', () => agent.destroy())
    return agent
  }
}

type Recording = ReturnType<ReturnType<typeof createRecorder>>

/** Returns a function that starts recording a call. Beyond the limits, a call is recorded as failed, without headers and body. */
const createRecorder = (onExchange: ProxyOptions['onExchange'], limits: typeof recordingLimits) => {
  let { calls, bytes } = limits
  /** Returns a list to which the chunks of the stream are added as they arrive. */
  const keepChunks = (stream: http.IncomingMessage): readonly Buffer[] => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => {
      bytes -= chunk.byteLength
      if (bytes >= 0) chunks.push(chunk)
    })
    return chunks
  }
  return (incoming: http.IncomingMessage) => {
    const start = getCurrentTime()
    const { method = 'GET', url: target = '/', rawHeaders } = incoming
    const body = keepChunks(incoming)
    let isRecorded = false
    const record = (callResult: Pick<Exchange, 'response' | 'failure'>): void => {
      if (isRecorded) return
      isRecorded = true
      const isBeyondLimits = --calls < 0 || bytes < 0
      const recorded = isBeyondLimits
        ? { headers: [], body: new Uint8Array(), response: undefined, failure: 'the run is larger than the limit' }
        : { headers: listHeaders(rawHeaders), body: Buffer.concat(body), ...callResult }
      onExchange({ start, end: getCurrentTime(), method, target, ...recorded })
    }
    return { keep: keepChunks, record }
  }
}

const openServiceRequest = (incoming: http.IncomingMessage, serviceUrl: URL, agent: http.Agent): http.ClientRequest => {
  const { method = 'GET', url: target = '/', rawHeaders } = incoming
  const headers = ['Host', serviceUrl.host, ...selectHeaders(rawHeaders, 'host')]
  const hasFraming = 'content-length' in incoming.headers || 'transfer-encoding' in incoming.headers
  // Without `Content-Length`, Node would send an empty chunked body for all methods except these.
  if (!hasFraming && !/^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/.test(method)) headers.push('Content-Length', '0')
  const path = serviceUrl.pathname.replace(/\/+$/, '') + target
  return getClient(serviceUrl).request(serviceUrl, { method, path, headers, agent, setHost: false })
}

const forwardResponse = (
  serviceRequest: http.ClientRequest,
  outgoing: http.ServerResponse,
  { keep: keepChunks, record }: Recording,
): void => {
  const recordFailure = (failureText: string) => (error: NodeJS.ErrnoException) => {
    record({ response: undefined, failure: `the service ${failureText} (${error.code ?? error.message})` })
    // Break the program's connection, because its call would also fail without the proxy.
    outgoing.destroy()
  }
  serviceRequest.on('error', recordFailure('sent no response'))
  serviceRequest.on('response', (serviceResponse) => {
    const { statusCode: status = 0, statusMessage, rawHeaders } = serviceResponse
    const chunks = keepChunks(serviceResponse)
    serviceResponse.on('end', () => {
      if (!serviceResponse.complete) return
      const text = decodeBody(Buffer.concat(chunks), serviceResponse.headers['content-encoding'])
      const contentType = serviceResponse.headers['content-type'] ?? ''
      record({ response: { status, contentType, text }, failure: undefined })
    })
    serviceResponse.on('error', recordFailure('aborted its response'))
    outgoing.sendDate = false
    outgoing.writeHead(status, statusMessage, selectHeaders(rawHeaders))
    outgoing.flushHeaders()
    serviceResponse.pipe(outgoing)
  })
  outgoing.on('close', () => {
    if (outgoing.writableFinished) return
    record({ response: undefined, failure: 'the program did not wait for the response' })
    serviceRequest.destroy()
  })
}

const getCurrentTime = () => performance.timeOrigin + performance.now()

/** Headers that are not forwarded. `transfer-encoding` is hop-by-hop, too, but forwarding it keeps the framing of bodies. */
const connectionHeaders = ['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'te', 'expect']

const selectHeaders = (rawHeaders: readonly string[], ...removedHeaders: readonly string[]): string[] => {
  const headers = listHeaders(rawHeaders)
  const connectionNames = headers.flatMap(([name, value]) =>
    /^connection$/i.test(name) ? value.toLowerCase().split(/[\s,]+/) : [],
  )
  const removedNames = new Set([...connectionHeaders, ...connectionNames, ...removedHeaders])
  return headers.filter(([name]) => !removedNames.has(name.toLowerCase())).flat()
}

/** Pairs the names and values that alternate in Node's raw headers. */
const listHeaders = (rawHeaders: readonly string[]): [name: string, value: string][] =>
  rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1]!]] : []))

/** Decompresses a body, and decodes it as UTF-8. Decodes the compressed bytes as Latin-1 if they are invalid. */
const decodeBody = (bytes: Buffer, coding = 'identity'): string => {
  try {
    return new TextDecoder().decode(decoders[coding]?.(bytes) ?? bytes)
  } catch {
    return bytes.toString('latin1')
  }
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
}
