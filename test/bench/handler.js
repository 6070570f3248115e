// The cost of a handler alone: node test/bench handler
// Requests come on stub sockets, without a kernel or a parser: the yardstick with the least noise. µs of CPU, in rounds
// that take turns. Fails if our share of the raw handler with all duties is below a floor, which leaves much room.
import { createMock } from 'paylink-mock'
import { createRaw, createRawWithDuties } from './servers/raw.js'
import { idAt } from './servers/store.js'
import { median, formatSpread, formatTable } from './support/numbers.js'
import { pickOwnIds } from './support/servers.js'
import { createListener, send as sendTo } from './support/stub-socket.js'
import { createWorkloads } from './support/workloads.js'

const records = 1000
const rounds = 15
const calls = 2000

/** The least share of the raw handler with all duties. */
const floors = { 'retrieve a user': 0.12, 'list ten users': 0.14, 'create a user': 0.11 }

const send = (listener, request) => new Promise((resolve) => sendTo(listener, request, resolve))

const parseText = (text) => ({ status: Number(text.slice(9, 12)), body: text.slice(text.indexOf('\r\n\r\n') + 4) })

const measure = async ({ listener, workloads }, name) => {
  const { request, check } = workloads[name]
  const first = request()
  const wrong = check(parseText(await send(listener, first)), first)
  if (wrong) throw new Error(`${name}: ${wrong}`)
  const requests = Array.from({ length: calls }, request)
  const start = process.cpuUsage()
  for (const one of requests) await send(listener, one)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

const seed = { projects: { acme: { generate: { users: records } } } }
const mock = createMock({ seed })
const rawWorkloads = createWorkloads({ ids: Array.from({ length: records }, (_, n) => idAt('usr', n)) })
const handlers = {
  raw: { listener: createRaw(records), workloads: rawWorkloads },
  duties: { listener: createRawWithDuties(records), workloads: rawWorkloads },
  ours: { listener: await createListener(mock), workloads: createWorkloads({ ids: pickOwnIds(records) }) },
}

const lines = []
const slow = []
for (const [name, floor] of Object.entries(floors)) {
  const times = { raw: [], duties: [], ours: [] }
  for (let round = -3; round < rounds; round++)
    for (const [side, handler] of Object.entries(handlers)) {
      const time = await measure(handler, name)
      if (round >= 0) times[side].push(time)
    }
  const formatShares = (side) => times.ours.map((time, round) => times[side][round] / time)
  const microseconds = Object.values(times).map((all) => median(all).toFixed(1))
  lines.push([name, ...microseconds, formatSpread(formatShares('raw')), formatSpread(formatShares('duties'))])
  const share = median(formatShares('duties'))
  if (share < floor) slow.push(`${name}: ${share.toFixed(2)} of the raw handler with duties, and not ${floor}`)
}
await mock.close()
const head = ['handler alone', 'raw, µs', 'with duties, µs', 'ours, µs', 'share of raw', 'share of it with duties']
process.stdout.write(`${formatTable(head, lines)}\n`)
if (slow.length > 0) {
  process.stderr.write(`${slow.join('\n')}\n`)
  process.exitCode = 1
}
