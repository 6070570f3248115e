// Requests without a kernel, a parser or a client: the yardstick with the least noise.
import { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'

/** Returns the listener of a mock: the server is the only one that is open in this process. */
export const createListener = async (mock) => {
  await mock.listen()
  const server = process._getActiveHandles().find((handle) => handle instanceof Server)
  return (request, response) => server.emit('request', request, response)
}

class StubSocket extends Duplex {
  written = ''
  _read() {}
  _write(chunk, _, done) {
    this.written += chunk
    done()
  }
  _writev(chunks, done) {
    for (const { chunk } of chunks) this.written += chunk
    done()
  }
}

const socket = new StubSocket()

/** Sends a request to a listener, and calls `done` with the whole text of the response. It creates no promise. */
export const send = (listener, { method, path, body }, done) => {
  const request = new IncomingMessage(socket)
  const headers = { host: '127.0.0.1', authorization: 'Bearer bench', accept: 'application/json' }
  if (body !== undefined)
    Object.assign(headers, { 'content-type': 'application/json', 'content-length': String(body.length) })
  Object.assign(request, { method, url: path, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1, headers })
  request.rawHeaders.push(...Object.entries(headers).flat())
  const response = new ServerResponse(request)
  response.assignSocket(socket)
  response.once('finish', () => {
    response.detachSocket(socket)
    response.emit('close')
    const text = socket.written
    socket.written = ''
    done(text)
  })
  listener(request, response)
  if (body !== undefined) request.push(body)
  request.complete = true
  request.push(null)
}
