// Loaded into a measured process (`node --require`). Reports its CPU time in µs, and its memory in bytes.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  // Garbage is not memory in use. The CPU time is read before the collection, which is not work of the server.
  globalThis.gc?.()
  process.send({ cpu: user + system, resident: process.memoryUsage.rss() })
})
process.channel?.unref()
