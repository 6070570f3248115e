import { connect } from 'node:net'

// Raw sockets with one request at a time. All send together, and again after all responses, so that the client has less
// work than any server. With independent sockets, a fast server would never sleep, and save the cost of waking up.
const connections = 32

/** Sends `total` requests, 32 at a time, and checks each response. Returns the sorted durations in ms. */
export const load = async (port, total, request, check) => {
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)))
  const times = []
  try {
    for (let sent = 0; sent < total; sent += connections)
      times.push(
        ...(await Promise.all(sockets.slice(0, total - sent).map((ask, index) => ask(request(sent + index), check)))),
      )
  } finally {
    for (const ask of sockets) ask.end()
  }
  return times.toSorted((a, b) => a - b)
}

const openSocket = (port) =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.setEncoding('latin1')
    socket.once('connect', () => resolve(createAsk(socket)))
    socket.once('error', reject)
  })

const createAsk = (socket) => {
  let started = 0
  let buffered = ''
  let pending
  socket.on('close', () => pending?.reject(new Error('The server has closed the connection.')))
  socket.on('data', (chunk) => {
    buffered = buffered === '' ? chunk : buffered + chunk
    const response = parseResponse(buffered)
    if (response === undefined) return
    buffered = ''
    const { resolve, reject, asked, check } = pending
    const wrong = check(response, asked)
    if (wrong) reject(new Error(`${asked.method} ${asked.path}: ${wrong}, but ${JSON.stringify(response)}`))
    else resolve(performance.now() - started)
  })
  const ask = (asked, check) =>
    new Promise((resolve, reject) => {
      pending = { resolve, reject, asked, check }
      started = performance.now()
      socket.write(formatRequest(asked), 'latin1')
    })
  ask.end = () => socket.removeAllListeners('close').destroy()
  return ask
}

const formatRequest = ({ method, path, body, type = 'application/json', token = 'bench' }) => {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\naccept: application/json\r\n`
  if (body === undefined) return `${head}\r\n`
  return `${head}content-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

const lengthName = 'content-length: '

/** Parses a complete response. Undefined while a part of it is missing. */
const parseResponse = (text) => {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const at = head.toLowerCase().indexOf(lengthName)
  const done =
    at === -1
      ? text.endsWith('0\r\n\r\n')
      : text.length - end - 4 >= Number.parseInt(head.slice(at + lengthName.length))
  if (!done) return undefined
  const body = text.slice(end + 4)
  return { status: Number(head.slice(9, 12)), body: at === -1 ? joinChunks(body) : body }
}

/** Joins chunks. Each has its size in hexadecimal, and a text of that size. */
const joinChunks = (chunks) => {
  let text = ''
  for (let at = 0; ;) {
    const start = chunks.indexOf('\r\n', at) + 2
    const size = Number.parseInt(chunks.slice(at, start), 16)
    if (!(size > 0)) return text
    text += chunks.slice(start, start + size)
    at = start + size + 2
  }
}
