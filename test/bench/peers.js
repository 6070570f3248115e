// How do the peers do the same work? node test/bench peers [--records 1000] [--rounds 5] [--starts 7]
// They are installed into a temporary folder. The servers of our interface and the peers run at
// once and take turns; every response is checked. Then what a start costs, from spawn to the first good response.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPeers, peers } from './servers/peers.js'
import { load } from './support/load.js'
import { formatCells, head, measure, takeTurns } from './support/measure.js'
import { median, formatSpread, formatTable } from './support/numbers.js'
import { startProcess } from './support/process.js'
import { cli, startServer } from './support/servers.js'

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    starts: { type: 'string', default: '7' },
  },
})
const [records, rounds, starts] = [options.records, options.rounds, options.starts].map(Number)
/** Chosen so that the slowest peer takes about two seconds. */
const requests = records > 10_000 ? 64 : 640

const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-peers-'))

const findFreePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return String(port)
}

/** Waits for a response, because each peer prints a different ready line. */
const waitForResponse = async (port, { path, token = 'bench' }) => {
  const headers = { authorization: `Bearer ${token}` }
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => undefined)
    await response?.arrayBuffer()
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const startPeer = async ({ args, isUp }, records) => {
  const port = await findFreePort()
  const process = startProcess(args({ folder, port, records }))
  process.child.stdout.resume()
  await waitForResponse(port, isUp)
  return { port, process }
}

const startPeerServer = async (name, peer) => {
  const server = { name, ...(await startPeer(peer, records)), workloads: peer.workloads(records) }
  for (const work of peer.seeds ?? []) {
    const { request, check, keep } = server.workloads[work]
    await load(server.port, records, request, (response, asked) => check(response, asked) ?? keep?.(response))
  }
  return server
}

/** A server that has been called for a while has its code compiled: each is given the same while. */
const warmUp = async (server, work) => {
  const start = performance.now()
  while (performance.now() - start < 1000) await measure(server, work, requests)
}

const compareWork = async (running) => {
  const lines = []
  for (const work of Object.keys(running[0].workloads)) {
    for (const server of running) await warmUp(server, work)
    const runs = await takeTurns(running, rounds, (server) => measure(server, work, requests))
    for (const [name, all] of Object.entries(runs)) {
      const overOurs = all.map(({ cpu }, round) => cpu / runs.ours[round].cpu)
      lines.push([...formatCells(work, records, name, all), formatSpread(overOurs, 1)])
    }
  }
  return formatTable([...head, 'CPU over ours'], lines)
}

const compareStarts = async () => {
  const serve = ({ port }) => [cli, '--port', port, '--log', 'silent']
  const ours = { args: serve, isUp: { path: '/projects/acme/users' } }
  const starting = Object.entries({ ours, ...peers }).map(([name, peer]) => ({ name, peer }))
  const runs = await takeTurns([{ name: 'an empty Node' }, ...starting], starts, async ({ peer }) => {
    const { process } = peer ? await startPeer(peer, 0) : await emptyNode()
    const { cpu } = await process.usage()
    await process.stop()
    return cpu / 1000
  })
  const compareWithEmpty = (name) => runs[name].map((cpu, round) => cpu - runs['an empty Node'][round])
  const lines = starting.map(({ name }) => [
    name,
    median(compareWithEmpty(name)).toFixed(0),
    formatSpread(compareWithEmpty(name).map((cpu, round) => compareWithEmpty('ours')[round] / cpu)),
  ])
  return formatTable(['start', 'CPU over an empty Node, ms', 'ours over it'], lines)
}

const emptyNode = async () => {
  const process = startProcess(['--eval', 'console.log("up"); setInterval(() => {}, 1e9)'])
  await process.line(/up/)
  return { process }
}

const running = []
try {
  installPeers(folder)
  for (const name of ['ours', 'ceiling']) running.push(await startServer(name, records, folder))
  for (const [name, peer] of Object.entries(peers)) running.push(await startPeerServer(name, peer))
  const work = await compareWork(running)
  for (const { process } of running.splice(0)) await process.stop()
  process.stdout.write(`${work}\n\n${await compareStarts()}\n`)
} finally {
  for (const { process } of running) await process.stop()
  rmSync(folder, { recursive: true })
}
