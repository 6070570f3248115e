import { connect } from 'node:net'

// A client that costs as little as can be: raw sockets, one request at a time on each, answers told apart by their length.
const connections = 32

/** Sends `total` requests, 32 at a time, and checks each answer. Answers how long each took, in ms, sorted. */
export const load = (port, total, request, check) =>
  new Promise((resolve, reject) => {
    const times = []
    let sent = 0
    const sockets = []
    const finish = (error) => {
      for (const socket of sockets) socket.destroy()
      if (error) reject(error)
      else resolve(times.sort((a, b) => a - b))
    }
    const open = () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      sockets.push(socket)
      let started = 0
      let current
      let buffered = ''
      const next = () => {
        if (sent === total) return times.length === total ? finish() : undefined
        current = request(sent++)
        started = performance.now()
        socket.write(textOf(current))
      }
      socket.setEncoding('latin1')
      socket.on('connect', next)
      socket.on('error', finish)
      socket.on('data', (chunk) => {
        buffered = buffered === '' ? chunk : buffered + chunk
        const answer = answerIn(buffered)
        if (answer === undefined) return
        times.push(performance.now() - started)
        buffered = ''
        const wrong = check(answer, current)
        if (wrong) finish(new Error(`${current.method} ${current.path} answers ${wrong}: ${JSON.stringify(answer)}`))
        else next()
      })
    }
    for (let i = 0; i < connections; i++) open()
  })

const textOf = ({ method, path, body, headers = {} }) => {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const sent = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer bench\r\naccept: application/json\r\n${more.join('')}${sent}\r\n${body ?? ''}`
}

/** The whole answer that a text is; undefined while some of it is missing. */
const answerIn = (text) => {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  const body = text.slice(end + 4)
  const done = length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length)
  return done ? { status: Number(head.slice(9, 12)), head, body } : undefined
}
