// Loaded into a process that is measured (`node --require`): says what CPU time it has used, in µs, when it is asked.
process.on('message', () => {
  // What is garbage is not held.
  globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  process.send({ cpu: user + system, resident: process.memoryUsage.rss() })
})
process.channel?.unref()
