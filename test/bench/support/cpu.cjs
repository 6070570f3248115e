// Loaded into a measured process (`node --require`). Reports its CPU time in µs, its memory in bytes, and its profile.
let session

const handlers = {
  usage: () => {
    const { user, system } = process.cpuUsage()
    // Garbage is not memory in use. The CPU time is read before the collection, which is not work of the server.
    globalThis.gc?.()
    const { maxRSS } = process.resourceUsage()
    process.send({ cpu: user + system, resident: process.memoryUsage.rss(), peak: maxRSS * 1024 })
  },
  startProfile: () => {
    // Loaded on demand: measurements of the start do not need it.
    session = new (require('node:inspector').Session)()
    session.connect()
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: 200 })
    session.post('Profiler.start', () => process.send({}))
  },
  /** Reports how often each function was sampled. */
  stopProfile: () =>
    session.post('Profiler.stop', (_, { profile }) => {
      session.disconnect()
      process.send(
        profile.nodes.map(({ callFrame: { url, functionName }, hitCount }) => ({ url, functionName, hitCount })),
      )
    }),
}

process.on('message', (question) => handlers[question]())
process.channel?.unref()
