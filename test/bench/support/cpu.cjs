// Loaded into a process that is measured (`node --require`): says what CPU time it has used, in µs, what memory it holds, in bytes, and where the time went.
let session

const answers = {
  usage: () => {
    const { user, system } = process.cpuUsage()
    // What is garbage is not held. To collect it is no work of the server's own.
    globalThis.gc?.()
    const { maxRSS } = process.resourceUsage()
    process.send({ cpu: user + system, resident: process.memoryUsage.rss(), peak: maxRSS * 1024 })
  },
  startProfile: () => {
    // Not before: who measures a start does not ask for this.
    session = new (require('node:inspector').Session)()
    session.connect()
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: 200 })
    session.post('Profiler.start', () => process.send({}))
  },
  /** How often each function was found at work. */
  stopProfile: () =>
    session.post('Profiler.stop', (_, { profile }) => {
      session.disconnect()
      process.send(
        profile.nodes.map(({ callFrame: { url, functionName }, hitCount }) => ({ url, functionName, hitCount })),
      )
    }),
}

process.on('message', (question) => answers[question]())
process.channel?.unref()
